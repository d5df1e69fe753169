#!/usr/bin/env bash
# Looks for known vulnerabilities in what is shipped, and says how old the data
# is that it looked them up in.
#
#   vulnerabilities.sh PROGRAM...        what the compiler wrote into programs
#   vulnerabilities.sh                   the sources of the program that holds all
#
#   VULNDB     file:///folder with a copy of the database, or https://…; the Go
#              project's own when not set
#   REQUIRE    any value: no database, or one older than MAX_AGE_DAYS (30), is an
#              error. Without it, it is said and nothing is checked.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=${GOVULNCHECK_VERSION:-v1.1.4}
db=${VULNDB:-https://vuln.go.dev}
unchecked() {
  echo "NOT checked for known vulnerabilities: $1"
  [ -z "${REQUIRE:-}" ] || exit 1
  exit 0
}

case $db in
  file://*)
    index=${db#file://}/index/db.json
    [ -r "$index" ] || unchecked "there is no $index"
    state=$(cat "$index") ;;
  *)
    state=$(curl -fsS --max-time 20 "$db/index/db.json" 2>/dev/null) || unchecked "$db cannot be reached" ;;
esac
modified=$(sed -n 's/.*"modified" *: *"\([^"]*\)".*/\1/p' <<<"$state" | head -1)
[ -n "$modified" ] || unchecked "$db does not say of when its data are"
age=$((($(date +%s) - $(date -d "$modified" +%s)) / 86400))
echo "known vulnerabilities, by data of $modified ($age days old) from $db"
if [ -n "${REQUIRE:-}" ] && [ "$age" -gt "${MAX_AGE_DAYS:-30}" ]; then
  echo "the data are older than ${MAX_AGE_DAYS:-30} days" >&2
  exit 1
fi

# A proper program of its own version, whatever workspace this is run in.
tool=$PWD/.cache/bin/govulncheck-$version
if [ ! -x "$tool" ]; then
  mkdir -p "${tool%/*}/vuln.new"
  GOWORK=off GOFLAGS='' GOBIN="${tool%/*}/vuln.new" go install "golang.org/x/vuln/cmd/govulncheck@$version"
  mv "${tool%/*}/vuln.new/govulncheck" "$tool"
fi
if [ $# -gt 0 ]; then
  for program in "$@"; do "$tool" -db "$db" -mode binary "$program"; done
else
  (cd services/standalone && GOWORK=off "$tool" -db "$db" ./...)
fi
