// Package expected calculates the footprint of the example event in
// examples/london-conference independently of the product: no code of the
// service is imported, so that an error of the engine cannot repeat itself here.
//
// It is a spreadsheet in the form of a program. A person decided for each
// record which published figure applies and by what quantity it is multiplied;
// those decisions are assignments.csv. The code only does what a spreadsheet does:
// look the figure up in the published tables, multiply, round each line once
// (half to even, to whole milligrams, the sixth decimal of a kilogram), add.
// The outcome is committed with the example as expected.csv.
package expected
