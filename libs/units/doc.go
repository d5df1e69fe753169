// Package units parses quantities in common notations, "112 mi", "12 imp gal",
// "1.234,5 kg", and converts them exactly to the units of the record's fields.
// Nothing is guessed: an ambiguous number and a unit that differs by
// country are errors that list the interpretations.
package units
