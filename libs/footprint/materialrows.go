package footprint

// materialRowsOf has the rows of a material: the series by source (virgin, recycled, reused), by area and by item,
// and its waste rows. Empty: not published.
type materialRowsOf struct {
	name       string
	columns    [3]string
	area, item string
	// sheets marks materials weighed by paper size; sheet is the row of the weight per square metre, piece that per
	// piece.
	sheets       bool
	sheet, piece string
	// waste is the material of the waste factors, kind the one of a waste record: a common vocabulary, so that an end
	// of life that is counted twice can be found. Carpet has no waste factor and uses that of textiles.
	waste, kind string
}

// column returns the index of a source; hired material was once made from virgin material.
func (r *materialRowsOf) column(source string) int {
	switch source {
	case recycled:
		return 1
	case reused:
		return 2
	}
	return 0
}

// desnz returns the columns of a DESNZ material; the letters state which of primary (p), closed loop (c) and reused
// (r) are published.
func desnz(slug, published string) [3]string {
	var out [3]string
	for _, column := range published {
		switch column {
		case 'p':
			out[0] = slug + ".primary"
		case 'c':
			out[1] = slug + ".closed_loop_recycled"
		case 'r':
			out[2] = slug + ".reused"
		}
	}
	return out
}

func ice(slug string) [3]string { return [3]string{"ice." + slug} }

