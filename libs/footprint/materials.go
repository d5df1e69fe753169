package footprint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// materials is the input of a materials record.
type materials struct {
	Country      string           `json:"country,omitempty"`
	Material     string           `json:"material"`
	Source       string           `json:"source,omitempty"`
	WeightKg     *decimal.Decimal `json:"weightKg,omitempty"`
	AreaM2       *decimal.Decimal `json:"areaM2,omitempty"`
	GramsPerM2   *decimal.Decimal `json:"gramsPerM2,omitempty"`
	Items        int64            `json:"items,omitempty"`
	Sheets       int64            `json:"sheets,omitempty"`
	SheetSize    string           `json:"sheetSize,omitempty"`
	UsesOverLife int64            `json:"usesOverLife,omitempty"`
	EndOfLife    string           `json:"endOfLife,omitempty"`
	common
}

var _ = define("materials",
	materialsDoc(),
	decodeMaterials, calculateMaterials, chainMaterials)

// Sources of a material.
const (
	virgin   = "virgin"
	recycled = "recycled"
	reused   = "reused"
)

func decodeMaterials(d *decoder, m *materials) {
	d.Require("material")
	d.RequireOneOf("weightKg", "areaM2", "items", "sheets")
	m.Country = d.country(false)
	names := make([]string, 0, len(materialRows))
	for i := range materialRows {
		names = append(names, materialRows[i].name)
	}
	m.Material, _ = d.Enum("material", names...)
	m.Source, _ = d.Enum("source", virgin, recycled, hired, reused)
	m.WeightKg = d.amount("weightKg", maxQuantity)
	m.AreaM2 = d.amount("areaM2", decimal.FromInt(100_000_000))
	m.GramsPerM2 = d.amount("gramsPerM2", decimal.FromInt(1_000_000))
	m.Items, _ = d.Integer("items", 1, 100_000_000)
	m.Sheets, _ = d.Integer("sheets", 1, 1_000_000_000)
	m.SheetSize, _ = d.Enum("sheetSize", sheetSizes[:]...)
	d.RequireWith("sheetSize", "sheets")
	m.UsesOverLife, _ = d.Integer("usesOverLife", 1, 100_000)
	treatments := make([]string, 0, len(wasteTreatments))
	for _, t := range wasteTreatments {
		treatments = append(treatments, t.name)
	}
	m.EndOfLife, _ = d.Enum("endOfLife", treatments...)
	if m.Source != hired && d.Has("usesOverLife") {
		d.Fault(apperr.Detail{Field: "usesOverLife", Code: fields.NotAllowed, Message: "usesOverLife is for source hired only."})
	}
	row := materialRow(m.Material)
	if row == nil || d.Faults() > 0 {
		return // which amount is missing depends on a material and amounts that are good
	}
	if basis, fault := m.choose(row); fault != nil {
		d.Fault(*fault)
	} else if m.EndOfLife != "" {
		d.endOfLife(m, row, basis)
	}
}

func (d *decoder) endOfLife(m *materials, row *materialRowsOf, basis materialBasis) {
	switch {
	case m.Source == hired:
		d.Fault(apperr.Detail{Field: "endOfLife", Code: fields.NotAllowed, Message: "endOfLife must be absent for hired material, which is returned."})
	case basis != byWeight:
		d.Fault(apperr.Detail{Field: "endOfLife", Code: FactorUnavailable, Suggestions: []string{"weightKg"},
			Message: "weightKg is required for endOfLife. The factor of carpet by area includes its end of life."})
	case endOfLifeFactor(d.engine.set, row, m.EndOfLife) == nil:
		fault := apperr.Detail{Field: "endOfLife", Code: FactorUnavailable,
			Message: fmt.Sprintf("No factor is published for %s of %s.", m.EndOfLife, m.Material)}
		for _, t := range wasteTreatments {
			if endOfLifeFactor(d.engine.set, row, t.name) != nil {
				fault.Suggestions = append(fault.Suggestions, t.name)
			}
		}
		slices.Sort(fault.Suggestions)
		d.Fault(fault)
	}
}

// materialBasis is the amount that a factor is multiplied with.
type materialBasis uint8

const (
	byWeight materialBasis = iota
	byArea
	byItem
)

