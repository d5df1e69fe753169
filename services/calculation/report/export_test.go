package report

// Legible is legible, for tests.
var Legible = legible
