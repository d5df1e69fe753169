// Package units reads quantities as people write them, "112 mi", "12 imp gal",
// "1.234,5 kg", and converts them exactly to the units of the record's fields.
// Nothing is guessed: a number with two readings and a unit that differs by
// country are errors that name the readings.
package units
