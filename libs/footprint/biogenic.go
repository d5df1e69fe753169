package footprint

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/lru"
)

// Biomass names rows of activities with biogenic carbon whose sources publish no CO2 outside of scopes.
type Biomass struct {
	// Title describes the rows.
	Title string
	// Series are patterns of the series of the rows; * matches any text.
	Series []string
	Reason string
}

// Names reports whether the rows of a series are meant.
func (b Biomass) Names(series string) bool { return matchesAny(b.Series, series) }

// BiomassRows returns the rows whose lines have NoticeNoBiogenic from engine 2.3.0 on.
func BiomassRows() []Biomass { return slices.Clone(biomassRows[:]) }

var biomassRows = [...]Biomass{
	{"Meals, drinks and food", []string{"food.*", "drink.*", "material.food_and_drink.*"},
		"Food is biomass, eaten or treated as waste within weeks; the studies have greenhouse gases alone."},
	{"Waste of paper, wood, food, gardens and textiles, and mixed waste",
		[]string{"waste.paper_and_board_*", "waste.wood.*", "waste.organic_*", "waste.books.*", "waste.clothing.*", "waste.household_residual_waste.*",
			"waste.commercial_and_industrial_waste.*", "waste.per_attendee_day.*", "waste.average_construction.*"},
		"What is burnt, composted or digested becomes CO2 that the factors of treatment leave out; their tables have no column outside of scopes."},
	{"Goods of wood, paper and natural fibres",
		[]string{"material.wood.*", "material.paper_and_board_*", "material.clothing.*", "material.average_construction.*", "material.compost_*", "material.ice.timber_*", "material.ice.paper_*",
			"material.ice.carpet_wool", "material.ice.cotton_fabric", "material.textile.*cotton*", "material.textile.polo.*",
			"material.item.chair_wood", "material.item.table_wood", "material.item.wardrobe", "material.item.*cotton", "material.item.polo", "material.item.sofa_textile"},
		"The carbon stored in the goods, and that of the biomass burnt to make them, is not in the tables."},
}

// biomass notes that the CO2 of biomass of a row is not published.
func (c *calculation) biomass(f *factors.Factor) {
	if f == nil || f.BiogenicCO2.Published || !Since(c.ev.EngineVersion(), Engine5) {
		return
	}
	if ofBiomass(f.Series) {
		c.note(NoticeNoBiogenic, "", "It holds carbon of biomass, whose CO2 the source does not publish.")
	}
}

// seriesOfBiomass caches the results of ofBiomass: there are a few thousand series, and some forty patterns.
var seriesOfBiomass = lru.New[string, bool](4096)

// ofBiomass reports whether the rows of a series are among biomassRows.
func ofBiomass(series string) bool {
	is, ok := seriesOfBiomass.Get(series)
	if !ok {
		is = slices.ContainsFunc(biomassRows[:], func(b Biomass) bool { return b.Names(series) })
		seriesOfBiomass.Put(series, is)
	}
	return is
}
