package footprint_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// sourceRow is a row of the reference tables.
type sourceRow struct{ kg, wtt, unit, year, region string }

// sourceTable reads a reference table directly, without the factor sets.
func sourceTable(t *testing.T, name string) map[string]sourceRow {
	t.Helper()
	f, err := os.Open(filepath.Join("../factors/source", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]sourceRow)
	for _, r := range rows[1:] {
		if r[len(r)-1] == "yes" {
			out[r[0]] = sourceRow{kg: r[5], wtt: r[9], unit: r[4], year: r[11], region: r[10]}
		}
	}
	return out
}

// recomputed is a line by its row, whether it is the well-to-tank part, and the
// amount as a fraction.
type recomputed struct {
	id       string
	upstream bool
	amount   string
}

// recomputation compares lines of the engine with amounts × cells.
type recomputation struct {
	t     *testing.T
	rows  map[string]sourceRow
	lines int
}

func (c *recomputation) check(typ, body string, want ...recomputed) {
	c.t.Helper()
	e := evaluate(c.t, typ, body, london)
	if len(e.Lines) != len(want) {
		c.t.Errorf("%s %s has %d lines, want %d", typ, body, len(e.Lines), len(want))
		return
	}
	for i, w := range want {
		row, ok := c.rows[w.id]
		cell := row.kg
		if w.upstream {
			cell = row.wtt
		}
		figure, good := new(big.Rat).SetString(cell)
		if !ok || !good {
			c.t.Fatalf("%s has %q", w.id, cell)
		}
		amount := product(c.t, w.amount)
		l := e.Lines[i]
		if kg := halfEven(amount.Mul(amount, figure)); l.FactorID != w.id || l.Mass.Kilograms() != kg || (l.Stage == footprint.Upstream) != w.upstream {
			c.t.Errorf("%s %s: %s %s is %s kg, want %s %s kg", typ, body, l.FactorID, l.Stage, l.Mass.Kilograms(), w.id, kg)
		}
		c.lines++
	}
}

// product evaluates "a/b*c*d/e" from the left.
func product(t *testing.T, text string) *big.Rat {
	t.Helper()
	out := big.NewRat(1, 1)
	for factor := range strings.SplitSeq(text, "*") {
		r, ok := new(big.Rat).SetString(factor)
		if !ok {
			t.Fatalf("%q is no product", text)
		}
		out.Mul(out, r)
	}
	return out
}

// halfEven formats r with six decimals; big.Rat rounds halves away from zero.
func halfEven(r *big.Rat) string {
	n := new(big.Int).Mul(r.Num(), big.NewInt(1_000_000))
	q, rest := new(big.Int).QuoRem(n, r.Denom(), new(big.Int))
	if c := rest.Lsh(rest, 1).Cmp(r.Denom()); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	s := fmt.Sprintf("%07d", q)
	return s[:len(s)-6] + "." + s[len(s)-6:]
}

// direct and both are the lines of a row without and with its upstream part.
func direct(id, amount string) []recomputed { return []recomputed{{id, false, amount}} }

func both(id, amount string) []recomputed {
	return []recomputed{{id, false, amount}, {id, true, amount}}
}

