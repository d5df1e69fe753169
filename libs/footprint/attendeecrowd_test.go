package footprint_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAttendeeTravelOfManyTowns calculates as many different origins as a file may have: equal lines of a row are
// merged before their moments are calculated, so that it takes seconds, and no line is lost.
func TestAttendeeTravelOfManyTowns(t *testing.T) {
	t.Parallel()
	packed, _ := places.Index()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Data struct{ Items []places.Entry }
	}
	if err := json.NewDecoder(z).Decode(&index); err != nil {
		t.Fatal(err)
	}
	most := 300
	if testkit.Long(t) {
		most = footprint.MaxOrigins
	}
	ev := travelContext(t, "Brighton, GB")
	var rows []json.RawMessage
	for _, e := range index.Data.Items {
		text, err := json.Marshal(map[string]any{"place": e.Name, "country": e.Country, "people": 3})
		if err != nil {
			t.Fatal(err)
		}
		if footprint.CheckOrigin(text, ev) != nil {
			continue // a name of several towns
		}
		if rows = append(rows, text); len(rows) == most {
			break
		}
	}
	body, err := footprint.OriginsBody("", rows)
	if err != nil {
		t.Fatal(err)
	}
	d := decodeTravel(t, footprint.AttendeeTravel, string(body), ev)
	p := total.PreviewOf(&d.Evaluation, ev.FactorSet)
	if len(d.Evaluation.Lines) < 4*len(rows) || p.Low.Cmp(p.KgCO2e) >= 0 || p.High.Cmp(p.KgCO2e) <= 0 {
		t.Errorf("%d rows have %d lines: %s (%s-%s)", len(rows), len(d.Evaluation.Lines), p.KgCO2e.Kilograms(), p.Low.Kilograms(), p.High.Kilograms())
	}
	t.Logf("%d rows, %d lines, %d bytes stored", len(rows), len(d.Evaluation.Lines), len(d.Fields))
}
