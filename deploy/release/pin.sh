#!/usr/bin/env bash
# Writes k8s/components/release, which pins every image by digest, from
# lines "SERVICE REGISTRY/NAME@sha256:…" on standard input.
#
#   pin.sh <digests.txt
set -euo pipefail
cd "$(dirname "$0")/../.."
file=k8s/components/release/kustomization.yaml
out=$(mktemp)
trap 'rm -f "$out"' EXIT
cat >"$out" <<'HEAD'
# The images of this release, by digest. Written by deploy/release/pin.sh.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
HEAD
declare -A seen=()
while read -r service image rest; do
  name=${image%@*} digest=${image#*@}
  if [ -n "$rest" ] || [[ ! $digest =~ ^sha256:[0-9a-f]{64}$ ]] || [ "$name" = "$image" ]; then
    echo "pin.sh: not \"SERVICE IMAGE@sha256:…\": $service $image $rest" >&2
    exit 1
  fi
  seen[$service]=1
  printf '  - name: ecf/%s\n    newName: %s\n    digest: %s\n' "$service" "$name" "$digest" >>"$out"
done
for service in gateway auth records review calculation standalone; do
  [ -n "${seen[$service]:-}" ] || { echo "pin.sh: there is no image of $service" >&2; exit 1; }
done
cp "$out" "$file"
