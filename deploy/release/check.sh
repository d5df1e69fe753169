#!/usr/bin/env bash
# Fails, with a sentence for each reason, if a version cannot be released from these
# sources.
#
#   check.sh X.Y.Z
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1:-} status=0
refuse() {
  echo "$1" >&2
  status=1
}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "\"$version\" is no version X.Y.Z"
deploy/release/notes.sh "$version" >/dev/null || status=1
read -r newest before < <(sed -nE 's/^## ([0-9]+\.[0-9]+\.[0-9]+)( .*)?$/\1/p' CHANGELOG.md | head -2 | xargs) || true
if grep -q '^## Unreleased' CHANGELOG.md; then
  refuse "CHANGELOG.md has unreleased changes"
elif [ "$newest" != "$version" ]; then
  refuse "the newest version of CHANGELOG.md is $newest"
elif [ -n "${before:-}" ] && [ "$(printf '%s\n' "$before" "$version" | sort -V | tail -1)" != "$version" -o "$before" = "$version" ]; then
  refuse "$version does not come after $before"
fi
tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" 2>/dev/null) || tagged=
if [ -n "$tagged" ] && [ "$tagged" != "$(git rev-parse HEAD)" ]; then
  refuse "v$version is the tag of another commit, $tagged"
fi
# The published document must be the reference for later ones.
spec=libs/spec/openapi.yaml
document=$(sed -n 's/^  version: //p' $spec | head -1)
cmp -s $spec "libs/spec/released/openapi-$document.yaml" ||
  refuse "libs/spec/released holds another document $document: raise info.version in $spec and run make release-spec"
exit $status
