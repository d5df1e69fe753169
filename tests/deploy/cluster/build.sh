#!/usr/bin/env bash
# Builds etcd, the API server, the controllers and kubectl of Kubernetes, KEDA and
# kube-score into a folder, and fetches the definitions of the kinds that operators add.
# Existing files are kept. A first run takes half an hour on two cores, most of it KEDA.
#
#   build.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")"
out=$1
mkdir -p "$out/crds"
version=$(sed -n 's/^.*k8s.io\/kubernetes \(v[0-9.]*\)$/\1/p' go.mod | head -1)
minor=${version#v1.}
stamp="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  stamp+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*} -X $package.gitTreeState=clean"
done
build() { # NAME PACKAGE [FOLDER OF ITS MODULE]
  [ -x "$out/$1" ] && return
  echo "building $1"
  (cd "${3:-.}" && GOWORK=off CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath -ldflags "$stamp" -o "$out/$1" "$2")
}
build etcd go.etcd.io/etcd/server/v3
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
command -v kubectl >/dev/null || build kubectl k8s.io/kubernetes/cmd/kubectl
build keda-operator github.com/kedacore/keda/v2/cmd/operator ../keda
build keda-adapter github.com/kedacore/keda/v2/cmd/adapter ../keda
if [ ! -x "$out/kube-score" ]; then
  echo "building kube-score"
  GOWORK=off GOFLAGS=-buildvcs=false GOBIN="$out" go install github.com/zegl/kube-score/cmd/kube-score@v1.20.0
fi

crd() { # NAME MODULE@VERSION FILE...
  [ -e "$out/crds/$1.yaml" ] && return
  echo "fetching the definitions of $1"
  local dir
  dir=$(GOWORK=off GOFLAGS=-mod=mod go mod download -json "$2" | sed -n 's/^.*"Dir": "\(.*\)",*$/\1/p')
  (cd "$dir" && for file in "${@:3}"; do echo "---"; cat "$file"; done) >"$out/crds/$1.new"
  mv "$out/crds/$1.new" "$out/crds/$1.yaml"
}
crd gateway-api sigs.k8s.io/gateway-api@v1.6.3 config/crd/standard/gateway.networking.k8s.io_httproutes.yaml
keda=$(sed -n 's/^.*\(github.com\/kedacore\/keda\/v2\) \(v[0-9.]*\)$/\1@\2/p' ../keda/go.mod | head -1)
crd keda "$keda" config/crd/bases/keda.sh_{scaledobjects,scaledjobs,triggerauthentications,clustertriggerauthentications}.yaml \
  config/crd/bases/eventing.keda.sh_{cloudeventsources,clustercloudeventsources}.yaml
crd prometheus github.com/prometheus-operator/prometheus-operator@v0.82.2 \
  example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml
