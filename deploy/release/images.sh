#!/usr/bin/env bash
# Builds the images, pushes them with their build attestation, and prints
# "SERVICE REGISTRY/NAME@DIGEST" for each.
#
#   images.sh REGISTRY VERSION
set -euo pipefail
cd "$(dirname "$0")"
registry=$1 version=$2
for service in gateway auth records review calculation standalone; do
  meta=$(mktemp)
  # The bill of materials is that of attest.sh: it has what the program says of itself.
  ./build.sh "$service" "$version" --provenance=mode=max,version=v1 --sbom=false --metadata-file "$meta" \
    --output "type=image,name=$registry/$service:$version,push=true,oci-mediatypes=true,rewrite-timestamp=true"
  digest=$(sed -n 's/.*"containerimage.digest": *"\([^"]*\)".*/\1/p' "$meta")
  rm -f "$meta"
  [ -n "$digest" ] || { echo "images.sh: the image of $service has no digest" >&2; exit 1; }
  echo "$service $registry/$service@$digest"
done
