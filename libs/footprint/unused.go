package footprint

import (
	"path"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
)

// Unused names rows of the built-in sets that no record uses, and why. A published set never changes, so they remain
// in it.
type Unused struct {
	// Title describes the rows.
	Title string
	// Series are patterns of the series of the rows; * matches any text.
	Series []string
	Reason string
	// Since is the year of the first set that does not use the rows: earlier ones lack their replacement.
	Since int
}

// Names reports whether the rows of a series are meant, in a set.
func (u Unused) Names(set *factors.Set, series string) bool {
	return set.Year >= u.Since && matchesAny(u.Series, series)
}

// matchesAny reports whether a series is one of those that patterns name.
func matchesAny(patterns []string, series string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		named, err := path.Match(pattern, series)
		return err == nil && named
	})
}

// NotUsed returns why no record uses a row of a set; empty for one that is used.
func NotUsed(set *factors.Set, series string) string {
	for _, u := range unusedRows {
		if u.Names(set, series) {
			return u.Reason
		}
	}
	return ""
}

// UnusedRows returns the rows that no record uses.
func UnusedRows() []Unused { return slices.Clone(unusedRows[:]) }

// unusedGases returns the patterns of the rows of gases that no record can be of.
func unusedGases(names string) []string {
	out := []string{"refr.cfc_*", "refr.hcfc_*", "refr.halon_*"}
	for name := range strings.FieldsSeq(names) {
		out = append(out, "refr."+name+".ar5", "refr."+name+"_*.ar5")
	}
	return out
}

// statedInstead explains how to record something without a record type.
const statedInstead = "No record type is of it: state it as a custom record, amount times the figure of the row, with the row as evidence."

