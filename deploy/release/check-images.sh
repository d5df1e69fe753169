#!/usr/bin/env bash
# Compares the digests in compose file, manifests, Dockerfile and workflow with what the
# registries answer for the tags beside them, and fails where one is not held.
# Needs crane (github.com/google/go-containerregistry/cmd/crane).
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0
while read -r image; do
  tag=${image%@*} digest=${image#*@}
  if ! crane digest "${tag%:*}@$digest" >/dev/null; then
    echo "$image is not held by its registry" >&2
    status=1
  elif [ "$(crane digest "$tag")" != "$digest" ]; then
    echo "note: $tag has moved on from $digest"
  fi
done < <(grep -rhoE '[a-z0-9./-]+:[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}' docker-compose.yml k8s deploy/Dockerfile .github/workflows | sort -u)
exit $status
