// Package places resolves towns from free text ("Brighton, GB",
// "München", "BS1 4DJ"), and has the data of a journey between two towns in addition
// to the great circle: detour factors by mode, the airport used from a
// town, and typical origins by country.
//
// An ambiguous name is never resolved: [Find] returns an
// [AmbiguousError] with the candidates. The tables are embedded and decoded on
// first use; a process that looks nothing up does not pay for them.
package places

//go:generate go run ./internal/generate
//go:generate go run ./internal/packindex
