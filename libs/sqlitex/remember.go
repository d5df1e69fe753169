package sqlitex

// Remember stores a number for the writes that follow in the same transaction, such as one that they would otherwise
// each find by a query. It is forgotten at the end of the transaction, and when a write is undone. A write that
// changes what the number follows from must store the new one.
func Remember(tx Tx, key any, n int64) {
	if w, ok := tx.(*writer); ok {
		w.remembered[key] = n
	}
}

// Remembered returns a number that this or an earlier write of the same transaction has stored.
func Remembered(tx Tx, key any) (n int64, ok bool) {
	if w, isWriter := tx.(*writer); isWriter {
		n, ok = w.remembered[key]
	}
	return n, ok
}
