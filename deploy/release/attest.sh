#!/usr/bin/env bash
# Signs the images that images.sh has pushed, and attests for each platform the contents
# of its program and how it was built; then verifies all of it, as a cluster does before
# it runs an image. Leaves SERVICE-ARCHITECTURE.cdx.json in the root of the repository.
#
#   attest.sh VERSION IDENTITY <digests.txt
#
# IDENTITY is the workflow that signs. Needs crane, cosign and docker buildx.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1 identity=$2 count=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
by=(--certificate-oidc-issuer https://token.actions.githubusercontent.com --certificate-identity "$identity")
while read -r service image; do
  crane manifest "$image" </dev/null >"$work/index"
  go run ./tests/cmd/platforms <"$work/index" >"$work/platforms"
  while read -r platform digest; do
    of=${image%@*}@$digest bill=$service-${platform#*/}.cdx.json
    # The bill is of the program that is in the image, not of one like it.
    crane export "$of" - </dev/null | tar -xO app >"$work/app"
    go run ./tests/cmd/sbom -name "ecf/$service" -version "$version" "$work/app" </dev/null >"$bill"
    docker buildx imagetools inspect "$image" --format "{{ json (index .Provenance \"$platform\").SLSA }}" </dev/null >"$work/provenance.json"
    grep -q '"buildDefinition"' "$work/provenance.json" ||
      { echo "attest.sh: $image does not say how it was built for $platform" >&2; exit 1; }
    # Of the platform's image, and of the index that manifests name.
    for subject in "$of" "$image"; do
      cosign attest --yes --type cyclonedx --predicate "$bill" "$subject" </dev/null
      cosign attest --yes --type slsaprovenance1 --predicate "$work/provenance.json" "$subject" </dev/null
    done
  done <"$work/platforms"
  cosign sign --yes --recursive "$image" </dev/null
  cosign verify "$image" "${by[@]}" </dev/null >/dev/null
  while read -r platform digest; do
    for type in cyclonedx slsaprovenance1; do
      cosign verify-attestation --type "$type" "${image%@*}@$digest" "${by[@]}" </dev/null >/dev/null
    done
  done <"$work/platforms"
  count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "attest.sh: there are no images on standard input" >&2; exit 1; }
