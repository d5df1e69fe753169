package factors_test

import (
	"encoding/csv"
	"errors"
	"os"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
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
	want := map[string]string{
		"desnz-2018": "3275efee1f4c4c5160fea61af73e6a0236569e8b52debdb30d07996cc07c7996",
		"desnz-2019": "20f96294c01e72ef785be05340aac69a77be360ddfb97ef160f3aafd00e931cc",
		"desnz-2020": "c1416e6bed87c894407f3ba57d5f307178200d6d14985494980112159cfbf2dd",
		"desnz-2021": "556621ef4e480e15c4a1f52155f44fd35246df95e06dd432ee524a1d84b929a8",
		"desnz-2022": "1abd269022fe1309b4a206c68c598f42b80867bd2a61d55e8c8fa76a2a35f54c",
		"desnz-2023": "969a4a8a84ac42ba575a7f135ae2d2a2186f93a785bf1b4fa49006527fbd09db",
		"desnz-2024": "7a3e1328a5e1abb28bf45d0cca7cb4a15377d9ec80b77b32161a541712d937b6",
		"desnz-2025": "8d5158c07d7fc2cfca0158d2c4bcfb0b8663486da49b8268babba4ca1b353a33",
		"desnz-2026": "669f87dad935dbfd01a046a7b5ce472e5b53f8872dcdd7dad95f65b263c5836c",
	}
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

// TestEditionsDiffer reads one row of each edition, and rows that an edition lacks: the newest older one is used,
// else the earliest.
func TestEditionsDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set, series, id, value string
		fallback               bool
	}{
		{"desnz-2026", "elec.gb.location", "elec.gb.location.2026", "0.13096", false},
		{"desnz-2025", "elec.gb.location", "elec.gb.location.2025", "0.177", false},
		{"desnz-2024", "elec.gb.location", "elec.gb.location.2024", "0.20705", false},
		{"desnz-2026", "desnz-flight-long_haul-economy-rf", "desnz-2026-flight-long_haul-economy-rf", "0.11704", false},
		{"desnz-2025", "desnz-flight-long_haul-economy-rf", "desnz-2025-flight-long_haul-economy-rf", "0.11704", false},
		{"desnz-2024", "desnz-flight-long_haul-economy-rf", "desnz-2024-flight-long_haul-economy-rf", "0.20011", false},
		{"desnz-2026", "desnz-rail-national", "desnz-2026-rail-national", "0.03092", false},
		{"desnz-2024", "desnz-rail-national", "desnz-2025-rail-national", "0.03546", true},
		{"desnz-2026", "water.water_supply.m3", "water.water_supply.m3.2025", "0.1913", true},
		{"desnz-2024", "water.water_supply.m3", "water.water_supply.m3.2024", "0.15311", false},
		{"desnz-2025", "desnz-freight-van-class1-diesel-tkm", "desnz-2026-freight-van-class1-diesel-tkm", "0.87948", true},
		{"desnz-2024", "elec.nz.mfe", "elec.nz.mfe.2024", "0.0994", false},
		{"desnz-2025", "acc.hotel.gb", "acc.hotel.gb", "10.4", false},
	} {
		s, err := factors.ByID(c.set)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := s.Lookup(c.series)
		if !ok || f.ID != c.id || f.KgCO2e.String() != c.value || f.Fallback != c.fallback {
			t.Errorf("%s of %s is %s = %s, fallback %v", c.series, c.set, f.ID, f.KgCO2e, f.Fallback)
		}
	}
}

