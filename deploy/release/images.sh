#!/usr/bin/env bash
# Builds the images for amd64 and arm64, pushes them with provenance and a bill
# of materials, and prints "SERVICE REGISTRY/NAME@DIGEST" for each.
#
#   images.sh REGISTRY VERSION
#
# The same commit gives the same digests: times in the image are those of the
# commit, and the base images are named by their digests.
set -euo pipefail
cd "$(dirname "$0")/../.."
registry=$1 version=$2
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
for service in gateway auth records review calculation standalone; do
  args=(--build-arg "SERVICE=$service")
  [ "$service" != standalone ] || args+=(--build-arg PROGRAM=ecf --build-arg SOURCES=all)
  meta=$(mktemp)
  docker buildx build -f deploy/Dockerfile "${args[@]}" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$(git rev-parse HEAD)" --build-arg SOURCE_DATE_EPOCH \
    --platform linux/amd64,linux/arm64 --provenance=mode=max --sbom=true --no-cache \
    --output "type=image,name=$registry/$service:$version,push=true,rewrite-timestamp=true" \
    --metadata-file "$meta" . >&2
  digest=$(sed -n 's/.*"containerimage.digest": *"\([^"]*\)".*/\1/p' "$meta")
  rm -f "$meta"
  echo "$service $registry/$service@$digest"
done
