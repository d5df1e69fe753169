//go:build tools

// Package keda lists the programs of KEDA that `make test-k8s` builds, at an exact
// version, from the Go module proxy.
package keda

import (
	_ "github.com/kedacore/keda/v2/cmd/adapter"
	_ "github.com/kedacore/keda/v2/cmd/operator"
)
