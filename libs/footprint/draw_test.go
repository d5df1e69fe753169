package footprint_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// bodyOf collects the fields of a drawn body.
type bodyOf struct {
	t      *rapid.T
	fields []string
}

func (b *bodyOf) add(format string, args ...any) {
	b.fields = append(b.fields, fmt.Sprintf(format, args...))
}

// maybe adds a field or omits it.
func (b *bodyOf) maybe(format string, g *rapid.Generator[string]) {
	if rapid.Bool().Draw(b.t, format) {
		b.add(format, g.Draw(b.t, "value"))
	}
}

// one draws one of the values.
func (b *bodyOf) one(name string, values ...string) string {
	return rapid.SampledFrom(values).Draw(b.t, name)
}

func of(values ...string) *rapid.Generator[string] { return rapid.SampledFrom(values) }

var (
	drawNumber  = rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,6})?`)
	drawKm      = rapid.StringMatching(`[1-9][0-9]{0,3}(\.[0-9]{1,6})?`)
	drawCountry = of("GB", "DE", "US", "SE", "KE", "NZ", "AR", "XK", "FR")
	drawControl = of("own", "hired", "hired_with_operator")
)

// drawRecord draws a valid body of any type.
func drawRecord(t *rapid.T) (typ, body string) {
	typ = rapid.SampledFrom(footprint.Types()).Draw(t, "type")
	return typ, drawBody(t, typ)
}

// drawBody draws a valid body of a type.
func drawBody(t *rapid.T, typ string) string {
	b := &bodyOf{t: t}
	number := func(name string) string { return drawNumber.Draw(t, name) }
	evidence := false
	switch typ {
	case "flights":
		codes := rapid.Permutation([]string{"LHR", "EDI", "CDG", "JFK", "SYD", "NBO", "GRU", "BER", "KEF"}).Draw(t, "route")
		b.add(`"from":%q,"to":%q`, codes[0], codes[1])
		if rapid.Bool().Draw(t, "via") {
			b.add(`"via":[%q]`, codes[2])
		}
		b.add(`"passengers":%d`, rapid.IntRange(1, 500).Draw(t, "passengers"))
		b.maybe(`"class":%q`, of("economy", "premium_economy", "business", "first", "average"))
		b.maybe(`"trips":%s`, of("1", "2", "7"))
	case "accommodation":
		b.add(`"nights":%d,"rooms":%d`, rapid.IntRange(1, 20).Draw(t, "nights"), rapid.IntRange(1, 500).Draw(t, "rooms"))
		b.maybe(`"kind":%q`, of("hotel", "hostel", "apartment"))
	case "venue":
		b.add(`"electricityKWh":%s`, number("electricity"))
		b.maybe(`"gasKWh":%s`, drawNumber)
		b.maybe(`"heatKWh":%s`, drawNumber)
		b.maybe(`"control":%q`, drawControl)
		b.maybe(`"renewablePercent":%s`, of("0", "33.3", "100"))
	case "waste":
		b.add(`"treatment":%q,"weightKg":%s`, b.one("treatment", "landfill", "recycling", "incineration"), number("weight"))
		b.maybe(`"material":%q`, of("mixed", "glass", "wood", "paper_card"))
	case "ground-transport":
		drawGround(b)
	case "attendee-travel":
		towns := []string{`"place":"Leeds"`, `"place":"Berlin","country":"DE"`, `"country":"FR"`, `"code":"JFK"`, `"postcode":"BS1 4DJ","country":"GB"`}
		modes := []string{``, `,"mode":"rail"`, `,"mode":"car"`, `,"mode":"plane"`, `,"mode":"coach","roundTrip":false`}
		var rows []string
		for i := range rapid.IntRange(1, 4).Draw(t, "rows") {
			rows = append(rows, fmt.Sprintf(`{%s%s,"people":%d}`, b.one(fmt.Sprint("town", i), towns...), b.one(fmt.Sprint("mode", i), modes...), rapid.IntRange(1, 90).Draw(t, "people")))
		}
		b.add(`"to":"Brighton, GB","origins":[%s]`, strings.Join(rows, ","))
	case "freight":
		drawFreight(b)
	case "catering":
		b.add(`"meals":%d,"diet":%q`, rapid.IntRange(0, 5000).Draw(t, "meals"), b.one("diet", "vegan", "vegetarian", "fish", "white_meat", "red_meat", "mixed"))
		b.maybe(`"drinks":{"coffee":%s,"wine":2.5}`, drawNumber)
		b.maybe(`"mealType":%q`, of("main", "lunch", "dinner"))
		b.maybe(`"wastedPercent":%s`, of("0", "12.5", "100"))
	case "materials":
		drawMaterials(b)
	case "energy":
		source := b.one("source", "grid", "diesel", "petrol", "biodiesel", "hvo", "lpg", "natural_gas")
		unit := map[string]string{"grid": "energyKWh", "natural_gas": "volumeM3"}[source]
		if unit == "" {
			unit = "volumeLitres"
		}
		b.add(`"source":%q,%q:%s`, source, unit, number("amount"))
		b.maybe(`"control":%q`, drawControl)
	case "water":
		b.add(`"supplyM3":%s`, number("m3"))
		b.maybe(`"treated":%s`, of("true", "false"))
	case "digital":
		b.add(`"activity":%q,"participants":%d,"hours":%s`, b.one("activity", "conference", "streaming"), rapid.IntRange(1, 5000).Draw(t, "participants"), drawKm.Draw(t, "hours"))
		b.maybe(`"videoQuality":%q`, of("hd"))
	case "purchases":
		evidence = true
		b.add(`"category":"security","amount":%s,"currency":"EUR","kgCO2ePerUnit":%s,"factorSource":"supplier"`, number("amount"), b.one("factor", "0", "0.25", "1.75"))
	case "custom":
		evidence = true
		b.add(`"kgCO2e":%s,"description":"fireworks"`, number("kg"))
		b.maybe(`"scope":%s`, of("1", "2", "3"))
	default: // a type without a generator uses its examples
		return string(rapid.SampledFrom(footprint.Examples(typ)).Draw(t, "example"))
	}
	if typ != "flights" {
		b.maybe(`"country":%q`, drawCountry)
	}
	b.maybe(`"group":%q`, rapid.SampledFrom(footprint.Groups()))
	b.maybe(`"dataQuality":%q`, of("measured", "calculated", "estimated", "assumed"))
	b.maybe(`"date":%q`, of("2026-05-12", "2021-01-01"))
	if evidence || rapid.Bool().Draw(t, "evidence") {
		b.add(`"evidence":[{"name":"invoice"}]`)
	}
	if rapid.Bool().Draw(t, "survey") {
		population := rapid.IntRange(1, 2000).Draw(t, "population")
		b.add(`"population":%d,"respondents":%d`, population, rapid.IntRange(1, population).Draw(t, "respondents"))
		b.maybe(`"sampleCV":%s`, of("0", "0.35", "2"))
	}
	return "{" + strings.Join(b.fields, ",") + "}"
}

func drawGround(b *bodyOf) {
	mode := b.one("mode", "car", "taxi", "motorbike", "van", "bus", "coach", "rail", "international_rail", "tram", "metro", "ferry", "bicycle", "walk")
	b.add(`"mode":%q,"distanceKm":%s,"passengers":%d`, mode, drawKm.Draw(b.t, "km"), rapid.IntRange(1, 500).Draw(b.t, "passengers"))
	switch mode {
	case "car":
		b.maybe(`"fuel":%q`, of("petrol", "diesel", "hybrid", "plug_in_hybrid", "battery_electric", "unknown"))
		b.maybe(`"size":%q`, of("small", "medium", "large", "average"))
		b.maybe(`"occupancy":%s`, of("1", "1.5", "4"))
		b.maybe(`"control":%q`, drawControl)
	case "van":
		b.maybe(`"fuel":%q`, of("petrol", "diesel", "battery_electric", "unknown"))
	case "taxi":
		b.maybe(`"vehicles":%s`, of("1", "17"))
		b.maybe(`"size":%q`, of("regular", "black_cab"))
	}
	b.maybe(`"roundTrip":%s`, of("true", "false"))
	b.maybe(`"trips":%s`, of("1", "2", "7"))
}

func drawFreight(b *bodyOf) {
	mode := b.one("mode", "road", "rail", "sea", "air")
	b.add(`"mode":%q,"weightKg":%s,"distanceKm":%s`, mode, drawNumber.Draw(b.t, "kg"), drawKm.Draw(b.t, "km"))
	switch mode {
	case "road":
		b.maybe(`"vehicle":%q`, of("hgv", "van", "hgv_artic", "hgv_rigid_over_17t"))
	case "sea":
		b.maybe(`"vehicle":%q`, of("container_ship", "ropax_ferry"))
	case "air":
		b.maybe(`"haul":%q`, of("domestic", "short_haul", "long_haul", "international"))
		b.maybe(`"from":"LHR","to":%q`, of("JFK", "CDG", "EDI"))
	}
	b.maybe(`"roundTrip":%s`, of("true", "false"))
}

func drawMaterials(b *bodyOf) {
	switch b.one("amount", "weight", "grams", "carpet", "items", "hired") {
	case "weight":
		b.add(`"material":%q,"weightKg":%s`, b.one("material", "paper", "aluminium", "steel", "plastics", "pvc"), drawNumber.Draw(b.t, "kg"))
		b.maybe(`"source":%q`, of("virgin", "recycled"))
		b.maybe(`"endOfLife":%q`, of("landfill", "recycling", "incineration"))
	case "grams":
		b.add(`"material":"board","areaM2":%s,"gramsPerM2":%s`, drawNumber.Draw(b.t, "area"), drawNumber.Draw(b.t, "grams"))
	case "carpet":
		b.add(`"material":"carpet","areaM2":%s`, drawNumber.Draw(b.t, "area"))
	case "items":
		b.add(`"material":"tshirt_cotton","items":%d`, rapid.IntRange(1, 5000).Draw(b.t, "items"))
	case "hired":
		b.add(`"material":"wood","source":"hired","weightKg":%s,"usesOverLife":%d`, drawNumber.Draw(b.t, "kg"), rapid.IntRange(1, 50).Draw(b.t, "uses"))
	}
}
