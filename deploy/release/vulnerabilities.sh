#!/usr/bin/env bash
# Looks for known vulnerabilities in what is shipped, and reports the date of the
# database.
#
#   vulnerabilities.sh PROGRAM...        what is linked into programs; a program without a symbol
#                                        table, as shipped (-s -w), by the modules in its build
#                                        information, whether or not the affected part is linked
#   vulnerabilities.sh                   the sources of the program with all services
#
#   VULNDB     file:///folder with a copy of the database, or https://…; the Go
#              project's own by default
#   REQUIRE    any value: no database, or one older than MAX_AGE_DAYS (30) or of the
#              future, or an incomplete one, with fewer than LEAST_ENTRIES (500) or
#              none of the standard library, is an error. Without REQUIRE, a missing
#              database is reported and nothing is checked.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=${GOVULNCHECK_VERSION:-v1.1.4}
db=${VULNDB:-https://vuln.go.dev}
unchecked() {
  echo "NOT checked for known vulnerabilities: $1"
  [ -z "${REQUIRE:-}" ] || exit 1
  exit 0
}

# part prints a part of the database.
part() {
  case $db in
    file://*) cat "${db#file://}/$1" 2>/dev/null ;;
    *) curl -fsS --max-time 60 "$db/$1" 2>/dev/null ;;
  esac
}
state=$(part index/db.json) || unchecked "there is no $db/index/db.json, or it cannot be reached"
modified=$(sed -n 's/.*"modified" *: *"\([^"]*\)".*/\1/p' <<<"$state" | head -1)
[ -n "$modified" ] || unchecked "$db does not say of when its data are"
age=$((($(date +%s) - $(date -d "$modified" +%s)) / 86400))
echo "known vulnerabilities, by data of $modified ($age days old) from $db"
if [ -n "${REQUIRE:-}" ]; then
  if [ "$age" -gt "${MAX_AGE_DAYS:-30}" ] || [ "$age" -lt 0 ]; then
    echo "the data are older than ${MAX_AGE_DAYS:-30} days, or of the future" >&2
    exit 1
  fi
  # Programs are looked up by their modules: without these nothing would ever be found.
  modules=$(part index/modules.json) || modules=
  entries=$(grep -o '"id" *: *"GO-[0-9]*-[0-9]*"' <<<"$modules" | sort -u | wc -l)
  if [ "$entries" -lt "${LEAST_ENTRIES:-500}" ] || ! grep -q '"path" *: *"stdlib"' <<<"$modules"; then
    echo "the data are not whole: $entries entries, and at least ${LEAST_ENTRIES:-500} are expected, some of them of stdlib" >&2
    exit 1
  fi
fi

# Built at its own version, independent of the workspace.
tool=$PWD/.cache/bin/govulncheck-$version
if [ ! -x "$tool" ]; then
  mkdir -p "${tool%/*}/vuln.new"
  GOWORK=off GOFLAGS='' GOBIN="${tool%/*}/vuln.new" go install "golang.org/x/vuln/cmd/govulncheck@$version"
  mv "${tool%/*}/vuln.new/govulncheck" "$tool"
fi
if [ $# -gt 0 ]; then
  for program in "$@"; do
    scan=symbol
    # Without symbols the tool would find no packages, and so nothing that affects them.
    if [ -z "$(go tool nm "$program" 2>/dev/null | head -c 1)" ]; then
      scan=module
      echo "$program has no symbol table: its modules are looked up. One may be named of which the affected part is not linked; without arguments the sources tell."
    fi
    "$tool" -db "$db" -mode binary -scan "$scan" "$program"
  done
else
  (cd services/standalone && GOWORK=off "$tool" -db "$db" ./...)
fi
