package footprint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// A field in another unit is dropped, and the fault or the notice explains how to send its number.
func TestAFieldInAnotherUnit(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"mode":"car","vehicles":1,"fuel":"petrol","distanceMiles":112}`: `"distanceMiles" is not a field here; distanceKm is in km; {"stated": {"distanceKm": "112 mi"}} takes mi.`,
		`{"mode":"car","vehicles":1,"fuel":"electric","distanceKm":5}`:    `battery_electric`,
	} {
		_, err := footprint.Decode("ground-transport", []byte(body), london)
		fault, ok := errors.AsType[*apperr.Error](err)
		if !ok || len(fault.Details) != 1 || !strings.Contains(fault.Details[0].Message+strings.Join(fault.Details[0].Suggestions, " "), want) {
			t.Errorf("%s: %+v, want %s", body, err, want)
		}
	}
	fault := func(body string) string {
		_, err := footprint.Decode("energy", []byte(body), london)
		if f, ok := errors.AsType[*apperr.Error](err); ok {
			return f.Details[len(f.Details)-1].Message
		}
		return ""
	}
	if got := fault(`{"source":"diesel","kVA":100,"hours":36}`); !strings.HasSuffix(got, `"kVA" is not a field here; did you mean generatorKVA?`) {
		t.Errorf("of a generator: %s", got)
	}
	d, err := footprint.Decode("ground-transport", []byte(`{"mode":"car","vehicles":1,"fuel":"petrol","volumeLitres":5,"volumeGallons":9}`), london)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range d.Notices {
		if n.Field == "volumeGallons" && len(n.Suggestions) > 0 && n.Suggestions[0] == "volumeLitres" {
			return
		}
	}
	t.Errorf("no notice of volumeGallons: %+v", d.Notices)
}