// choose returns the stated amount by which the material is counted, or a fault if none has a factor.
func (m *materials) choose(row *materialRowsOf) (materialBasis, *apperr.Detail) {
	weighed := m.WeightKg != nil || m.AreaM2 != nil && m.GramsPerM2 != nil
	if _, ok := m.counted(row); ok {
		weighed = true
	}
	column := row.column(m.Source)
	switch {
	case m.Items > 0 && row.item != "" && m.Source != recycled && m.Source != reused:
		return byItem, nil
	case weighed && row.columns[column] != "":
		return byWeight, nil
	case m.AreaM2 != nil && row.area != "" && column == 0:
		return byArea, nil
	}
	amount := func(field, message string) *apperr.Detail {
		return &apperr.Detail{Field: field, Code: fields.Required, Message: message}
	}
	switch {
	case weighed || m.Items > 0 && row.item != "" || m.AreaM2 != nil && row.area != "":
		fault := &apperr.Detail{Field: "source", Code: FactorUnavailable,
			Message: fmt.Sprintf("No factor is published for %s %s.", m.origin(), m.Material)}
		for i, name := range [...]string{virgin, recycled, reused} {
			if row.columns[i] != "" || i == 0 && (row.item != "" || row.area != "") {
				fault.Suggestions = append(fault.Suggestions, name)
			}
		}
		if slices.Contains(fault.Suggestions, m.origin()) {
			fault.Field, fault.Message = "weightKg", fmt.Sprintf("items is required: the factor of %s is per item.", m.Material)
			fault.Suggestions = []string{"items"}
		}
		return 0, fault
	case m.AreaM2 != nil:
		return 0, amount("gramsPerM2", "gramsPerM2 is required to weigh areaM2 of "+m.Material+"; or give weightKg.")
	case row.item != "":
		return 0, amount("items", "The factor of "+m.Material+" is per item; items is required.")
	}
	return 0, amount("weightKg", "The factor of "+m.Material+" is per kg; weightKg is required, or areaM2 with gramsPerM2.")
}

// origin is the source that counts.
func (m *materials) origin() string {
	if m.Source == "" {
		return virgin
	}
	return m.Source
}

// weight returns the kilograms.
func (m *materials) weight() quantity {
	if m.WeightKg != nil {
		return exactly(*m.WeightKg)
	}
	if row := materialRow(m.Material); row != nil {
		if p, ok := m.counted(row); ok {
			return p.kg
		}
	}
	if m.AreaM2 == nil || m.GramsPerM2 == nil {
		return quantity{}
	}
	return exactly(*m.AreaM2).by(*m.GramsPerM2).perThousand()
}

// cradleToGrave is the prefix of the detail of factors that include the end of life.
const cradleToGrave = "Cradle to grave"

func calculateMaterials(c *calculation, m *materials) {
	row := materialRow(m.Material)
	if row == nil {
		c.unavailable(apperr.Detail{Field: "material", Message: "No factor is published for " + m.Material + "."})
		return
	}
	basis, fault := m.choose(row)
	if fault != nil {
		c.unavailable(*fault)
		return
	}
	if m.Source == "" {
		c.defaultTo("source")
	}
	e := entry{stage: Combined, scope: 3, category: categoryGoods, technology: 1}
	var series string
	switch basis {
	case byItem:
		series, e.quantity, e.unit = row.item, whole(m.Items), "item"
		c.unused(m.WeightKg != nil || m.AreaM2 != nil, "weightKg", "items decides; weight and area were not used.")
	case byArea:
		series, e.quantity, e.unit = row.area, exactly(*m.AreaM2), "m2"
	default:
		series, e.quantity, e.unit = row.columns[row.column(m.Source)], m.weight(), "kg"
		if p, ok := m.counted(row); ok {
			c.weighed(p)
		} else {
			c.unused(m.Items > 0, "items", "The weight decides; items was not used.")
			c.unused(m.Sheets > 0, "sheets", "The weight decides; sheets was not used.")
		}
		c.unused(m.WeightKg != nil && m.AreaM2 != nil, "areaM2", "weightKg decides; areaM2 was not used.")
		if m.WeightKg == nil {
			e.atBest = Calculated
		}
	}
	if e.factor = c.engine.set.Ref("material." + series); e.factor == nil {
		e.factor = factors.Supplement().Ref("material." + series)
	}
	if e.factor == nil {
		c.unavailable(apperr.Detail{Field: "material", Message: "The factor set has no factor for " + m.Material + "."})
		return
	}
	if strings.HasPrefix(e.factor.Detail, cradleToGrave) {
		c.note(NoticeCradleToGrave, "material", "The factor is cradle to grave; do not count the waste of this material again.")
	}
	if e.factor.Unit == "tonne" {
		e.quantity, e.unit = e.quantity.perThousand(), "tonne"
	}
	if m.Source == hired {
		e.quantity = e.quantity.times(1, c.uses(m))
	}
	e.variance = varianceOf(spreadOfFactor(e.factor))
	e.geography = c.foreign(e.factor, m.Country)
	c.add(e)
	if m.EndOfLife != "" {
		c.disposed(m, row)
	}
}

// disposed adds the line of the end of life, if the record states it.
func (c *calculation) disposed(m *materials, row *materialRowsOf) {
	f := endOfLifeFactor(c.engine.set, row, m.EndOfLife)
	if f == nil {
		c.unavailable(apperr.Detail{Field: "endOfLife", Message: "The factor set has no factor for " + m.EndOfLife + " of " + m.Material + "."})
		return
	}
	e := entry{factor: f, quantity: m.weight().perThousand(), unit: f.Unit, stage: Combined, scope: 3, category: categoryWaste,
		geography: c.standsIn(f, m.Country), technology: 1}
	if m.EndOfLife != "landfill" && !c.engine.set.National(f) {
		c.note(NoticeTransportOnly, "endOfLife", "The factor covers collection and transport only; treatments must not be ranked by it.")
	}
	c.add(e)
}

