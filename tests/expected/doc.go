// Package expected calculates the footprint of the example event in
// examples/london-conference without the product: it imports no code of the service, so
// that it cannot repeat an error of the engine.
//
// It is a spreadsheet in the form of a program. A person decided for each record which
// published figure applies and by what quantity it is multiplied; those decisions are
// assignments.csv. The program only does what a spreadsheet does: look up the figure in
// the published tables, multiply, round each line once (half to even, to whole
// milligrams, the sixth decimal of a kilogram), and add. The outcome is committed next
// to the example as expected.csv.
package expected
