// Package generate makes values from the schemas of an OpenAPI document: good
// ones, ones that break a single rule, and ones that no schema foresees. All
// randomness is the caller's, so that a seed gives the same values again.
package generate
