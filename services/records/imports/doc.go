// Package imports processes uploaded files: it validates all rows of a file, and then creates
// a record from each, in any process and across crashes. Receiving a file over HTTP, and the
// moves of all records of an import, are in package records.
package imports
