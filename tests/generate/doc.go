// Package generate generates values from the schemas of an OpenAPI document: valid
// ones, ones that violate a single rule, and ones outside every schema. All
// randomness is provided by the caller, so that a seed reproduces the values.
package generate
