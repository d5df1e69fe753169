package calculation

import (
	"hash"
	"strconv"

	"github.com/eventcarbon/ecf/libs/record"
)

// hashPart adds one value with its length, so that two lists of values never
// run together into the same bytes.
func hashPart(h hash.Hash, value string) {
	_, _ = h.Write(strconv.AppendInt(nil, int64(len(value)), 10))
	_, _ = h.Write([]byte{':'})
	_, _ = h.Write([]byte(value))
}

// hashRecord adds what of a record its contribution depends on. The revision
// is left out on purpose: a record that was reopened and approved unchanged
// gives the same inputs, and so the same hash.
func hashRecord(h hash.Hash, c record.Counted) {
	hashPart(h, string(c.ID))
	hashPart(h, c.Type)
	hashPart(h, string(c.Fields))
}
