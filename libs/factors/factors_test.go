package factors_test

import (
	"encoding/csv"
	"os"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
)

func newest(t testing.TB) *factors.Set {
	t.Helper()
	sets := factors.Sets()
	if len(sets) == 0 {
		t.Fatal("no factor set can be read")
	}
	return sets[0]
}

// TestSetIsPublished pins the checksum of each published set: results name it,
// so its bytes may never change. A new edition is a new set.
func TestSetIsPublished(t *testing.T) {
	t.Parallel()
	want := map[string]string{"desnz-2026": "669f87dad935dbfd01a046a7b5ce472e5b53f8872dcdd7dad95f65b263c5836c"}
	for _, s := range factors.Sets() {
		if s.Checksum != want[s.ID] {
			t.Errorf("%s has the checksum %s", s.ID, s.Checksum)
		}
	}
	if len(factors.Sets()) != len(want) {
		t.Errorf("%d sets are held, want %d", len(factors.Sets()), len(want))
	}
}

func TestFiguresOfTheSet(t *testing.T) {
	t.Parallel()
	s := newest(t)
	for id, want := range map[string]string{
		"elec.gb.location.2026": "0.13096", "elec.gb.td_loss.2026": "0.01299", "energy.natural_gas.kwh_gross_cv.2026": "0.18231",
		"desnz-2026-flight-long_haul-economy-rf": "0.11704", "acc.hotel.gb": "10.4", "acc.hotel.gb-lnd": "11.5",
		"waste.commercial_and_industrial_waste.landfill.2026": "520.58023", "elec.ky.ember.2023": "0.64286", "elec.cy.ember.2024": "0.51224",
	} {
		f, ok := s.Factor(id)
		if !ok || f.KgCO2e.String() != want {
			t.Errorf("%s = %s, %v; want %s", id, f.KgCO2e, ok, want)
		}
		if f.Source == "" || f.SourceLocation == "" || f.Licence == "" || f.Unit == "" || f.Region == "" {
			t.Errorf("%s lacks its origin: %+v", id, f)
		}
		if again, ok := s.Lookup(f.Series); !ok || again.ID != id || s.Ref(f.Series).ID != id {
			t.Errorf("series %s gives %s", f.Series, again.ID)
		}
	}
	if f, _ := s.Factor("acc.hotel.gb"); f.WTT.Published || f.CO2.Published || f.GasSplit() {
		t.Error("a blank became a figure")
	}
	if f, _ := s.Factor("elec.gb.location.2026"); !f.GasSplit() || f.WTT.Decimal.String() != "0.03682" || f.BestBefore() != "2026-12-31" {
		t.Errorf("GB electricity: %+v", f)
	}
}

func TestRowsThatAreInNoSet(t *testing.T) {
	t.Parallel()
	s := newest(t)
	for _, series := range []string{"elec.cf.ember", "elec.sv.ember", "elec.fk.ember", "elec.xk.ember", "elec.mm.ember", "elec.pa.ember"} {
		if f, ok := s.Lookup(series); ok {
			t.Errorf("%s is in the set", f.ID)
		}
	}
	for _, f := range s.Factors() {
		if f.Category == "venue" && f.KgCO2e.IsZero() {
			t.Errorf("%s is 0", f.ID)
		}
	}
	// A series of another edition is marked, and only such a one.
	if f, ok := s.Lookup("waste.glass.landfill"); !ok || f.Fallback || f.Year != 2026 {
		t.Errorf("glass: %+v", f)
	}
	if f, ok := s.Lookup("energy.gas_oil_red_diesel.kwh_gross_cv"); ok && !f.Fallback {
		t.Errorf("a row of %d is not marked", f.Year)
	}
}

// TestEverySourceRowIsAccountedFor reads the source tables on its own: each
// verified row is in the set unless a row of its series is preferred.
func TestEverySourceRowIsAccountedFor(t *testing.T) {
	t.Parallel()
	s := newest(t)
	for _, name := range []string{"flights", "accommodation", "venue_energy", "waste", "grid_electricity"} {
		f, err := os.Open("source/" + name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			year, verified := r[11], r[len(r)-1]
			if year != "2026" || verified != "yes" || r[5] == "" {
				continue
			}
			got, ok := s.Factor(r[0])
			if !ok || got.KgCO2e.String() != r[5] && r[5] != got.KgCO2e.String()+"0" || got.WTT.Published != (r[9] != "") {
				t.Errorf("%s: %s in the source, %s in the set (%v)", r[0], r[5], got.KgCO2e, ok)
			}
		}
	}
}

func TestForStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		start, id string
		notice    bool
	}{{"", "desnz-2026", false}, {"2026-03-01", "desnz-2026", false}, {"2031-01-01", "desnz-2026", false}, {"2019-05-05", "desnz-2026", true}} {
		s, notice := factors.ForStart(c.start)
		if s.ID != c.id || notice != c.notice {
			t.Errorf("ForStart(%q) = %s, %v", c.start, s.ID, notice)
		}
	}
	if _, ok := factors.ByID("desnz-1999"); ok {
		t.Error("an unknown set was found")
	}
}

func TestPedigreeAndDefaults(t *testing.T) {
	t.Parallel()
	s := newest(t)
	for _, indicator := range []string{"reliability", "completeness", "temporal correlation", "geographical correlation", "further technological correlation"} {
		for score := 1; score <= 5; score++ {
			if _, ok := s.Pedigree(indicator, score); !ok {
				t.Errorf("no factor for %s %d", indicator, score)
			}
		}
	}
	if d, ok := s.Default("venue.eui.gb.office.fossil"); !ok || d.Value.String() != "120" || d.Year != 2008 {
		t.Errorf("default: %+v", d)
	}
}
