#!/usr/bin/env bash
# Rebuilds the images that images.sh has pushed, without pushing them, and fails if the
# image of a platform differs.
#
#   reproduce.sh VERSION <digests.txt
#
# Only the images are compared, not their attestations, which say when and where they
# were built. Needs crane; BUILDX_BUILDER should name a builder that has built none of
# them.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1 status=0 count=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while read -r service image; do
  deploy/release/build.sh "$service" "$version" --provenance=false --sbom=false \
    --output "type=oci,dest=$work/layout,tar=false,rewrite-timestamp=true" </dev/null
  built=$(go run ./tests/cmd/platforms -layout "$work/layout")
  crane manifest "$image" </dev/null >"$work/index"
  pushed=$(go run ./tests/cmd/platforms <"$work/index")
  if [ "$built" != "$pushed" ]; then
    printf '%s is another image when it is built again:\n%s\nin place of\n%s\n' "$service" "$built" "$pushed" >&2
    status=1
  fi
  rm -rf "$work/layout"
  count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "reproduce.sh: there are no images on standard input" >&2; exit 1; }
exit $status
