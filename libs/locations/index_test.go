package locations_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/locations"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	body, etag := locations.Index()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Success bool
		Data    struct{ Items []locations.Entry }
	}
	if err := json.NewDecoder(z).Decode(&answer); err != nil || !answer.Success {
		t.Fatal(answer.Success, err)
	}
	items := answer.Data.Items
	if !slices.Equal(items, locations.Entries()) || len(items) < 5459 || len(body) > 250_000 {
		t.Errorf("%d entries in %d bytes", len(items), len(body))
	}
	seen := make(map[string]bool, len(items))
	for i, e := range items {
		l, ok := locations.Resolve(e.Code)
		if seen[e.Code] || !ok || l.Country != e.Country || l.Name != e.Name || l.Approximate != (e.Kind == "city") || i > 0 && items[i-1].Code >= e.Code {
			t.Errorf("%+v is %+v", e, l)
		}
		seen[e.Code] = true
		if e.ICAO != "" {
			if l, ok := locations.Resolve(e.ICAO); !ok || l.Airport != e.Code {
				t.Errorf("%s is %+v", e.ICAO, l)
			}
		}
	}
	for _, c := range locations.Cities() {
		if !seen[c.Code] {
			t.Errorf("%s is missing", c.Code)
		}
	}
	// Pinned, since clients keep it: it moves only with the table of places.
	if want := `"20bfc9c1540d02c82fedc3c8c57d85fe"`; etag != want {
		t.Errorf("the entity tag is %s, pinned %s", etag, want)
	}
	again, same := locations.Index()
	if !bytes.Equal(body, again) || same != etag {
		t.Error("the index moved")
	}
}

func TestLocationJSON(t *testing.T) {
	t.Parallel()
	l, _ := locations.Resolve("lon")
	got, err := json.Marshal(l)
	const want = `{"code":"LON","airport":"LHR","icao":"EGLL","name":"London","city":"London","country":"GB","latitude":51.470748,"longitude":-0.459909,"approximate":true,"large":true}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
