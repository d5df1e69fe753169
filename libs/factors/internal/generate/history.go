package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// historyYears are the editions before those of the first collection. They are
// sets that an event can adopt, and no event gets one by itself.
var historyYears = []int{2018, 2019, 2020, 2021, 2022, 2023}

// historyTables maps a sheet of the UK workbooks to the table of its rows.
var historyTables = map[string]string{
	"Business travel- air": "flights", "Business travel- land": "ground-transport", "Business travel- sea": "ground-transport", "Freighting goods": "freight",
	"Waste disposal": "waste", "Material use": "materials", "Fuels": "venue_energy", "Water supply": "venue_energy", "Water treatment": "venue_energy",
	"UK electricity": "grid_electricity", "Transmission and distribution": "grid_electricity", "Hotel stay": "accommodation",
}

// withHistory returns the tables with the rows of earlier years added. A row is added only if a later edition has the
// series: its texts are taken from there, its figure from the workbook of its year.
func withHistory(tables map[string][]row) (map[string][]row, error) {
	out := maps.Clone(tables)
	templates := make(map[string]row)
	for _, table := range factorTables {
		out[table] = append([]row(nil), tables[table]...)
		for _, r := range tables[table] {
			correct(r)
			key := series(r["factor_id"])
			if old, ok := templates[key]; r["verified"] == "yes" && (!ok || r["year"] < old["year"]) {
				templates[key] = r
			}
		}
	}
	hotels := make(map[string]string)
	for _, r := range tables["accommodation"] {
		if strings.HasPrefix(r["factor_id"], "acc.hotel.") && r["year"] == "2026" {
			hotels[hotelName(r["detail"])] = series(r["factor_id"])
		}
	}
	seen := make(map[string]string)
	add := func(table, key, year, figure, source, place string) error {
		t, ok := templates[key]
		if n, err := strconv.Atoi(year); !ok || err != nil || n < historyYears[0] || n > historyYears[len(historyYears)-1] || figure == "" {
			return nil //nolint:nilerr // a year that is no number is none of those held
		}
		id := yearOfID(t["factor_id"], year)
		if old, twice := seen[id]; twice {
			if old != figure {
				return fmt.Errorf("%s is both %s and %s", id, old, figure)
			}
			return nil
		}
		seen[id] = figure
		r := make(row, len(t))
		maps.Copy(r, t)
		r["factor_id"], r["year"], r["kgco2e_per_unit"], r["source"], r["source_location"] = id, year, figure, source, place
		for _, cell := range []string{"co2", "ch4", "n2o", "wtt_kgco2e_per_unit"} {
			r[cell] = ""
		}
		out[table] = append(out[table], r)
		return nil
	}
	for _, r := range tables["uk_desnz_by_year"] {
		key := historySeries(r)
		if r["sheet"] == "Hotel stay" {
			key = hotels[hotelName(r["activity"]+" "+r["detail"])]
		}
		if table := historyTables[r["sheet"]]; key != "" && table != "" {
			source := "DESNZ (before 2023 BEIS) UK Government GHG conversion factors " + r["year"] + " (OGL v3.0)"
			if err := add(table, key, r["year"], r["kgco2e_per_unit"], source, r["sheet"]+"!"+r["cell"]); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range tables["grid_by_year"] {
		if len(r["region"]) == 2 && strings.HasPrefix(r["boundary"], "life cycle (Ember)") && r["kgco2e_per_kwh"] != "0" {
			region := strings.ToLower(r["region"])
			if r["iso3"] == "CYM" {
				region = "ky" // the table names the Cayman Islands by the code of Cyprus
			}
			key := "elec." + region + ".ember"
			if err := add("grid_electricity", key, r["year"], r["kgco2e_per_kwh"], r["source"], r["origin"]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// yearOfID writes the year of an edition into an id.
func yearOfID(id, year string) string {
	if at := yearInID.FindStringIndex(id); at != nil {
		part := id[at[0]:at[1]]
		begin := at[0] + strings.Index(part, "20")
		return id[:begin] + year + id[begin+4:]
	}
	return id + "." + year
}

// hotelName is a country as the sheets of hotels name it.
func hotelName(text string) string {
	text = strings.TrimSpace(strings.ToLower(text))
	text = strings.TrimSpace(strings.TrimPrefix(text, "hotel stay"))
	name, _, _ := strings.Cut(text, ";")
	return strings.TrimSpace(name)
}

var (
	historyHauls = map[string]string{"Domestic, to/from UK": "domestic", "Short-haul, to/from UK": "short_haul", "Long-haul, to/from UK": "long_haul",
		"International, to/from non-UK": "international_non_uk"}
	historyClasses = map[string]string{"Average passenger": "average", "Economy class": "economy", "Premium economy class": "premium_economy",
		"Business class": "business", "First class": "first"}
	historyForcing = map[string]string{"With RF": "rf", "Without RF": "norf"}
	historyGround  = map[string]string{
		"Taxis Regular taxi passenger.km": "taxi-regular-pkm", "Taxis Regular taxi km": "taxi-regular-km", "Taxis Black cab passenger.km": "taxi-black_cab-pkm",
		"Taxis Black cab km": "taxi-black_cab-km", "Bus Local bus (not London) passenger.km": "bus-local_not_london", "Bus Local London bus passenger.km": "bus-local_london",
		"Bus Average local bus passenger.km": "bus-average_local", "Bus Coach passenger.km": "coach", "Rail National rail passenger.km": "rail-national",
		"Rail International rail passenger.km": "rail-international", "Rail Light rail and tram passenger.km": "rail-light", "Rail London Underground passenger.km": "rail-underground",
		"Motorbike Small km": "motorbike-small", "Motorbike Medium km": "motorbike-medium", "Motorbike Large km": "motorbike-large", "Motorbike Average km": "motorbike-average",
		"Ferry Foot passenger passenger.km": "ferry-foot", "Ferry Car passenger passenger.km": "ferry-car", "Ferry Average (all passenger) passenger.km": "ferry-average",
	}
	historySizes   = map[string]string{"Small car": "small", "Medium car": "medium", "Large car": "large", "Average car": "average"}
	historyBurnt   = map[string]string{"Diesel": "diesel", "Petrol": "petrol", "Hybrid": "hybrid", "CNG": "cng", "LPG": "lpg", "Unknown": "unknown"}
	historyFreight = map[string]string{
		"Rail Freight train": "rail-freight", "Cargo ship Container ship | Average": "sea-container-average", "Cargo ship Bulk carrier | Average": "sea-bulk-average",
		"Cargo ship General cargo | Average": "sea-general-cargo-average", "Cargo ship RoRo-Ferry | Average": "sea-roro-average",
		"Cargo ship Large RoPax ferry | Average": "sea-ropax-average", "Cargo ship Vehicle transport | Average": "sea-vehicle-average",
		"HGV (all diesel) All HGVs": "hgv-average", "HGV (all diesel) All rigids": "hgv-average-rigid", "HGV (all diesel) All artics": "hgv-average-artic",
		"HGV (all diesel) Rigid (>3.5 - 7.5 tonnes)": "hgv-rigid-3.5-7.5t", "HGV (all diesel) Rigid (>7.5 tonnes-17 tonnes)": "hgv-rigid-7.5-17t",
		"HGV (all diesel) Rigid (>17 tonnes)": "hgv-rigid-17t", "HGV (all diesel) Articulated (>3.5 - 33t)": "hgv-artic-3.5-33t",
		"HGV (all diesel) Articulated (>33t)": "hgv-artic-33t", "HGV refrigerated (all diesel) All HGVs": "hgv-refrigerated-average",
		"HGV refrigerated (all diesel) All artics": "hgv-refrigerated-artic",
	}
	historyVans = map[string]string{"Average (up to 3.5 tonnes)": "average", "Class I (up to 1.305 tonnes)": "class1", "Class III (1.74 to 3.5 tonnes)": "class3"}
	historyAir  = map[string]string{"Domestic, to/from UK": "domestic", "Short-haul, to/from UK": "short_haul", "Long-haul, to/from UK": "long_haul",
		"International, to/from non-UK": "international"}
	historyRoutes = map[string]string{"Open-loop": "recycling_open_loop", "Closed-loop": "recycling_closed_loop", "Landfill": "landfill",
		"Combustion": "incineration_energy_recovery", "Composting": "composting", "Anaerobic digestion": "anaerobic_digestion"}
	historySources = map[string]string{"Primary material production": "primary", "Re-used": "reused", "Closed-loop source": "closed_loop_recycled", "Closed loop source": "closed_loop_recycled"}
	historyFuels   = map[string]string{
		"Natural gas": "natural_gas", "Natural gas (100% mineral blend)": "natural_gas_mineral", "LPG": "lpg", "Propane": "propane", "Butane": "butane", "LNG": "lng", "CNG": "cng",
		"Burning oil": "burning_oil_kerosene", "Gas oil": "gas_oil_red_diesel", "Diesel (average biofuel blend)": "diesel_avg_blend", "Diesel (100% mineral diesel)": "diesel_mineral",
		"Petrol (average biofuel blend)": "petrol_avg_blend", "Petrol (100% mineral petrol)": "petrol_mineral", "Fuel oil": "fuel_oil", "Processed fuel oils - distillate oil": "distillate_oil",
	}
	historyUnits = map[string]string{"litres": "litre", "kWh (Gross CV)": "kwh_gross_cv", "cubic metres": "m3"}
)

// joined returns prefix and the parts; empty if a part is empty, that is, if no series corresponds to the row.
func joined(prefix, between string, parts ...string) string {
	if slices.Contains(parts, "") {
		return ""
	}
	return prefix + strings.Join(parts, between)
}

// historySeries returns the series of a row of the UK workbooks, empty if the sets have none.
func historySeries(r row) string {
	column, detail := r["column"], r["detail"]
	switch r["sheet"] {
	case "Business travel- air":
		haul, class, _ := strings.Cut(detail, " | ")
		return joined("desnz-flight-", "-", historyHauls[haul], historyClasses[class], historyForcing[column])
	case "Business travel- land", "Business travel- sea":
		if r["activity"] == "Cars (by size)" && r["unit"] == "km" {
			return joined("desnz-car-", "-", historySizes[detail], historyBurnt[column])
		}
		return joined("desnz-", "", historyGround[r["activity"]+" "+detail+" "+r["unit"]])
	case "Freighting goods":
		return freightSeries(r)
	case "Waste disposal":
		return joined("waste.", ".", slug(detail), historyRoutes[column])
	case "Material use":
		return joined("material.", ".", slug(detail), historySources[column])
	case "Fuels":
		return joined("energy.", ".", historyFuels[detail], historyUnits[r["unit"]])
	case "Water supply", "Water treatment":
		if r["unit"] == "cubic metres" {
			return "water." + slug(r["sheet"]) + ".m3"
		}
	case "UK electricity":
		return "elec.gb.location"
	case "Transmission and distribution":
		if strings.Contains(strings.ToLower(r["activity"]+detail), "electricity") {
			return "elec.gb.td_loss"
		}
	}
	return ""
}

func freightSeries(r row) string {
	column, detail := r["column"], r["detail"]
	switch {
	case r["activity"] == "Vans" && r["unit"] == "tonne.km":
		return joined("desnz-freight-van-", "-", historyVans[detail], historyBurnt[column], "tkm")
	case r["activity"] == "Vans" && r["unit"] == "km":
		return joined("desnz-freight-van-", "-", historyVans[detail], historyBurnt[column], "km")
	case r["activity"] == "Freight flights":
		return joined("desnz-freight-air-", "-", historyAir[detail], historyForcing[column])
	case r["unit"] == "tonne.km" && (column == "" || column == "Average laden"):
		return joined("desnz-freight-", "", historyFreight[r["activity"]+" "+detail])
	}
	return ""
}
