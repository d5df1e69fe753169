package record

// storedOverhead is what an engine stores of a record, or of an entry of a history, beside what its size depends on:
// ids, names, times, hashes and keys of indexes (docs/benchmarks/stored.tsv).
const storedOverhead = 1 << 10

// StoredBytes returns about how many bytes a new record takes in an engine, with the entry of its history, and with
// what a result keeps of it.
func (r Record) StoredBytes() int64 {
	return storedOverhead + int64(len(r.Fields)+len(r.Preview)+len(r.Contribution)+len(r.Reference)) + r.EntryBytes()
}

// EntryBytes returns about how many bytes a change of a record adds to an engine: the entry of its history, whose
// comment is also in the record and in the causes of a result.
func (r Record) EntryBytes() int64 { return storedOverhead + 3*int64(len(r.Last.Comment)) }
