#!/usr/bin/env bash
# Runs the suite again and again while busy loops take the processors away: a test that depends on
# how fast the machine is fails here sooner than in the gate.
#
# usage: tests/under_load.sh [<times> [<filter of tests>...]]
#
# Five times, with as many loops as there are processors. Exits with the first failure.
set -eu
cd "$(dirname "$0")/.."
times=${1:-5}
[ $# -eq 0 ] || shift
cargo test --locked --no-run

loops=()
trap 'kill "${loops[@]}"' EXIT
for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
    while :; do :; done &
    loops+=($!)
done
for round in $(seq "$times"); do
    printf '== round %d of %d\n' "$round" "$times"
    cargo test --locked --quiet --test it -- "$@"
done
