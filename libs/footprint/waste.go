package footprint

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// waste is the input of a waste record.
type waste struct {
	Country        string           `json:"country,omitempty"`
	Material       string           `json:"material,omitempty"`
	Treatment      string           `json:"treatment"`
	WeightKg       *decimal.Decimal `json:"weightKg,omitempty"`
	VolumeLitres   *decimal.Decimal `json:"volumeLitres,omitempty"`
	DensityKgPerM3 *decimal.Decimal `json:"densityKgPerM3,omitempty"`
	Container      string           `json:"container,omitempty"`
	Containers     int64            `json:"containers,omitempty"`
	FillPercent    *decimal.Decimal `json:"fillPercent,omitempty"`
	common
}

var _ = define("waste",
	wasteDoc(),
	decodeWaste, calculateWaste, chainWaste)

const mixed = "mixed"

// wasteMaterials are the materials of a record and their rows.
var wasteMaterials = [...]struct{ name, row string }{
	{mixed, "commercial_and_industrial_waste"},
	{"food", "organic_food_and_drink_waste"},
	{"paper_card", "paper_and_board_mixed"},
	{"plastic", "plastics_average_plastics"},
	{"glass", "glass"},
	{"metal", "metal_scrap_metal"},
	{"wood", "wood"},
	{"textile", "clothing"},
	{"electrical", "weee_mixed"},
	{"construction", "average_construction"},
}

// wasteTreatments are the treatments of a record and their routes, the
// preferred first. Re-use has no factor.
var wasteTreatments = [...]struct {
	name   string
	routes []string
}{
	{"landfill", []string{"landfill"}},
	{"incineration", []string{"incineration_energy_recovery"}},
	{"recycling", []string{"recycling_closed_loop", "recycling_open_loop"}},
	{"composting", []string{"composting"}},
	{"anaerobic_digestion", []string{"anaerobic_digestion"}},
	{"reuse", nil},
}

func decodeWaste(d *decoder, w *waste) {
	d.Require("treatment")
	d.RequireOneOf("weightKg", "volumeLitres", "container")
	w.Country = d.country(false)
	materials := make([]string, 0, len(wasteMaterials))
	for _, m := range wasteMaterials {
		materials = append(materials, m.name)
	}
	w.Material, _ = d.Enum("material", materials...)
	treatments := make([]string, 0, len(wasteTreatments))
	for _, t := range wasteTreatments {
		treatments = append(treatments, t.name)
	}
	w.Treatment, _ = d.Enum("treatment", treatments...)
	w.WeightKg = d.amount("weightKg", maxQuantity)
	w.VolumeLitres = d.amount("volumeLitres", maxQuantity)
	w.DensityKgPerM3 = d.amount("densityKgPerM3", decimal.FromInt(25_000))
	d.containers(w)
	// A pair without a factor is found here, so that it is listed with the
	// other faults of the body.
	if w.Treatment != "" && (w.Material != "" || !d.Has("material")) && wasteFactor(d.engine.set, w.material(), w.Treatment) == nil {
		d.Fault(unservedWaste(d.engine.set, w.material(), w.Treatment))
	}
}

func (w *waste) material() string {
	if w.Material == "" {
		return mixed
	}
	return w.Material
}

func wasteFactor(set *factors.Set, material, treatment string) *factors.Factor {
	for _, m := range wasteMaterials {
		if m.name == material {
			return wasteRow(set, m.row, treatment)
		}
	}
	return nil
}

// wasteRow finds the factor of a published material and a treatment.
func wasteRow(set *factors.Set, row, treatment string) *factors.Factor {
	for _, t := range wasteTreatments {
		if t.name != treatment {
			continue
		}
		for _, route := range t.routes {
			if f := set.Ref("waste." + row + "." + route); f != nil {
				return f
			}
		}
	}
	return nil
}

