package record_test

import (
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestShows: the number of JSON that a client has read is the figure, however it is written.
func TestShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown, seen string
		want        bool
	}{
		{"1569.434689", "1569.434689", true},
		{"208.000000", "208", true},
		{"0.000000", "0", true},
		{"0.000001", "1e-6", true},
		{"123456789012.345678", "123456789012.34568", true}, // as JavaScript writes it
		{"1569.434689", "1569.434688", false},
		{"0.000001", "0", false},
	} {
		seen, err := decimal.Parse(c.seen)
		if err != nil {
			t.Fatal(err)
		}
		r := record.Record{Preview: json.RawMessage(`{"kgCO2e":` + c.shown + `,"low":1}`)}
		if got := r.Shows(seen); got != c.want {
			t.Errorf("%s shows %s: %v, want %v", c.shown, c.seen, got, c.want)
		}
	}
	if (record.Record{}).Shows(decimal.Decimal{}) {
		t.Error("a record without a figure shows 0")
	}
}
