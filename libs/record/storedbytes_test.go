package record_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestStoredBytes verifies that everything of a record whose length its sender decides counts, and the comment of a change
// once for each place that has it: the record, its history and the causes of a result.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	const n = 5000
	text := strings.Repeat("x", n)
	bare := record.Record{}.StoredBytes()
	if bare < 2<<10 {
		t.Errorf("an empty record stores %d bytes, want at least those of its ids, hashes and index keys", bare)
	}
	for name, r := range map[string]record.Record{
		"fields":       {Fields: json.RawMessage(text)},
		"preview":      {Preview: json.RawMessage(text)},
		"contribution": {Contribution: json.RawMessage(text)},
		"reference":    {Reference: text},
	} {
		if got := r.StoredBytes() - bare; got != n {
			t.Errorf("%d bytes of %s store %d", n, name, got)
		}
	}
	commented := record.Record{Last: record.Entry{Comment: text}}
	if got := commented.EntryBytes() - (record.Record{}).EntryBytes(); got != 3*n {
		t.Errorf("a comment of %d bytes stores %d, want %d", n, got, 3*n)
	}
	if got := commented.StoredBytes() - bare; got != 3*n {
		t.Errorf("a comment of %d bytes with a new record stores %d, want %d", n, got, 3*n)
	}
}
