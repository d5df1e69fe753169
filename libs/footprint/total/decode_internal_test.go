package total

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/plainjson"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestContributionsAreReadAsTheyAreWritten: any contribution, damaged or not, is decoded as by encoding/json.
func TestContributionsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any contribution
	texts := []string{"", "1|2", "waste|a|1", "é😀", `a "quoted" \ one`, "<b>&amp;", `,"cells":["`, "\u2028"}
	for round := range 20_000 {
		text := func() string { return texts[random.IntN(4+round%2*4)] }
		list := func() (all []string) {
			for range random.IntN(4) {
				all = append(all, text())
			}
			return all
		}
		want := contributionJSON{Engine: text(), Records: random.Int64() - random.Int64(), Total: text(), Counts: list(), Parts: list(), Cells: list(), Gases: text(),
			Quality: text(), Extrapolated: text(), Unbased: text(), Biogenic: text(), Market: text(), Notices: list()}
		stored, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			if r, ok := plainjson.NewReader(stored); !ok || !written(&r, new(contributionJSON)) {
				t.Fatalf("%s is not read in its own form", stored)
			}
		}
		if random.IntN(4) == 0 { // damaged
			stored[random.IntN(len(stored))] = `",:{}[]0a`[random.IntN(9)]
		}
		var decoded contributionJSON
		wantErr := json.Unmarshal(stored, &decoded)
		got, err := decode(stored)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, decoded) {
			t.Fatalf("%s\nwas read as\n%+v %v\nwant\n%+v %v", stored, got, err, decoded, wantErr)
		}
	}
}

// TestContributionsAreWrittenAsByReflection: the encoding equals that of encoding/json, for any group names.
func TestContributionsAreWrittenAsByReflection(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any contribution
	names := []string{"", "speakers", "München 😀", `a "quoted" \ one`, "<b>&amp;", "\u2028"}
	mass := func() footprint.Mass {
		return footprint.MassOf(random.Int64N(1<<62) * random.Int64N(2)).Add(footprint.MassOf(-random.Int64N(9)))
	}
	moments := func() (o own) {
		if random.IntN(4) > 0 {
			o = own{Variance: mass().Big(), Third: big.NewInt(random.Int64N(2))}
		}
		for range random.IntN(3) {
			o.Wide = append(o.Wide, wide{mass(), mass().Big(), mass().Big()})
		}
		return o
	}
	for range 2_000 {
		engines := footprint.Engines()
		c := Contribution{engine: engines[random.IntN(len(engines))], records: random.Int64N(99), extrapolated: mass(), unbased: mass(), biogenic: mass()}
		if random.IntN(2) == 0 {
			c.gases.CO2, c.quality[random.IntN(len(c.quality))], c.market.Mass = mass(), mass(), mass()
		}
		for range random.IntN(3) {
			name := names[random.IntN(len(names))]
			c.counts = append(c.counts, count{Type: "flights", Group: name, Records: random.Int64N(99), Own: moments()})
			c.parts = append(c.parts, partOwn{"3", moments()})
			c.cells = append(c.cells, cell{cellKey: cellKey{Type: "flights", Group: name, Factor: "f", Scope: random.IntN(4), Use: "DE.111", Basic: random.Int64N(9)}, Mass: mass(), Down: mass()})
			c.notices = append(c.notices, noticeSum{"CODE", random.Int64N(99), mass()})
		}
		stored, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var read contributionJSON
		if err := json.Unmarshal(stored, &read); err != nil {
			t.Fatalf("%s: %v", stored, err)
		}
		if want, err := json.Marshal(read); err != nil || string(want) != string(stored) {
			t.Fatalf("%s\nwant (%v)\n%s", stored, err, want)
		}
		if len(read.Counts) != len(c.counts) || len(read.Cells) != len(c.cells) || len(read.Parts) != len(c.parts) || len(read.Notices) != len(c.notices) {
			t.Fatalf("%s lacks entries of %+v", stored, c)
		}
	}
}
