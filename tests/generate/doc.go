// Package generate makes values from the schemas of an OpenAPI document: valid ones,
// ones that violate a single rule, and ones that no schema foresees. All randomness
// comes from the caller, so that a seed reproduces the values.
package generate
