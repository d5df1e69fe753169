#!/usr/bin/env bash
# Creates an event and reads its footprint with curl. ECF_URL is the address of the
# server; ECF_EMAIL and ECF_PASSWORD are the login of a manager.
set -euo pipefail
api="${ECF_URL:-http://127.0.0.1:8080}/api/v2"

# first FIELD prints the first string or number of that name in a response. (With jq,
# use `jq -r .data._id` instead.)
first() { grep -o "\"$1\":[^,}]*" | sed -n '1{s/^[^:]*://;s/"//g;p}'; }

# An error ends the script, and its body says why. Retries are safe: a POST has an
# Idempotency-Key, and curl respects Retry-After.
request() {
  curl -sS --fail-with-body --retry 5 --retry-connrefused "$@" \
    -H "Authorization: Bearer $token" -H 'Content-Type: application/json'
}
post() { request -X POST -H "Idempotency-Key: $RANDOM$RANDOM$RANDOM-$SECONDS" "$api$1" -d "${2:-}"; }

token=$(curl -sS --fail-with-body "$api/auth/login" -H 'Content-Type: application/json' \
  -d "{\"email\":\"$ECF_EMAIL\",\"password\":\"$ECF_PASSWORD\"}" | first accessToken)

event=$(post /events '{"title":"Team meeting","country":"GB","attendees":12}' | first _id)
flight=$(post "/events/$event/flights" '{"from":"LHR","to":"JFK","class":"economy","passengers":2,"roundTrip":true}' | first _id)
post "/events/$event/flights/$flight/submit" >/dev/null
post "/events/$event/flights/$flight/approve" >/dev/null

# The result follows shortly after the approval: 404 until there is one,
# "recalculating" while it is not current.
for _ in $(seq 100); do
  result=$(curl -sS "$api/events/$event/results" -H "Authorization: Bearer $token")
  if [ "$(first status <<<"$result")" = current ]; then
    echo "$(first kgCO2e <<<"${result#*\"total\"}") kg CO2e"
    exit
  fi
  sleep 0.2
done
echo "no result: $result" >&2
exit 1
