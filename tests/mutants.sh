#!/usr/bin/env bash
# Shows that tests notice: applies each mistake of tests/mutants.txt to a copy of the tree and
# expects the named test to fail. Each costs a build, so this is not part of `.ci/run`.
#
# usage: tests/mutants.sh [requirement]        e.g. tests/mutants.sh 1/H5
set -eu
cd "$(dirname "$0")/.."
wanted=${1:-}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/mutants}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | while IFS= read -r -d '' file; do
    mkdir -p "$copy/$(dirname "$file")"
    cp "$file" "$copy/$file"
done

survivors=0
count=0

# try <requirement> <lib|it> <test> <file> <line> <mistake>
try() {
    local requirement=$1 target=$2 test=$3 file=$4 line=$5 mistake=$6 source verdict
    source=$(<"$file")
    case $source in
    *"$line"*) ;;
    *)
        verdict="no such line in $file"
        survivors=$((survivors + 1))
        printf '%-16s %s: %s\n' "$requirement" "$test" "$verdict"
        return
        ;;
    esac
    count=$((count + 1))
    printf '%s\n' "${source/"$line"/"$mistake"}" >"$copy/$file"
    local run=(cargo test --quiet --locked --manifest-path "$copy/Cargo.toml")
    if [ "$target" = lib ]; then run+=(--lib); else run+=(--test it); fi
    if ! "${run[@]}" --no-run >"$copy/log" 2>&1; then
        verdict="does not compile"
    elif "${run[@]}" -- --exact "$test" >"$copy/log" 2>&1; then
        verdict="SURVIVES"
    else
        verdict="noticed"
    fi
    [ "$verdict" = noticed ] || survivors=$((survivors + 1))
    printf '%-16s %s: %s\n' "$requirement" "$test" "$verdict"
    cp "$file" "$copy/$file"
}

while IFS= read -r row; do
    case $row in
    '= '*) read -r requirement target test <<<"${row#= }" ;;
    '@ '*) file=${row#@ } ;;
    '- '*) line=${row#- } ;;
    '+ '*)
        case $requirement in
        "$wanted" | "$wanted"*) try "$requirement" "$target" "$test" "$file" "$line" "${row#+ }" ;;
        esac
        ;;
    esac
done <tests/mutants.txt

printf '%s mistakes, %s not noticed\n' "$count" "$survivors"
[ "$survivors" -eq 0 ]