// materialRows are the materials, grouped. DESNZ takes precedence over the older ICE.
var materialRows = [...]materialRowsOf{
	{name: "paper", sheets: true, columns: desnz("paper_and_board_paper", "pc"), waste: "paper_and_board_paper", kind: "paper_card"},
	{name: "board", sheets: true, columns: desnz("paper_and_board_board", "pc"), waste: "paper_and_board_board", kind: "paper_card"},
	{name: "paper_and_board", sheets: true, columns: desnz("paper_and_board_mixed", "pc"), waste: "paper_and_board_mixed", kind: "paper_card"},
	{name: "plastics", columns: desnz("plastics_average_plastics", "pc"), waste: "plastics_average_plastics", kind: "plastic"},
	{name: "plastic_film", columns: desnz("plastics_average_plastic_film", "pc"), waste: "plastics_average_plastic_film", kind: "plastic"},
	{name: "plastic_rigid", columns: desnz("plastics_average_plastic_rigid", "pc"), waste: "plastics_average_plastic_rigid", kind: "plastic"},
	{name: "hdpe", columns: desnz("plastics_hdpe_incl_forming", "pc"), waste: "plastics_hdpe_incl_forming", kind: "plastic"},
	{name: "ldpe", columns: desnz("plastics_ldpe_and_lldpe_incl_forming", "pc"), waste: "plastics_ldpe_and_lldpe_incl_forming", kind: "plastic"},
	{name: "pet", columns: desnz("plastics_pet_incl_forming", "pc"), waste: "plastics_pet_incl_forming", kind: "plastic"},
	{name: "pp", columns: desnz("plastics_pp_incl_forming", "pc"), waste: "plastics_pp_incl_forming", kind: "plastic"},
	{name: "ps", columns: desnz("plastics_ps_incl_forming", "pc"), waste: "plastics_ps_incl_forming", kind: "plastic"},
	{name: "pvc", columns: desnz("plastics_pvc_incl_forming", "pc"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "pvc_foam_board", sheet: "weight.pvc_foam_board.5mm", columns: desnz("plastics_pvc_incl_forming", "pc"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "pvc_foam_board_3mm", sheet: "weight.pvc_foam_board.3mm", columns: desnz("plastics_pvc_incl_forming", "pc"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "pvc_foam_board_10mm", sheet: "weight.pvc_foam_board.10mm", columns: desnz("plastics_pvc_incl_forming", "pc"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "pvc_banner", sheet: "weight.pvc_banner", columns: desnz("plastics_pvc_incl_forming", "pc"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "pvc_sheet", columns: ice("plastics_pvc_calendered_sheet"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "upvc_film", columns: ice("plastics_upvc_film"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "polystyrene_expanded", columns: ice("plastics_polystyrene_expanded"), waste: "plastics_ps_incl_forming", kind: "plastic"},
	{name: "polycarbonate", columns: ice("plastics_polycarbonate"), waste: "plastics_average_plastics", kind: "plastic"},
	{name: "abs", columns: ice("plastics_abs"), waste: "plastics_average_plastics", kind: "plastic"},
	{name: "pp_film", columns: ice("plastics_polypropylene_orientated_film"), waste: "plastics_pp_incl_forming", kind: "plastic"},
	{name: "glass", columns: desnz("glass", "pc"), waste: "glass", kind: "glass"},
	{name: "metals", columns: desnz("metals", "pc"), waste: "metals", kind: "metal"},
	{name: "scrap_metal", columns: desnz("metal_scrap_metal", "pc"), waste: "metal_scrap_metal", kind: "metal"},
	{name: "mixed_cans", columns: desnz("metal_mixed_cans", "pc"), waste: "metal_mixed_cans", kind: "metal"},
	{name: "steel_cans", columns: desnz("metal_steel_cans", "pc"), waste: "metal_steel_cans", kind: "metal"},
	{name: "aluminium_cans_and_foil", columns: desnz("metal_aluminium_cans_and_foil_excl_forming", "pc"), waste: "metal_aluminium_cans_and_foil_excl_forming", kind: "metal"},
	{name: "aluminium", columns: [3]string{"ice.aluminium_general_virgin", "ice.aluminium_general_recycled"}, waste: "metal_scrap_metal", kind: "metal"},
	{name: "aluminium_extruded", columns: ice("aluminium_extruded_average"), waste: "metal_scrap_metal", kind: "metal"},
	{name: "aluminium_sheet", columns: ice("aluminium_rolled_average"), waste: "metal_scrap_metal", kind: "metal"},
	{name: "steel", columns: [3]string{"ice.steel_general_virgin", "ice.steel_general_recycled"}, waste: "metal_scrap_metal", kind: "metal"},
	{name: "steel_section", columns: ice("steel_section_eu_average"), waste: "metal_scrap_metal", kind: "metal"},
	{name: "steel_stainless", columns: ice("steel_stainless"), waste: "metal_scrap_metal", kind: "metal"},
	{name: "wood", columns: desnz("wood", "pr"), waste: "wood", kind: "wood"},
	{name: "mdf", columns: ice("timber_mdf"), waste: "wood", kind: "wood"},
	{name: "plywood", columns: ice("timber_plywood"), waste: "wood", kind: "wood"},
	{name: "osb", columns: ice("timber_oriented_strand_board_osb"), waste: "wood", kind: "wood"},
	{name: "carpet", columns: ice("carpet_general"), area: "ice.m2.carpet_general", kind: "textile"},
	{name: "carpet_nylon", columns: ice("carpet_nylon_polyamide_pile_weight_500_g_m2"), area: "ice.m2.carpet_nylon_polyamide_pile_weight_500_g_m2", kind: "textile"},
	{name: "carpet_tiles_nylon", columns: ice("carpet_nylon_polyamide_tiles_pile_weight_500_g_m2"), area: "ice.m2.carpet_nylon_polyamide_tiles_pile_weight_500_g_m2", kind: "textile"},
	{name: "carpet_polypropylene", columns: ice("carpet_polypropylene"), kind: "textile"},
	{name: "carpet_pet", columns: ice("carpet_polyethylterepthalate_pet"), kind: "textile"},
	{name: "carpet_wool", columns: ice("carpet_wool"), kind: "textile"},
	{name: "vinyl_flooring", columns: ice("vinyl_flooring_general"), waste: "plastics_pvc_incl_forming", kind: "plastic"},
	{name: "paint", columns: ice("paint_general")},
	{name: "clothing", columns: desnz("clothing", "pr"), waste: "clothing", kind: "textile"},
	{name: "cotton_fabric", columns: ice("cotton_fabric"), waste: "clothing", kind: "textile"},
	{name: "tshirt_cotton", item: "textile.tshirt_cotton.each", waste: "clothing", kind: "textile"},
	{name: "tshirt_polyester", item: "textile.tshirt_polyester.each", waste: "clothing", kind: "textile"},
	{name: "polo_shirt", item: "textile.polo.each", waste: "clothing", kind: "textile"},
	{name: "lanyard", piece: "choice.lanyard.grams", columns: desnz("clothing", "pr"), waste: "clothing", kind: "textile"},
	{name: "sweatshirt_cotton", item: "item.sweatshirt_cotton", waste: "clothing", kind: "textile"},
	{name: "shirt_cotton", item: "item.shirt_cotton", waste: "clothing", kind: "textile"},
	{name: "rain_jacket", item: "item.jacket_rain", waste: "clothing", kind: "textile"},
	{name: "chair_wood", item: "item.chair_wood", waste: "wood", kind: "wood"},
	{name: "table_wood", item: "item.table_wood", waste: "wood", kind: "wood"},
	{name: "sofa", item: "item.sofa_textile"},
	{name: "usb_stick", item: "item.usb_stick", waste: "weee_small", kind: "electrical"},
	{name: "tablet", item: "item.tablet", waste: "weee_small", kind: "electrical"},
	{name: "laptop", item: "item.laptop", waste: "weee_small", kind: "electrical"},
	{name: "screen", item: "item.screen", waste: "weee_mixed", kind: "electrical"},
	{name: "television", item: "item.television", waste: "weee_mixed", kind: "electrical"},
	{name: "projector", item: "item.projector", waste: "weee_small", kind: "electrical"},
	{name: "smartphone", item: "item.smartphone", waste: "weee_small", kind: "electrical"},
	{name: "it_equipment", columns: desnz("electrical_items_it", "p"), waste: "weee_mixed", kind: "electrical"},
	{name: "electrical_small", columns: desnz("electrical_items_small", "p"), waste: "weee_small", kind: "electrical"},
	{name: "electrical_large", columns: desnz("electrical_items_large", "p"), waste: "weee_large", kind: "electrical"},
	{name: "fridges_and_freezers", columns: desnz("electrical_items_fridges_and_freezers", "p"), waste: "weee_fridges_and_freezers", kind: "electrical"},
	{name: "batteries_alkaline", columns: desnz("batteries_alkaline", "p"), waste: "batteries", kind: "electrical"},
	{name: "batteries_li_ion", columns: desnz("batteries_li_ion", "p"), waste: "batteries", kind: "electrical"},
	{name: "batteries_nimh", columns: desnz("batteries_nimh", "p"), waste: "batteries", kind: "electrical"},
	{name: "construction", columns: desnz("average_construction", "p"), waste: "average_construction", kind: "construction"},
	{name: "aggregates", columns: desnz("aggregates", "pcr"), waste: "aggregates", kind: "construction"},
	{name: "asphalt", columns: desnz("asphalt", "pcr"), waste: "asphalt", kind: "construction"},
	{name: "bricks", columns: desnz("bricks", "p"), waste: "bricks", kind: "construction"},
	{name: "concrete", columns: desnz("concrete", "pc"), waste: "concrete", kind: "construction"},
	{name: "insulation", columns: desnz("insulation", "pc"), waste: "insulation", kind: "construction"},
	{name: "plasterboard", columns: desnz("plasterboard", "pc"), waste: "plasterboard", kind: "construction"},
	{name: "soils", columns: desnz("soils", "c"), waste: "soils", kind: "construction"},
	{name: "tyres", columns: desnz("tyres", "pr"), waste: "tyres"},
	{name: "mineral_oil", columns: desnz("mineral_oil", "pc"), waste: "mineral_oil"},
	{name: "garden_compost", columns: desnz("compost_derived_from_garden_waste", "p")},
	{name: "food_and_garden_compost", columns: desnz("compost_derived_from_food_and_garden_waste", "p")},
}

func materialRow(name string) *materialRowsOf {
	for i := range materialRows {
		if materialRows[i].name == name {
			return &materialRows[i]
		}
	}
	return nil
}

// WasteOf returns the material of a waste record for one of a materials record, and whether there is one: the same
// material in both may be one end of life counted twice.
func WasteOf(material string) (string, bool) {
	r := materialRow(material)
	if r == nil || r.kind == "" {
		return "", false
	}
	return r.kind, true
}
