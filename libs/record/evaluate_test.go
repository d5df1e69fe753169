package record_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAllocationsOfFigures bounds the allocations of a creation for reading a flight and calculating its figures,
// most of which are for intervals.
func TestAllocationsOfFigures(t *testing.T) {
	testkit.WithoutRace(t)
	body := []byte(`{"from":"FRA","to":"LHR","passengers":3,"class":"economy","roundTrip":true,"group":"speakers"}`)
	event := footprint.EventContext{Country: "DE", RadiativeForcing: true, GWP: "published", FactorSet: factors.Sets()[0].ID, Engine: footprint.NewestEngine}
	decoded, err := footprint.Options{}.Decode("flights", body, event)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		most float64
		do   func() error
	}{
		{"decoding", 62, func() error { _, err := footprint.Options{}.Decode("flights", body, event); return err }},
		{"figures", 75, func() error { _, _, err := record.Figures(&decoded.Evaluation, decoded.Notices, event); return err }},
	} {
		got := testing.AllocsPerRun(50, func() {
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%s: %v allocations", c.what, got)
		if got > c.most {
			t.Errorf("%s allocates %v times, want at most %v", c.what, got, c.most)
		}
	}
}
