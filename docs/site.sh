#!/usr/bin/env bash
# Builds the documentation as a site with search. Needs mdbook: cargo install mdbook
#
# usage: docs/site.sh [<directory of the site>]
#
# The pages link to each other as they do in the repository, so they keep their places.
set -eu
site=$(realpath -m "${1:-$(dirname "$0")/../target/site}")
cd "$(dirname "$0")/.."

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
cp -R README.md CONTRIBUTING.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT docs examples hooks "$pages"
mkdir -p "$pages/tests/clients/claude"
cp tests/clients/claude/README.md "$pages/tests/clients/claude"
mv "$pages/docs/site/book.toml" "$pages"
while IFS= read -r line; do
    printf '%s\n' "$line"
    if [ "$line" = "- [Decisions](docs/decisions/README.md)" ]; then
        for page in docs/decisions/0*.md; do
            printf '  - [%s](%s)\n' "$(sed -n '1s/^# *//p' "$page")" "$page"
        done
    fi
done <docs/site/SUMMARY.md >"$pages/SUMMARY.md"
mdbook build --dest-dir "$site" "$pages"
