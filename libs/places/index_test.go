package places_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/places"
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
	// The text for clients resolves to the town, except for the few whose region has several.
	twice := 0
	for _, e := range items {
		text := e.Text
		if text == "" {
			text = e.Name + ", " + e.Country
		}
		found, err := places.Find(text, "DE")
		_, open := errors.AsType[*places.AmbiguousError](err)
		sameRegion := found.Region == e.Region && found.Country == e.Country
		if open && e.Text != "" || found.ID != e.ID && sameRegion {
			twice++
		} else if err != nil || found.ID != e.ID {
			t.Errorf("%s finds %v, %v", text, found.Place, err)
		}
	}
	if twice > len(items)/50 {
		t.Errorf("%d of %d towns cannot be named", twice, len(items))
	}
}
