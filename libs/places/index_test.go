package places_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	body, etag := places.Index()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Success bool
		Data    struct{ Items []places.Entry }
	}
	if err := json.NewDecoder(z).Decode(&answer); err != nil || !answer.Success {
		t.Fatal(answer.Success, err)
	}
	items := answer.Data.Items
	if len(items) < 20_000 || len(body) > 1_500_000 || len(etag) != 34 {
		t.Errorf("%d entries in %d bytes, %s", len(items), len(body), etag)
	}
	step := 200
	if testkit.Long(t) {
		step = 1
	}
	for i := 0; i < len(items); i += step {
		e := items[i]
		text := e.Text
		if text == "" {
			text = e.Name + ", " + e.Country
		}
		if found, err := places.Find(text, ""); err == nil && found.Country != e.Country || e.ID == 0 {
			t.Errorf("entry %d, %+v: %v, %v", i, e, found, err)
		}
	}
}
