package footprint

import (
	"path"
	"slices"
)

// Unused names rows of the built-in sets that no record looks up, and why. A
// published set never changes, so they stay in it.
type Unused struct {
	// Title is what the rows are of.
	Title string
	// Series are patterns of the series of the rows, in which * stands for any text.
	Series []string
	Reason string
}

// Names reports whether the rows of a series are meant.
func (u Unused) Names(series string) bool {
	return slices.ContainsFunc(u.Series, func(pattern string) bool {
		named, err := path.Match(pattern, series)
		return err == nil && named
	})
}

// UnusedRows returns the rows that no record looks up.
func UnusedRows() []Unused { return slices.Clone(unusedRows[:]) }

// statedInstead is what to do about something that no record type is of.
const statedInstead = "No record type is of it: state it as a custom record, amount times the figure of the row, with the row as evidence."

var unusedRows = [...]Unused{
	{"Refrigerants", []string{"refr.*"}, statedInstead},
	{"Global warming potentials beside those of fossil methane and nitrous oxide by AR6",
		[]string{"gwp.ch4.*", "gwp.ch4_biogenic.*", "gwp.ch4_ccf.*", "gwp.ch4_sm.*", "gwp.co2.*", "gwp.n2o_ccf.*", "gwp.n2o.ar[45]", "gwp.ch4_fossil.ar[45]", "gwp.nf3.*", "gwp.sf6.*"},
		"They are potentials and no factors of an activity; lines are re-based from AR5, on which their columns are, to AR6 alone."},
	{"E-mail, storage, downloads and searches", []string{"digital.email.*", "digital.storage.*", "digital.download.*", "digital.websearch.*"}, statedInstead},
	{"Equipment in the homes of remote attendees", []string{"digital.remote_attendee_home.office_equipment.*", "digital.remote_attendee_home.total.*"},
		"The record of the conference or stream has their devices; the heating of homes is counted beside it."},
	{"Streaming by other studies", []string{"digital.streaming.hour.ademe.use", "digital.streaming.hour.carbontrust"}, "One study is used for all digital activities, so that they compare."},
	{"Ingredients of meals", []string{"food.ingredient.*", "food.average.*"}, "Meals are counted whole; an ingredient beside its meal would count twice."},
	{"Meals by other tables, and finer than by diet",
		[]string{"food.meal.ecf.*", "food.meal.ngc.oily_fish", "food.meal.ngc.red_meat", "food.meal.ngc.vegan", "food.meal.ngc.vegetarian", "food.meal.ngc.white_fish", "food.meal.ngc.white_meat",
			"food.meal.oily_fish", "food.meal.pork", "food.meal.saithe", "food.meal.tuna", "food.meal.veal"},
		"One table is used for all diets, so that they compare; records name a diet and not a dish."},
	{"Drinks by another table", []string{"drink.ngc.beer.*", "drink.ngc.bottled_water.*", "drink.ngc.coffee.*", "drink.ngc.soft_drink.*", "drink.ngc.wine.*"}, "The table that has most drinks is used wherever it has one."},
	{"Hostels, and apartments of a study", []string{"acc.hostel.*", "acc.apartment.*"}, "They are held for a dozen countries, per guest; hostels everywhere count by the published ratio to hotels, and apartments as hotels."},
	{"Ember's figures of countries with a national publisher",
		[]string{"elec.at.ember", "elec.bg.ember", "elec.cz.ember", "elec.de.ember", "elec.dk.ember", "elec.es.ember", "elec.fi.ember", "elec.fr.ember", "elec.gb.ember", "elec.gr.ember", "elec.hr.ember",
			"elec.hu.ember", "elec.ie.ember", "elec.it.ember", "elec.lu.ember", "elec.lv.ember", "elec.mt.ember", "elec.nl.ember", "elec.nz.ember", "elec.pl.ember", "elec.pt.ember",
			"elec.ro.ember", "elec.se.ember", "elec.si.ember", "elec.sk.ember", "elec.us.ember"},
		"The national publisher comes first; Ember's figure is behind the upstream part (section 8)."},
	{"Grids of groups of countries", []string{"elec.asean.*", "elec.eu.*", "elec.g20.*", "elec.g7.*", "elec.middle_east.*", "elec.oecd.*"}, "A country without a figure has that of its region of the United Nations."},
	{"Heat of combined heat and power on site", []string{"energy.heat_onsite_chp.*"}, "Its fuel is recorded, as what the energy was made of."},
	{"Fuels of ships, lorries and boiler houses, and further biofuels",
		[]string{"energy.fuel_oil.*", "energy.distillate_oil.*", "energy.residual_oil.*", "energy.cng.*", "energy.lng.*", "energy.biogas.*",
			"energy.bioethanol.*", "energy.biodiesel_off_road.*", "energy.biodiesel_tallow.*", "energy.biodiesel_uco.*"}, statedInstead},
	{"Wood chips", []string{"energy.wood_chips.*"}, "Their upstream part is not held, without which they would seem better than pellets."},
	{"Diesel, petrol and natural gas without biofuel", []string{"energy.diesel_mineral.*", "energy.petrol_mineral.*", "energy.natural_gas_mineral.*"}, "What is sold is the blend."},
	{"Fuels by net calorific value, and by units that nobody is billed in",
		[]string{"energy.*.kwh_net_cv", "energy.wood_*.kwh", "energy.wood_pellets.kg", "energy.biopropane.gj", "energy.biodiesel_me.gj", "energy.biodiesel_me.kg", "energy.hvo.gj", "energy.hvo.kg", "energy.natural_gas.tonne"}, "Energy of fuels is by gross calorific value, as it is billed."},
	{"Waste of households and gardens, books, and asbestos", []string{"waste.household_residual_waste.*", "waste.organic_garden_waste.*", "waste.organic_mixed_food_and_garden_waste.*", "waste.books.*", "waste.asbestos.*"},
		"Waste of events is commercial; the record names a material of it."},
	{"Recycling in an open loop where it is published in a closed one",
		[]string{"waste.aggregates.recycling_open_loop", "waste.asphalt.recycling_open_loop", "waste.average_construction.recycling_open_loop", "waste.concrete.recycling_open_loop", "waste.glass.recycling_open_loop",
			"waste.metal_*.recycling_open_loop", "waste.plastics_*.recycling_open_loop"}, "Recycling means the closed loop where it is published; both figures are of transport alone."},
	{"Freight by the vehicle", []string{"desnz-freight-hgv-average-km", "desnz-freight-van-average-unknown-tkm"}, "Lorries are counted by tonne-km, and vans by the kilometre or by their fuel."},
	{"Goods that are covered by another row", []string{"material.asbestos.*", "material.food_and_drink.*", "material.ice.aluminium_general_average", "material.ice.glass_primary_glass", "material.ice.paper_fine",
		"material.ice.paper_paperboard_general_for_construction_use", "material.ice.plastics_general", "material.ice.plastics_polystyrene_general_purpose", "material.ice.plastics_pvc_general",
		"material.ice.steel_general_eu_average", "material.ice.steel_general_world_average", "material.ice.timber_general"},
		"A newer row, or one of the same inventory that says whether the material is recycled, is used; food is counted as meals, and asbestos is no material of events."},
}
