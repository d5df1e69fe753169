// Package factors contains the emission factor sets. A set is a versioned,
// embedded table of one edition. A published set never changes, because
// results name it and must be reproducible bit for bit. Its checksum is part
// of its identity.
//
// A blank cell of the source means "not published" and never 0. Figures are exact
// decimals in kg CO2e per unit; gas columns are kg CO2e too, not kg of gas.
package factors

//go:generate go run ./internal/generate
