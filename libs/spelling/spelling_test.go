package spelling_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/spelling"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"roundTrip", "trips", "passengers", "class"}
	for word, want := range map[string]string{"roundtrip": "roundTrip", "trip": "trips", "pasengers": "passengers", "Class": "class", "clas": "class"} {
		if got := spelling.Nearest(word, names, 1); len(got) != 1 || got[0] != want {
			t.Errorf("Nearest(%s) = %v, want %s", word, got, want)
		}
	}
	if got := spelling.Nearest("colour", names, 3); len(got) != 0 {
		t.Errorf("Nearest(colour) = %v, want nothing", got)
	}
}

func TestRelated(t *testing.T) {
	t.Parallel()
	names := []string{"source", "generatorKVA", "distanceKm", "hours", "container", "battery_electric", "hybrid", "plug_in_hybrid", "on", "roundTrip"}
	for word, want := range map[string]string{
		"kVA": "generatorKVA", "KVA": "generatorKVA", "distanceMiles": "distanceKm", "containerSize": "container",
		"electric": "battery_electric", "hybrid": "hybrid", "hibrid": "hybrid", "on": "on", "trip": "roundTrip",
	} {
		if got := spelling.Related(word, names, 1); len(got) != 1 || got[0] != want {
			t.Errorf("Related(%s) = %v, want %s", word, got, want)
		}
	}
	for _, word := range []string{"", "_", "colour", "off", "onward"} {
		if got := spelling.Related(word, names, 3); len(got) != 0 {
			t.Errorf("Related(%s) = %v, want nothing", word, got)
		}
	}
	if got := spelling.Related("hybrid", names, 3); len(got) != 2 {
		t.Errorf("Related(hybrid) = %v, want both", got)
	}
}
