// Package footprint calculates what a carbon-source record contributes to the
// footprint of its event. It is pure: the same input, event context and factor
// set give the same answer on every platform, to the last digit.
//
// docs/methodology.md explains the method; it is made from this package and the
// tables, and must be made again when they change.
package footprint

//go:generate go test ./internal/methodology -run ^TestDocument$ -update