// endOfLifeFactor returns the waste row of a material, nil if it has none.
func endOfLifeFactor(set *factors.Set, row *materialRowsOf, treatment string) *factors.Factor {
	if row.waste == "" {
		return nil
	}
	return wasteRow(set, row.waste, treatment)
}

// unused adds a notice that an input was not used.
func (c *calculation) unused(given bool, field, message string) {
	if given {
		c.note(NoticeInputNotUsed, field, "%s", message)
	}
}

// chainMaterials reports how the amounts multiply.
func chainMaterials(q *Chain, m *materials, l *Line) {
	row := materialRow(m.Material)
	switch {
	case row == nil:
		return
	case l.Unit == "item":
		q.count(m.Items, "item", "items")
	case l.Unit == "m2":
		q.amount(m.AreaM2, "m²")
	default:
		q.weighed(m, row, l)
	}
	if m.Source != hired {
		return
	}
	uses := m.UsesOverLife
	if d, ok := factors.Supplement().Default(usesOfHired); uses == 0 && ok {
		uses, _ = d.Value.Int64()
	}
	q.ratio(1, max(uses, 1), "of its uses")
}

// weighed adds the weight: as stated, or of what was counted or measured.
func (q *Chain) weighed(m *materials, row *materialRowsOf, l *Line) {
	p, counted := m.counted(row)
	switch {
	case m.WeightKg != nil:
		q.amount(m.WeightKg, "kg")
	case counted && p.field == "sheets":
		q.count(m.Sheets, "sheet", "sheets")
		q.amount(&p.each, "g")
		if m.GramsPerM2 != nil {
			q.amount(m.GramsPerM2, "g per m²")
			n, _ := usualGrams.Int64()
			q.ratio(1, n, "")
		}
		q.ratio(1, 1000, "")
	case counted && p.field == "items":
		q.count(m.Items, "item", "items")
		q.amount(&p.each, "g")
		q.ratio(1, 1000, "")
	default:
		q.amount(m.AreaM2, "m²")
		grams := m.GramsPerM2
		if counted {
			grams = &p.each
		}
		q.amount(grams, "g per m²")
		q.ratio(1, 1000, "")
	}
	if l.Unit == "tonne" {
		q.ratio(1, 1000, "")
	}
}

// materialsDoc describes the type to its users.
func materialsDoc() doc {
	return doc{
		place:       8,
		bought:      []string{"material", "print", "printing", "merchandise", "signage"},
		description: "Materials that were bought, hired or reused, by weight, area or item.",
		formula:     "kg (or m², or items) × factor of the material and its source ÷ usesOverLife if hired; + kg ÷ 1000 × factor of its end of life where one is named",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"material", "What the goods are made of. Shirts are counted by items, carpet by areaM2 or weight, all else by weight.", ``},
			{"source", "Where the material comes from. Not every source is published for every material.", `"virgin"`},
			{"weightKg", "Weight of the material.", ``},
			{"areaM2", "Area. Carpet has factors by area; for other materials gramsPerM2 converts it to weight.", ``},
			{"gramsPerM2", "Weight of a square metre. Absent: 80 for sheets; for signs, the weight of the board.", ``},
			{"items", "Number of pieces, for items that have a factor or a weight per piece: shirts, furniture, devices, lanyards.", ``},
			{"sheets", "Number of sheets of paper or board (sheets, not pages).", ``},
			{"sheetSize", "Format of the sheets.", `"A4"`},
			{"usesOverLife", "For hired material: how often it is used over its life; each use counts its share. The default has a wide range.", `10`},
			{"endOfLife", "End-of-life treatment of the material. Absent: its waste is left to waste records. State it only if there are none.", ``},
		},
		ways: []way{
			{title: "By weight", help: "Kilograms of the material.",
				needs: []string{"material", "weightKg"}, more: []string{"source", "usesOverLife", "endOfLife"}, example: `{"material":"paper","source":"recycled","weightKg":250}`},
			{title: "By area", help: "Square metres of carpet, boards, textiles.",
				needs: []string{"material", "areaM2"}, more: []string{"gramsPerM2", "source", "usesOverLife", "endOfLife"}, example: `{"material":"carpet","areaM2":1200}`},
			{title: "By pieces", help: "Shirts, furniture, devices, lanyards.",
				needs: []string{"material", "items"}, more: []string{"source", "usesOverLife", "endOfLife"}, example: `{"material":"tshirt_cotton","items":300}`},
			{title: "By sheets", help: "Sheets of paper or board.",
				needs: []string{"material", "sheets"}, more: []string{"sheetSize", "gramsPerM2", "source", "endOfLife"}, example: `{"material":"paper","sheets":2000,"sheetSize":"A4"}`},
		},
		examples: []string{
			`{"material":"paper","source":"recycled","weightKg":250,"endOfLife":"recycling"}`,
			`{"material":"carpet","areaM2":1200}`,
			`{"material":"aluminium","source":"hired","weightKg":900,"usesOverLife":40}`,
			`{"material":"tshirt_cotton","items":300}`,
			`{"material":"paper","sheets":2000,"sheetSize":"A4"}`,
			`{"material":"pvc_foam_board","areaM2":80}`,
		},
	}
}
