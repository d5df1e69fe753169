package api_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAllocationsOfAMatch verifies that matching, which happens several times per request, does
// not allocate.
func TestAllocationsOfAMatch(t *testing.T) {
	testkit.WithoutRace(t)
	m, err := api.NewMatcher("/api/v2", api.Operations())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v2/events/e1/flights/r1", "/api/v2/events", "/.well-known/jwks.json", "/api/v2/no/such/path"} {
		if n := testing.AllocsPerRun(100, func() { m.Find("GET", path) }); n > 0 {
			t.Errorf("%s: %v allocations", path, n)
		}
	}
}
