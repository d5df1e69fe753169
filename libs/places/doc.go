// Package places finds towns by what people write for them ("Brighton, GB",
// "München", "BS1 4DJ"), and holds what a journey between two towns needs
// beside the great circle: detour factors by mode, the airport that people of a
// town use, and typical origins by country.
//
// A name that may mean several towns is never decided: [Find] returns an
// [AmbiguousError] with the candidates. The tables are embedded and read at the
// first use; a process that looks nothing up does not pay for them.
package places

//go:generate go run ./internal/generate
//go:generate go run ./internal/packindex
