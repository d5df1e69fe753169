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
