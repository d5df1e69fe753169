package spelling_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spelling"
	"github.com/eventcarbon/ecf/libs/testkit"
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

// TestCandidatesAreNotCopied: a request may misspell hundreds of words, and each is compared
// with thousands of names. It is alone: what others allocate would be counted.
func TestCandidatesAreNotCopied(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("somewhere %d", i))
	}
	if made := testing.AllocsPerRun(10, func() { spelling.Nearest("somewhat", names, 3) }); made > 50 {
		t.Errorf("%.0f allocations for %d candidates", made, len(names))
	}
}

// TestNothingNearIsMissed compares the shortcut by letters with all possible errors.
func TestNothingNearIsMissed(t *testing.T) {
	t.Parallel()
	const letters = "abcüß"
	alphabet := []rune(letters)
	rng := testkit.Rand(t)
	word := func() string {
		out := make([]rune, 1+rng.IntN(7))
		for i := range out {
			out[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(out)
	}
	for range 20_000 {
		a, b := word(), word()
		near := slips([]rune(a), []rune(b)) <= max(len(b)/3, 1) || len(a) >= 3 && (strings.HasPrefix(b, a) || strings.HasPrefix(a, b) && len(b) >= 3)
		if got := spelling.Nearest(a, []string{b}, 1); len(got) == 1 != near {
			t.Fatalf("Nearest(%s) = %v of %s, whose distance is %d", a, got, b, slips([]rune(a), []rune(b)))
		}
	}
}

// slips counts the letters to insert, delete, replace or swap, one way after the other.
func slips(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return slips(a[1:], b[1:])
	}
	least := 1 + min(slips(a[1:], b), slips(a, b[1:]), slips(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, 1+slips(a[2:], b[2:]))
	}
	return least
}

// TestNearestCountsSlips: what is cut short is still the same distance.
func TestNearestCountsSlips(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, name string
		near       bool
	}{
		{"abcdef", "abcdfe", true}, {"badcfe", "abcdef", false}, {"bacdfe", "abcdef", true}, {"abxyef", "abcdef", true},
		{"axyzef", "abcdef", false}, {"cdef", "abcdef", true}, {"def", "abcdef", false}, {"zürich", "zurich", true}, {"xyz", "a", false},
	} {
		if got := spelling.Nearest(c.word, []string{c.name}, 1); (len(got) == 1) != c.near {
			t.Errorf("Nearest(%s, %s) = %v", c.word, c.name, got)
		}
	}
}
