package wordlist_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// TestLists: a list has its words as they are normalized, and is found by the type that it is for.
func TestLists(t *testing.T) {
	t.Parallel()
	const night = wordlist.List("several.night")
	if all := night.All(); !slices.Contains(all, "nights") || !night.Has("nights") || night.Has("Nights") || !night.HasAny([]string{"x", "nights"}) || night.HasAny([]string{"x"}) {
		t.Errorf("%q", all)
	}
	if of := wordlist.OfType("several", "night"); of != night {
		t.Errorf("%q", of)
	}
	if none := wordlist.OfType("several", "nothing"); none.Has("nights") || none.All() != nil {
		t.Errorf("%q", none)
	}
}
