#!/usr/bin/env bash
# Writes the licences and notices of all modules that a program links, which their licences require to accompany it:
#
#   notices.sh PACKAGE    in the folder of its module
#
# A package below the root of its module can have a licence of its own. A module without one is an error. Where the
# program has the console, the notices of what that contains follow.
set -euo pipefail
[ $# = 1 ] || { echo "usage: notices.sh PACKAGE" >&2; exit 2; }
line=$(printf '%80s' '' | tr ' ' -)

# texts DIRECTORY writes the licence files in it.
texts() {
  find "$1" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'patents*' \) ! -name '*.go' |
    LC_ALL=C sort | while read -r file; do printf '\n'; tr -d '\r' <"$file"; done
}

version=$(go env GOVERSION)
printf 'Go %s\n' "${version#go}"
texts "$(go env GOROOT)"
# Each package with its module: path and version, folder of the module, folder of the package.
go list -deps -f '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}|{{.Dir}}|{{$.Dir}}{{end}}{{end}}' "$1" |
  { grep -v '^github.com/eventcarbon/ecf/' || true; } |
  while IFS='|' read -r module root dir; do
    while :; do
      echo "$module|$root|$dir"
      [ "$dir" != "$root" ] || break
      dir=$(dirname "$dir")
    done
  done | LC_ALL=C sort -u | {
  before='' missing=''
  while IFS='|' read -r module root dir; do
    text=$(texts "$dir")
    if [ "$module" != "$before" ]; then
      [ -n "$text" ] || missing="$missing $module"
      before=$module
      printf '\n%s\n\n%s\n' "$line" "$module"
    fi
    [ -z "$text" ] || printf '%s\n' "$text"
  done
  [ -z "$missing" ] || { echo "notices.sh: there is no licence of$missing" >&2; exit 1; }
}
console=$(go list -deps -f '{{if eq .ImportPath "github.com/eventcarbon/ecf/services/gateway/console"}}{{.Dir}}{{end}}' "$1")
[ -z "$console" ] || { printf '\n%s\n\n' "$line"; cat "$console/src/notices.txt"; }