// unservedWaste is the fault of a pair without a factor: it suggests the
// treatments that have one for the material.
func unservedWaste(set *factors.Set, material, treatment string) apperr.Detail {
	d := apperr.Detail{Field: "treatment", Code: FactorUnavailable,
		Message: "No factor is published for " + treatment + " of " + material + " waste."}
	for _, t := range wasteTreatments {
		if wasteFactor(set, material, t.name) != nil {
			d.Suggestions = append(d.Suggestions, t.name)
		}
	}
	slices.Sort(d.Suggestions)
	return d
}

func calculateWaste(c *calculation, w *waste) {
	if w.Material == "" {
		c.defaultTo("material")
	}
	f := wasteFactor(c.engine.set, w.material(), w.Treatment)
	if f == nil {
		c.unavailable(unservedWaste(c.engine.set, w.material(), w.Treatment))
		return
	}
	e := entry{factor: f, unit: f.Unit, stage: Combined, scope: 3, category: categoryWaste, geography: 1, technology: 1}
	switch {
	case w.WeightKg != nil:
		e.quantity = exactly(*w.WeightKg).perThousand()
		if w.VolumeLitres != nil {
			c.note(NoticeInputNotUsed, "volumeLitres", "weightKg decides; volumeLitres was not used.")
		}
		c.unused(w.Containers > 0, "containers", "weightKg decides; containers was not used.")
	default:
		if !c.byVolume(w, &e) {
			return
		}
	}
	if w.Treatment != "landfill" && !c.engine.set.National(e.factor) {
		c.note(NoticeTransportOnly, "treatment", "The factor covers collection and transport only; treatments must not be ranked by it.")
	}
	e.geography = c.standsIn(e.factor, w.Country)
	c.add(e)
}

// chainWaste reports how the amounts multiply.
func chainWaste(q *Chain, w *waste, l *Line) {
	if w.WeightKg != nil {
		q.weight(w.WeightKg, l)
		return
	}
	if w.VolumeLitres != nil {
		q.measure(w.VolumeLitres, "litre", "litres")
	} else {
		q.contained(w)
	}
	density := w.DensityKgPerM3
	if d, ok := w.density(); density == nil && ok {
		density = &d.Value
	}
	q.amount(density, "kg per m³")
	q.ratio(1, 1_000_000, "")
}

// wasteDoc describes the type to its users.
func wasteDoc() doc {
	return doc{
		place:       4,
		bought:      []string{"waste"},
		description: "Waste by material and treatment.",
		formula:     "kg ÷ 1000 × factor of the material and treatment per tonne",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"material", "What the waste consists of.", `"mixed"`},
			{"treatment", "How the waste was treated. The factors of all treatments except landfill cover collection and transport only; reuse has no factor.", ``},
			{"weightKg", "Weight. Takes precedence over a volume.", ``},
			{"volumeLitres", "Volume, converted to weight with densityKgPerM3.", ``},
			{"densityKgPerM3", "Weight of a cubic metre. Absent: the published density of the material.", ``},
			{"container", "The container, used together with containers instead of weight or volume: a sack, a wheeled bin by its litres, a skip or roll-on by its cubic yards.", ``},
			{"containers", "Number of containers.", ``},
			{"fillPercent", "How full they were.", `100`},
		},
		ways: []way{
			{title: "By weight", help: "Kilograms, as the waste carrier states them.",
				needs: []string{"treatment", "weightKg"}, more: []string{"material"}, example: `{"treatment":"recycling","material":"paper_card","weightKg":120}`},
			{title: "By containers", help: "Sacks, bins and skips, and how full they were.",
				needs: []string{"treatment", "container", "containers"}, more: []string{"fillPercent", "material", "densityKgPerM3"}, example: `{"treatment":"recycling","container":"wheelie_240","containers":14}`},
			{title: "By volume", help: "Litres, weighed by a density.",
				needs: []string{"treatment", "volumeLitres"}, more: []string{"material", "densityKgPerM3"}, example: `{"treatment":"landfill","volumeLitres":2200,"densityKgPerM3":95}`},
		},
		examples: []string{
			`{"treatment":"recycling","material":"paper_card","weightKg":120}`,
			`{"treatment":"landfill","volumeLitres":2200,"densityKgPerM3":95}`,
			`{"treatment":"recycling","container":"wheelie_240","containers":14}`,
		},
	}
}
