#!/usr/bin/env bash
# Prints the section of CHANGELOG.md about a version; fails if there is none.
set -euo pipefail
cd "$(dirname "$0")/../.."
notes=$(awk -v v="## $1" 'index($0, v) == 1 && (length($0) == length(v) || substr($0, length(v) + 1, 1) == " ") {on = 1; next} /^## / {on = 0} on' CHANGELOG.md)
[ -n "${notes//[$'\n ']/}" ] || { echo "CHANGELOG.md says nothing about $1" >&2; exit 1; }
printf '%s\n' "$notes"
