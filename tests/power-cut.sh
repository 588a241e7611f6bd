#!/usr/bin/env bash
# Cuts the power of a real file system under writers, and looks at what is left.
#
# Makes an ext4 image, mounts it over a loop device, lets writers reserve, shuts the file system
# down without flushing its journal (what was not synced is gone), mounts it again and checks: every
# acknowledged entry is there, the ledger verifies, git finds nothing wrong, the next command works.
#
# usage: tests/power-cut.sh [cuts]        (needs root, a loop device, ext4, python3)
# GIT_COORD names the program; otherwise it is built. Exits 0 and says why where it cannot run.
set -eu
cd "$(dirname "$0")/.."
cuts=${1:-8}
writers=4

skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

[ "$(uname -s)" = Linux ] || skip "only Linux can shut a file system down"
[ "$(id -u)" = 0 ] || skip "mounting needs root"
for program in losetup mkfs.ext4 python3 git; do
    command -v "$program" >/dev/null || skip "there is no '$program'"
done
if [ -z "${GIT_COORD:-}" ]; then
    cargo build --locked --quiet
    GIT_COORD=$PWD/target/debug/git-coord
fi

scratch=$(mktemp -d)
disk=$scratch/disk
mounted=
cleanup() {
    [ -z "$mounted" ] || umount "$disk" || true
    rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$disk" "$scratch/home"
export HOME=$scratch/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com

truncate -s 256M "$scratch/image"
mkfs.ext4 -q -F "$scratch/image"
mount_image() {
    mount -o loop "$scratch/image" "$disk" 2>"$scratch/mount.err" || return
    mounted=yes
}
mount_image || skip "no loop device can be mounted: $(cat "$scratch/mount.err")"

# Ends all input and output of the file system at once. 2 is "without flushing the log".
cut_power() {
    python3 - "$disk" <<'PYTHON'
import fcntl, os, struct, sys
FS_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
directory = os.open(sys.argv[1], os.O_RDONLY)
fcntl.ioctl(directory, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
PYTHON
}

# Reserves until the disk is gone; an entry counts from the moment that it was acknowledged, which
# is noted on another disk.
writer() {
    cd "$disk/repo" || exit
    count=0
    while GIT_COORD_AGENT=$1 "$GIT_COORD" --quiet reserve "$1/$2/$count" >/dev/null 2>&1; do
        printf '%s/%s/%s\n' "$1" "$2" "$count" >>"$scratch/acknowledged.$1"
        count=$((count + 1))
    done
}

checked() {
    "$@" >"$scratch/out" 2>&1 || {
        printf 'failed after cut %s: %s\n' "$cut" "$*"
        cat "$scratch/out"
        exit 1
    }
}

lost=0
total=0
for cut in $(seq "$cuts"); do
    # Every cut in a new repository: its first entry is at risk as well.
    rm -rf "$disk/repo" "$scratch"/acknowledged.*
    git init --quiet "$disk/repo"
    sync
    for number in $(seq "$writers"); do
        writer "agent-$number" "$cut" &
    done
    sleep "0.$((cut * 37 % 90 + 10))"
    cut_power || skip "this kernel cannot shut the file system down"
    wait
    umount "$disk"
    mounted=
    mount_image
    cd "$disk/repo"
    checked git fsck --strict --no-dangling
    checked "$GIT_COORD" ledger verify
    "$GIT_COORD" --json list >"$scratch/list"
    cat "$scratch"/acknowledged.* >"$scratch/acknowledged" 2>/dev/null || true
    while read -r path; do
        total=$((total + 1))
        grep -qF "\"pattern\":\"$path\"" "$scratch/list" || {
            printf 'lost after cut %s: %s\n' "$cut" "$path"
            lost=$((lost + 1))
        }
    done <"$scratch/acknowledged"
    checked env GIT_COORD_AGENT=next "$GIT_COORD" reserve next
    cd - >/dev/null
done
printf '%s cuts, %s acknowledged entries, %s lost\n' "$cuts" "$total" "$lost"
[ "$lost" = 0 ]