var unusedRows = [...]Unused{
	{Title: "Refrigerants and fire extinguishers that the Kyoto Protocol does not cover: CFCs, HCFCs, halons, hydrocarbons, HFOs and their blends", Series: unusedGases(otherGases),
		Reason: "The Corporate Standard keeps them out of the scopes (chapter 4); they are reported beside a footprint."},
	{Title: "Anaesthetics, solvents and fluids of industry", Series: []string{"refr.hfe_*", "refr.hcfe_*", "refr.pfpmie.*", "refr.dimethylether.*", "refr.methyl_*", "refr.methylene_*", "refr.carbon_tetrachloride.*", "refr.trifluoromethyl_*"},
		Reason: "No equipment of events holds them."},
	{Title: "Refrigerants by AR4", Series: []string{"refr.*.ar4"}, Reason: "An event is calculated by the potentials of its edition, which are of AR5, or by those of AR6."},
	{Title: "Global warming potentials beside those of fossil methane and nitrous oxide by AR6",
		Series: []string{"gwp.ch4.*", "gwp.ch4_biogenic.*", "gwp.ch4_ccf.*", "gwp.ch4_sm.*", "gwp.co2.*", "gwp.n2o_ccf.*", "gwp.n2o.ar[45]", "gwp.ch4_fossil.ar[45]", "gwp.nf3.*", "gwp.sf6.*"},
		Reason: "They are potentials and no factors of an activity; lines are re-based from AR5, on which their columns are, to AR6 alone."},
	{Title: "E-mail, storage, downloads and searches", Series: []string{"digital.email.*", "digital.storage.*", "digital.download.*", "digital.websearch.*"}, Reason: statedInstead},
	{Title: "Equipment in the homes of remote attendees", Series: []string{"digital.remote_attendee_home.office_equipment.*", "digital.remote_attendee_home.total.*"},
		Reason: "The record of the conference or stream has their devices; the heating of homes is counted beside it."},
	{Title: "Streaming by other studies", Series: []string{"digital.streaming.hour.ademe.use", "digital.streaming.hour.carbontrust"}, Reason: "One study is used for all digital activities, so that they compare."},
	{Title: "Ingredients of meals", Series: []string{"food.ingredient.*", "food.average.*"}, Reason: "Meals are counted whole; an ingredient beside its meal would count twice."},
	{Title: "Meals by other tables, and finer than by diet",
		Series: []string{"food.meal.ecf.*", "food.meal.ngc.oily_fish", "food.meal.ngc.red_meat", "food.meal.ngc.vegan", "food.meal.ngc.vegetarian", "food.meal.ngc.white_fish", "food.meal.ngc.white_meat",
			"food.meal.oily_fish", "food.meal.pork", "food.meal.saithe", "food.meal.tuna", "food.meal.veal"},
		Reason: "One table is used for all diets, so that they compare; records name a diet and not a dish."},
	{Title: "Drinks by another table", Series: []string{"drink.ngc.beer.*", "drink.ngc.bottled_water.*", "drink.ngc.coffee.*", "drink.ngc.soft_drink.*", "drink.ngc.wine.*"}, Reason: "The table that has most drinks is used wherever it has one."},
	{Title: "Hostels, and apartments of a study", Series: []string{"acc.hostel.*", "acc.apartment.*"}, Reason: "They are held for a dozen countries, per guest; hostels everywhere count by the published ratio to hotels, and apartments as hotels."},
	{Title: "Ember's figures of countries with a national publisher",
		Series: []string{"elec.at.ember", "elec.bg.ember", "elec.cz.ember", "elec.de.ember", "elec.dk.ember", "elec.es.ember", "elec.fi.ember", "elec.fr.ember", "elec.gb.ember", "elec.gr.ember", "elec.hr.ember",
			"elec.hu.ember", "elec.ie.ember", "elec.it.ember", "elec.lu.ember", "elec.lv.ember", "elec.mt.ember", "elec.nl.ember", "elec.nz.ember", "elec.pl.ember", "elec.pt.ember",
			"elec.ro.ember", "elec.se.ember", "elec.si.ember", "elec.sk.ember", "elec.us.ember"},
		Reason: "The national publisher comes first; Ember's figure is behind the upstream part (section 6.3)."},
	{Title: "Ember's figures of Belgium and Lithuania", Series: []string{"elec.be.ember", "elec.lt.ember"},
		Reason: "As those before; the sets of the years before 2024 have no figure of the national publisher, and use them.", Since: 2024},
	{Title: "Grids of groups of countries", Series: []string{"elec.asean.*", "elec.eu.*", "elec.g20.*", "elec.g7.*", "elec.middle_east.*", "elec.oecd.*"}, Reason: "A country without a figure has that of its region of the United Nations."},
	{Title: "Heat of combined heat and power on site", Series: []string{"energy.heat_onsite_chp.*"}, Reason: "Its fuel is recorded, as what the energy was made of."},
	{Title: "Processed oils of refineries, and biodiesel of machines off the road", Series: []string{"energy.distillate_oil.*", "energy.residual_oil.*", "energy.biodiesel_off_road.*"},
		Reason: "The first two burn as gas oil and fuel oil do, and are what those are made into for power stations; the last has the figures of biodiesel."},
	{Title: "Diesel, petrol and natural gas without biofuel", Series: []string{"energy.diesel_mineral.*", "energy.petrol_mineral.*", "energy.natural_gas_mineral.*"}, Reason: "What is sold is the blend."},
	{Title: "Fuels by net calorific value, and by units that nobody is billed in",
		Series: []string{"energy.*.kwh_net_cv", "energy.wood_*.kwh", "energy.wood_pellets.kg", "energy.biogas.kwh", "energy.*.gj", "energy.natural_gas.tonne", "energy.cng.kg", "energy.lng.kg"}, Reason: "Energy of fuels is by gross calorific value, as it is billed."},
	{Title: "Waste of households and gardens, books, and asbestos", Series: []string{"waste.household_residual_waste.*", "waste.organic_garden_waste.*", "waste.organic_mixed_food_and_garden_waste.*", "waste.books.*", "waste.asbestos.*"},
		Reason: "Waste of events is commercial; the record names a material of it."},
	{Title: "Recycling in an open loop where it is published in a closed one",
		Series: []string{"waste.aggregates.recycling_open_loop", "waste.asphalt.recycling_open_loop", "waste.average_construction.recycling_open_loop", "waste.concrete.recycling_open_loop", "waste.glass.recycling_open_loop",
			"waste.metal_*.recycling_open_loop", "waste.plastics_*.recycling_open_loop"}, Reason: "Recycling means the closed loop where it is published; both figures are of transport alone."},
	{Title: "Freight by the vehicle", Series: []string{"desnz-freight-hgv-average-km", "desnz-freight-van-average-unknown-tkm"}, Reason: "Lorries are counted by tonne-km, and vans by the kilometre or by their fuel."},
	{Title: "Goods that are covered by another row", Series: []string{"material.asbestos.*", "material.food_and_drink.*", "material.ice.aluminium_general_average", "material.ice.glass_primary_glass", "material.ice.paper_fine",
		"material.ice.paper_paperboard_general_for_construction_use", "material.ice.plastics_general", "material.ice.plastics_polystyrene_general_purpose", "material.ice.plastics_pvc_general",
		"material.ice.steel_general_eu_average", "material.ice.steel_general_world_average", "material.ice.timber_general"},
		Reason: "A newer row, or one of the same inventory that says whether the material is recycled, is used; food is counted as meals, and asbestos is no material of events."},
}
