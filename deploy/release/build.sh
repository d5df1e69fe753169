#!/usr/bin/env bash
# Builds the image of a service reproducibly for every platform; the flags say what
# to do with it.
#
#   build.sh SERVICE VERSION FLAG...
#
# The same commit gives the same image for a platform: times in it are those of the
# commit, and the base images are pinned by digest. The build attestation attached to
# an image differs each time.
set -euo pipefail
cd "$(dirname "$0")/../.."
service=$1 version=$2
shift 2
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
args=(--build-arg "SERVICE=$service")
[ "$service" != standalone ] || args+=(--build-arg PROGRAM=ecf --build-arg SOURCES=all)
docker buildx build -f deploy/Dockerfile "${args[@]}" \
  --build-arg "VERSION=$version" --build-arg "REVISION=$(git rev-parse HEAD)" --build-arg SOURCE_DATE_EPOCH \
  --platform linux/amd64,linux/arm64 --no-cache "$@" . >&2
