package factors

import "github.com/eventcarbon/ecf/libs/decimal"

// Outside is the CO2 of biomass in kg per unit of a row, which its edition lists in another table, "outside of
// scopes".
type Outside struct {
	BiogenicCO2    decimal.Decimal
	Unit           string
	Source         string
	SourceLocation string
}

// outside are the rows of forecourt fuels, by series: average blends of diesel and petrol with biofuel. The published
// editions are unchanged; only newer engines use this table.
var outside = map[string]Outside{
	"energy.diesel_avg_blend.litre": {BiogenicCO2: decimal.New(14, 2), Unit: "litre",
		Source:         "UK Government GHG Conversion Factors for Company Reporting 2025, flat file (DESNZ)",
		SourceLocation: "Outside of scopes, forecourt fuels containing biofuel, row 99_604_1011_8_2; unchanged in 2026"},
	"energy.petrol_avg_blend.litre": {BiogenicCO2: decimal.New(13, 2), Unit: "litre",
		Source:         "UK Government GHG Conversion Factors for Company Reporting 2025, flat file (DESNZ)",
		SourceLocation: "Outside of scopes, forecourt fuels containing biofuel, row 99_604_1017_8_2; unchanged in 2026"},
}

// OutsideScopes returns the CO2 of biomass of a row that its edition lists separately.
func OutsideScopes(series string) (Outside, bool) {
	o, ok := outside[series]
	return o, ok
}
