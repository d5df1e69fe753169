package factors_test

import (
	"strconv"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
)

// TestTitles: a set is called by what was published, not by its id.
func TestTitles(t *testing.T) {
	t.Parallel()
	for _, s := range factors.Sets() {
		if want := "UK Government GHG conversion factors " + strconv.Itoa(s.Year) + " (DESNZ)"; s.Title() != want {
			t.Errorf("%s is called %q, not %q", s.ID, s.Title(), want)
		}
	}
	for _, c := range []struct {
		set  factors.Set
		want string
	}{
		{factors.Set{ID: "alpine-2027-v1", Year: 2027}, "alpine-2027-v1"},
		{factors.Set{ID: "alpine-2027-v1", Year: 2027, Pack: &factors.Pack{Title: "Alpine factors"}}, "Alpine factors"},
		{factors.Set{ID: "alpine-2027-v1", Year: 2027, Pack: &factors.Pack{Title: "Alpine factors", Publisher: "Office"}}, "Alpine factors (Office)"},
	} {
		if got := c.set.Title(); got != c.want {
			t.Errorf("%+v is called %q, not %q", c.set, got, c.want)
		}
	}
}
