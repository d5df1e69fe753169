package places

import (
	"bytes"
	"strings"
	"testing"
)

// TestIndexIsOfTheImage asserts that what is embedded was made from the image, and
// that reading it costs a process nothing.
func TestIndexIsOfTheImage(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	body, etag, err := PackIndex()
	if err != nil {
		t.Fatal(err)
	}
	served, tag := Index()
	if tag != etag || !bytes.Equal(served, body) {
		t.Errorf("the embedded index is not that of the image; run go generate: %s of %d bytes, want %s of %d", tag, len(served), etag, len(body))
	}
	if n := testing.AllocsPerRun(10, func() { Index() }); n > 0 {
		t.Errorf("Index allocates %v times", n)
	}
}

func TestModeShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		km       int64
		first    string
		modes    int
	}{
		{"GB", "GB", 300, "modesplit.gb.50mi+.car", 4},
		{"DE", "DE", 300, "modesplit.eu28.overnight.domestic.car", 2},
		{"DE", "FR", 800, "modesplit.eu28.overnight.abroad.plane", 5},
		{"US", "US", 50, "modesplit.us.50-499mi.car", 4},
		{"US", "US", 804, "modesplit.us.50-499mi.car", 4},
		{"US", "US", 805, "modesplit.us.500-749mi.car", 4},
		{"US", "US", 4000, "modesplit.us.1500+mi.car", 4},
		{"US", "DE", 6000, "rule.conference.egu.plane", 1},
		{"BR", "AR", 300, "modesplit.us.50-499mi.car", 4},
		{"IN", "IN", 1700, "modesplit.us.1000-1499mi.car", 4},
	} {
		rows := ModeShares(c.from, c.to, c.km*1000)
		if len(rows) != c.modes || rows[0].ID != c.first || rows[0].Source == "" {
			t.Errorf("%s to %s, %d km: %d rows, %+v", c.from, c.to, c.km, len(rows), rows)
		}
	}
	if rows := AirportAccess(); len(rows) != 3 {
		t.Errorf("access: %+v", rows)
	}
}

// TestCommasAreFew: a text of commas has few readings, and the names of countries are not derived for each. It does
// not run in parallel, since other allocations would count.
func TestCommasAreFew(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	if got := len(queries("San Jose, California" + strings.Repeat(", US", maxParts-2))); got == 0 {
		t.Errorf("a text of %d parts is not read", maxParts)
	}
	if got := len(queries(strings.Repeat("a,", MaxText/2))); got > 2*maxParts {
		t.Errorf("%d readings of one text", got)
	}
	countryOf("Nowhere") // the names are read
	if made := testing.AllocsPerRun(10, func() { countryOf("Nowhere") }); made > 30 {
		t.Errorf("%.0f allocations to find no country", made)
	}
}