// TestIndependentRecomputation calculates hundreds of lines from the cells of the reference tables, without code of
// the engine.
func TestIndependentRecomputation(t *testing.T) {
	t.Parallel()
	c := &recomputation{t: t, rows: map[string]sourceRow{}}
	for _, name := range []string{"flights", "accommodation", "venue_energy", "grid_electricity", "waste", "ground-transport", "freight", "catering", "materials", "digital"} {
		maps.Copy(c.rows, sourceTable(t, name))
	}
	for haul, ends := range map[string]string{"domestic": "EDI", "short_haul": "CDG", "long_haul": "JFK"} {
		for _, class := range []string{"economy", "premium_economy", "business", "first", "average"} {
			id := "desnz-2026-flight-" + haul + "-" + class + "-rf"
			if _, ok := c.rows[id]; ok {
				c.check("flights", `{"from":"LHR","to":"`+ends+`","distanceKm":812.345,"passengers":7,"trips":3,"roundTrip":true,"class":"`+class+`"}`, both(id, "812345/1000*42")...)
			}
		}
	}
	for id, row := range c.rows {
		part := strings.Split(id, ".")
		switch {
		case strings.HasPrefix(id, "acc.hotel.") && len(part) == 3 && len(part[2]) == 2:
			c.check("accommodation", `{"nights":3,"rooms":7,"country":"`+part[2]+`"}`, direct(id, "21")...)
		case strings.HasSuffix(id, ".eea.2023") && row.region != "EU":
			c.check("venue", `{"electricityKWh":1234.567,"country":"`+row.region+`"}`, direct(id, "1234567/1000")...)
		case strings.HasPrefix(id, "elec.us_"), strings.HasPrefix(id, "elec.ca_"):
			c.check("energy", `{"source":"grid","energyKWh":1234.567,"country":"`+row.region[:2]+`","subdivision":"`+row.region+`"}`, direct(id, "1234567/1000")...)
		case strings.HasPrefix(id, "desnz-2026-car-"):
			kind := strings.SplitN(strings.TrimPrefix(id, "desnz-2026-car-"), "-", 2)
			c.check("ground-transport", `{"mode":"car","distanceKm":37.25,"vehicles":3,"roundTrip":true,"size":"`+kind[0]+`","fuel":"`+kind[1]+`"}`, both(id, "3725/100*6")...)
		case strings.HasPrefix(id, "desnz-2026-motorbike-"):
			c.check("ground-transport", `{"mode":"motorbike","distanceKm":37.25,"vehicles":3,"size":"`+strings.TrimPrefix(id, "desnz-2026-motorbike-")+`"}`, both(id, "3725/100*3")...)
		case strings.HasPrefix(id, "desnz-2026-ferry-"):
			kind := strings.TrimPrefix(id, "desnz-2026-ferry-")
			c.check("ground-transport", `{"mode":"ferry","distanceKm":37.25,"passengers":3,"size":"`+kind+`"}`, recomputed{id, false, "3725/100*3"}, recomputed{"desnz-2025-ferry-" + kind, true, "3725/100*3"})
		}
	}
	for material, slug := range map[string]string{"mixed": "commercial_and_industrial_waste", "food": "organic_food_and_drink_waste", "paper_card": "paper_and_board_mixed",
		"plastic": "plastics_average_plastics", "glass": "glass", "metal": "metal_scrap_metal", "wood": "wood", "textile": "clothing", "electrical": "weee_mixed", "construction": "average_construction"} {
		for treatment, route := range map[string]string{"landfill": "landfill", "incineration": "incineration_energy_recovery", "recycling": "recycling_closed_loop",
			"composting": "composting", "anaerobic_digestion": "anaerobic_digestion"} {
			id := "waste." + slug + "." + route + ".2026"
			if _, ok := c.rows[id]; ok {
				c.check("waste", `{"material":"`+material+`","treatment":"`+treatment+`","weightKg":812.25}`, direct(id, "81225/100000")...)
			}
		}
	}
	for mode, id := range map[string]string{"rail": "rail-national", "international_rail": "rail-international", "tram": "rail-light", "metro": "rail-underground", "coach": "coach", "bus": "bus-average_local", "taxi": "taxi-regular-pkm"} {
		c.check("ground-transport", `{"mode":"`+mode+`","distanceKm":37.25,"passengers":31,"respondents":3,"population":7}`, both("desnz-2026-"+id, "3725/100*31*7/3")...)
	}
	for vehicle, id := range map[string]string{"hgv": "hgv-average", "hgv_rigid": "hgv-average-rigid", "hgv_artic": "hgv-average-artic", "hgv_rigid_3_5_to_7_5t": "hgv-rigid-3.5-7.5t",
		"hgv_rigid_7_5_to_17t": "hgv-rigid-7.5-17t", "hgv_rigid_over_17t": "hgv-rigid-17t", "hgv_artic_3_5_to_33t": "hgv-artic-3.5-33t", "hgv_artic_over_33t": "hgv-artic-33t",
		"van": "van-average-diesel-tkm", "van_up_to_1_3t": "van-class1-diesel-tkm", "van_1_7_to_3_5t": "van-class3-diesel-tkm"} {
		c.check("freight", `{"mode":"road","vehicle":"`+vehicle+`","weightKg":1840.5,"distanceKm":233.3}`, both("desnz-2026-freight-"+id, "18405/10000*2333/10")...)
	}
	for _, haul := range []string{"domestic", "short_haul", "long_haul", "international"} {
		c.check("freight", `{"mode":"air","haul":"`+haul+`","weightKg":1840.5,"distanceKm":233.3}`, both("desnz-2026-freight-air-"+haul+"-rf", "18405/10000*2333/10")...)
	}
	for diet, id := range map[string]string{"vegan": "vegan", "vegetarian": "vegetarian", "fish": "white_fish", "white_meat": "chicken", "red_meat": "beef", "mixed": "average"} {
		c.check("catering", `{"meals":413,"diet":"`+diet+`","drinks":{"wine":12.25}}`, recomputed{"food.meal." + id, false, "413"}, recomputed{"drink.wine.litre", false, "1225/100"})
	}
	for material, slug := range map[string]string{"paper": "paper_and_board_paper", "board": "paper_and_board_board", "glass": "glass", "pvc": "plastics_pvc_incl_forming",
		"pet": "plastics_pet_incl_forming", "metals": "metals", "concrete": "concrete", "plasterboard": "plasterboard", "mixed_cans": "metal_mixed_cans"} {
		c.check("materials", `{"material":"`+material+`","weightKg":41.125}`, direct("material."+slug+".primary.2025", "41125/1000000")...)
		c.check("materials", `{"material":"`+material+`","weightKg":41.125,"source":"recycled"}`, direct("material."+slug+".closed_loop_recycled.2025", "41125/1000000")...)
		c.check("materials", `{"material":"`+material+`","weightKg":41.125,"source":"hired","usesOverLife":7}`, direct("material."+slug+".primary.2025", "41125/7000000")...)
	}
	for material, slug := range map[string]string{"mdf": "timber_mdf", "plywood": "timber_plywood", "osb": "timber_oriented_strand_board_osb", "vinyl_flooring": "vinyl_flooring_general",
		"polystyrene_expanded": "plastics_polystyrene_expanded", "aluminium": "aluminium_general_virgin", "steel": "steel_general_virgin", "cotton_fabric": "cotton_fabric"} {
		c.check("materials", `{"material":"`+material+`","areaM2":118,"gramsPerM2":612.5}`, direct("material.ice."+slug, "118*6125/10000")...)
	}
	c.check("energy", `{"source":"diesel","volumeLitres":340.5}`, both("energy.diesel_avg_blend.litre.2026", "3405/10")...)
	c.check("energy", `{"source":"hvo","volumeLitres":340.5}`, recomputed{"energy.hvo.litre.2026", false, "3405/10"}, recomputed{"energy.hvo.litre.2025", true, "3405/10"})
	c.check("energy", `{"source":"natural_gas","volumeM3":340.5}`, both("energy.natural_gas.m3.2025", "3405/10")...)
	c.check("water", `{"supplyM3":42.125}`, recomputed{"water.water_supply.m3.2025", false, "42125/1000"}, recomputed{"water.water_treatment.m3.2025", false, "42125/1000"})
	c.check("digital", `{"activity":"streaming","participants":1513,"hours":6.25}`, direct("digital.streaming.hour.ademe", "1513*625/100")...)
	c.check("digital", `{"activity":"conference","participants":1513,"hours":6.25}`, direct("digital.videoconference.hour", "1513*625/100")...)
	if c.lines < 300 {
		t.Errorf("only %d lines were worked out", c.lines)
	}
	t.Logf("%d lines agree", c.lines)
}