// TestComplete takes a cell that an edition lacks from another one.
func TestComplete(t *testing.T) {
	t.Parallel()
	upstream := func(f *factors.Factor) bool { return f.WTT.Published }
	biogenic := func(f *factors.Factor) bool { return f.BiogenicCO2.Published }
	for _, c := range []struct {
		set, series string
		has         func(*factors.Factor) bool
		id          string
	}{
		{"desnz-2026", "desnz-ferry-average", upstream, "desnz-2025-ferry-average"},
		{"desnz-2025", "desnz-ferry-average", upstream, "desnz-2025-ferry-average"},
		{"desnz-2026", "desnz-rail-national", upstream, "desnz-2026-rail-national"},
		{"desnz-2026", "energy.hvo.litre", upstream, "energy.hvo.litre.2025"},
		{"desnz-2026", "energy.hvo.litre", biogenic, "energy.hvo.litre.2026"},
		{"desnz-2024", "energy.hvo.litre", biogenic, "energy.hvo.litre.2025"},
		{"desnz-2024", "energy.hvo.litre", upstream, "energy.hvo.litre.2024"},
		{"desnz-2026", "elec.fr.eea", upstream, ""},
	} {
		s, _ := factors.ByID(c.set)
		got := ""
		if f := s.Complete(s.Ref(c.series), c.has); f != nil {
			got = f.ID
			if again, ok := s.Factor(f.ID); !ok || again != *f {
				t.Errorf("%s does not find %s", c.set, f.ID)
			}
		}
		if got != c.id {
			t.Errorf("%s in %s comes from %q, want %q", c.series, c.set, got, c.id)
		}
	}
}

func TestBiogenicCO2(t *testing.T) {
	t.Parallel()
	s := newest(t)
	for id, want := range map[string]string{"energy.hvo.litre.2026": "2.43", "energy.biodiesel_me.litre.2025": "2.39", "energy.wood_chips.kg.2026": "1.33571"} {
		if f, ok := s.Factor(id); !ok || f.BiogenicCO2.Decimal.String() != want {
			t.Errorf("%s has %s kg of biogenic CO2, want %s", id, f.BiogenicCO2.Decimal, want)
		}
	}
	n := 0
	for _, f := range s.Factors() {
		if f.BiogenicCO2.Published {
			n++
		}
	}
	if f, _ := s.Factor("energy.diesel_avg_blend.litre.2026"); f.BiogenicCO2.Published || n < 25 {
		t.Errorf("%d rows state biogenic CO2, diesel %v", n, f.BiogenicCO2)
	}
}

// TestEverySourceRowIsAccountedFor reads the source tables on its own: each
// verified row is in the set unless a row of its series is preferred.
func TestEverySourceRowIsAccountedFor(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"flights", "accommodation", "venue_energy", "waste", "grid_electricity", "ground-transport", "freight", "catering", "materials", "digital"} {
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
			s, err := factors.ByID("desnz-" + r[11])
			if err != nil || r[len(r)-1] != "yes" || r[5] == "" || r[0] == "elec.cy.ember.2023" {
				continue // the last is of the Cayman Islands, see source/README.md
			}
			got, ok := s.Factor(r[0])
			want, err := decimal.Parse(r[5])
			if err != nil || !ok || got.KgCO2e != want || got.WTT.Published != (r[9] != "") {
				t.Errorf("%s: %s in the source, %s in %s (%v)", r[0], r[5], got.KgCO2e, s.ID, ok)
			}
		}
	}
}

func TestForStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		start, id string
		notice    bool
	}{
		{"", "desnz-2026", false},
		{"2031-01-01", "desnz-2026", false}, {"2026-12-31", "desnz-2026", false}, {"2026-01-01", "desnz-2026", false},
		{"2025-12-31", "desnz-2025", false}, {"2025-01-01", "desnz-2025", false}, {"2024-06-30", "desnz-2024", false},
		{"2023-12-31", "desnz-2024", true}, {"2019-05-05", "desnz-2024", true},
	} {
		s, notice := factors.ForStart(c.start)
		if s.ID != c.id || notice != c.notice {
			t.Errorf("ForStart(%q) = %s, %v", c.start, s.ID, notice)
		}
	}
	if _, err := factors.ByID("desnz-1999"); !errors.Is(err, factors.ErrNotHeld) {
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
