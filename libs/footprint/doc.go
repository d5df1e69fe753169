// Package footprint calculates the contribution of a carbon-source record to the
// footprint of its event. It is pure: the same input, event context and factor
// set give the same result on every platform, to the last digit.
//
// docs/methodology.md explains the method; it is generated from this package and the
// tables, and must be regenerated when they change.
package footprint

//go:generate go test ./internal/methodology -run ^TestDocument$ -update
