#!/usr/bin/env bash
# A storm: agents run every command while processes are killed and stopped and git tidies up beside
# them; then what each was told is held against what the ledgers say.
#
# usage: tests/soak.sh [--races] [--seconds <n>] [--agents <n>] [--kinds <list>] [--seed <n>]
#                      [--stop <seconds>] [--tolerate <list>] [--show <n>] [--keep]
#
# Five minutes and 50 agents unless told otherwise, shared by repositories with refs in files with
# and without the queue, with refs in a reftable, and with SHA-256. The checker in tests/soak is
# Python and git, and knows nothing of the program. Exits 0 if everything held, 1 if not.
#
# With --races, which comes first, the suite runs before it with a thousand rounds a race and a minute
# of talk: this is what a release must pass.
#
# GIT_COORD names the program; otherwise the release is built. Writes below TMPDIR alone. Exits 0 and
# says why where it cannot run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

if [ "${1:-}" = --races ]; then
    shift
    (cd "$here/.." && GIT_COORD_TEST_ROUNDS=1000 GIT_COORD_TEST_SECONDS=60 cargo test --locked)
fi

command -v python3 >/dev/null || skip "there is no 'python3'"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "python3 is older than 3.9"
export PYTHONDONTWRITEBYTECODE=1

# A checker that finds nothing wrong in what is wrong would pass everything.
(cd "$here/soak" && python3 -m unittest --quiet checker_test)

if [ -z "${GIT_COORD:-}" ]; then
    (cd "$here/.." && cargo build --locked --release --quiet)
    GIT_COORD=${CARGO_TARGET_DIR:-$here/../target}/release/git-coord
fi
exec python3 "$here/soak/storm.py" --program "$GIT_COORD" "$@"
