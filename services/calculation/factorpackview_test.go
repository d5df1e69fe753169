package calculation_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/record"
)

// ownRow is a pack of one row over the rows of a built-in set, without stand-ins.
const ownRow = `{"format":"ecf-factors/1","name":"own-row","release":1,"title":"One row","publisher":"Example","year":2026,"base":"desnz-2026",
"sources":[{"key":"a","source":"Example Grids 2026","licence":"CC BY 4.0"}],
"rows":[{"id":"elec.fr.location.2026","series":"elec.fr.location","category":"venue","activity":"grid electricity","unit":"kWh","region":"FR","year":2026,
"kgCO2e":0.02,"wellToTank":0.01,"source":"a","location":"Table 1, row FR"}]}`

// TestTheSetOfAPackNamesItsOrigin: the sets that operators have added stand after the built-in ones, with what they
// are composed of.
func TestTheSetOfAPackNamesItsOrigin(t *testing.T) {
	t.Parallel()
	s := start(t)
	document, _, err := pack.Read([]byte(ownRow))
	if err != nil {
		t.Fatal(err)
	}
	set, err := document.Set()
	if err != nil {
		t.Fatal(err)
	}
	stored := record.FactorPack{ID: set.ID, Checksum: set.Checksum, AddedAt: time.Now(), Document: []byte(ownRow)}
	if err := s.records.InsertFactorPack(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	// Another process has stored it, and this one has not loaded it.
	if sets := s.get("/factor-sets").want(http.StatusOK); sets.count("items") != len(factors.Sets()) {
		t.Errorf("sets before it is loaded: %.300s", sets.body)
	}
	if _, err := factors.Add(set); err != nil {
		t.Fatal(err)
	}
	sets := s.get("/factor-sets").want(http.StatusOK)
	last := sets.count("items") - 1
	if last != len(factors.Sets()) || sets.data("items", last, "id") != "own-row-v1" {
		t.Fatalf("sets: %.300s", sets.body)
	}
	one := s.get("/factor-sets/own-row-v1?limit=1").want(http.StatusOK)
	for what, of := range map[string]any{"list": sets.at("data", "items", last, "pack"), "set": one.at("data", "pack")} {
		origin, _ := of.(map[string]any)
		if standIns, ok := origin["standIns"].([]any); !ok || len(standIns) != 0 {
			t.Errorf("%s: the stand-ins are %v", what, origin["standIns"])
		}
		if origin["name"] != "own-row" || origin["base"] != "desnz-2026" || origin["publisher"] != "Example" || origin["title"] != "One row" || origin["unsigned"] != true {
			t.Errorf("%s: the origin is %v", what, origin)
		}
	}
	if one.data("pack", "rows") != "1" || one.data("items", 0, "id") != "elec.fr.location.2026" || one.data("items", 0, "kgCO2e") != "0.02" {
		t.Errorf("the set: %.600s", one.body)
	}
	lines := one.at("data", "attributions").([]any)
	if !slices.Contains(lines, any("Contains figures of Example Grids 2026 (CC BY 4.0).")) {
		t.Errorf("attributions: %v", lines)
	}
}
