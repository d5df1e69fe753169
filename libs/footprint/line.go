package footprint

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// Stages of a line.
const (
	Direct   = "direct"   // combustion or generation
	Upstream = "upstream" // well-to-tank, transmission and distribution
	Combined = "combined" // a factor published as one life-cycle figure
)

// Scope 3 categories, as named in results.
const (
	categoryGoods    = "1 Purchased goods and services"
	categoryFuel     = "3 Fuel- and energy-related activities"
	categoryFreight  = "4 Upstream transportation and distribution"
	categoryWaste    = "5 Waste generated in operations"
	categoryBusiness = "6 Business travel"
	categoryLeased   = "8 Upstream leased assets"
	// CategoryOptional is the travel and the stays of attendees and exhibitors,
	// for which the Scope 3 Standard has no category.
	CategoryOptional = "optional"
)

// GroupUnspecified is how records without a group are summed.
const GroupUnspecified = "unspecified"

// Gases are the parts of a mass in kg CO2e; they add up to it exactly.
type Gases struct {
	CO2 Mass `json:"co2"`
	CH4 Mass `json:"ch4"`
	N2O Mass `json:"n2o"`
	// AviationNonCO2 is the addition of radiative forcing to the CO2 of flights.
	AviationNonCO2 Mass `json:"aviationNonCO2"`
	// Unsplit is the part without a published gas split, and rounding residues.
	Unsplit Mass `json:"unsplit"`
}

// Add returns g + o.
func (g Gases) Add(o Gases) Gases {
	return Gases{CO2: g.CO2.Add(o.CO2), CH4: g.CH4.Add(o.CH4), N2O: g.N2O.Add(o.N2O),
		AviationNonCO2: g.AviationNonCO2.Add(o.AviationNonCO2), Unsplit: g.Unsplit.Add(o.Unsplit)}
}

// Sub returns g - o.
func (g Gases) Sub(o Gases) Gases {
	return Gases{CO2: g.CO2.Sub(o.CO2), CH4: g.CH4.Sub(o.CH4), N2O: g.N2O.Sub(o.N2O),
		AviationNonCO2: g.AviationNonCO2.Sub(o.AviationNonCO2), Unsplit: g.Unsplit.Sub(o.Unsplit)}
}

// Line is one product of a quantity and a factor.
type Line struct {
	// FactorID is the id of the row of the factor set, or "supplied" for a figure supplied with the record.
	FactorID string `json:"factorId"`
	// Quantity is the amount of activity in Unit, a survey scaled up included.
	Quantity string `json:"quantity"`
	Unit     string `json:"unit"`
	// KgPerUnit is the figure of the row that was used: its total, or its
	// well-to-tank part where Stage is upstream.
	KgPerUnit decimal.Decimal `json:"kgCO2ePerUnit"`
	Mass      Mass            `json:"kgCO2e"`
	// Low and High bound 95% of likely values.
	Low  Mass `json:"low"`
	High Mass `json:"high"`
	// Stage is direct, upstream or combined.
	Stage string `json:"stage"`
	// Scope is 1, 2 or 3; Category is set for scope 3 only.
	Scope    int    `json:"scope"`
	Category string `json:"scope3Category,omitempty"`
	// Group is the group of people, "unspecified" if not stated.
	Group string `json:"group"`
	Gases Gases  `json:"byGas"`
	// Quality is how the figure was found.
	Quality Quality `json:"dataQuality"`
	// Scores are the pedigree scores, 1 (best) to 5: reliability, completeness,
	// time, geography, technology.
	Scores [5]int `json:"scores"`
	// GSD2 is the factor of the 95% interval, in millionths.
	GSD2 uint64 `json:"gsd2Millionths"`
	// Doubt determines the interval; nil by engine 1.2.0, whose intervals come from GSD2 only.
	Doubt *Doubt `json:"uncertainty,omitempty"`
	// Leg is the part of the journey that the line belongs to, in attendee travel; nil otherwise.
	Leg *Leg `json:"leg,omitempty"`
	// Extrapolated is the part of Mass attributed to people who did not respond to a survey.
	Extrapolated Mass `json:"-"`

	// quality and variance determine GSD2.
	quality  scores
	variance *big.Int
}

// Quality is how a figure was found, best first.
type Quality uint8

// The qualities, and their number.
const (
	Measured Quality = iota
	Calculated
	Estimated
	Assumed
	Qualities
)

var qualityNames = [Qualities]string{"measured", "calculated", "estimated", "assumed"}

// String returns the name that records and results use.
func (q Quality) String() string { return qualityNames[min(q, Assumed)] }

// MarshalText returns the name.
func (q Quality) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText reads a name.
func (q *Quality) UnmarshalText(text []byte) error {
	i := slices.Index(qualityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("footprint: %q is not a data quality", text)
	}
	*q = Quality(i)
	return nil
}

// qualityOf returns the quality that a record states; absent means estimated.
func qualityOf(name string) Quality {
	if i := slices.Index(qualityNames[:], name); i >= 0 {
		return Quality(i)
	}
	return Estimated
}

// Evaluation is the result of one record.
type Evaluation struct {
	Lines   []Line   `json:"lines"`
	Notices []Notice `json:"notices"`
	// Defaulted are the absent fields whose defaults affect the figure.
	Defaulted []string `json:"defaulted"`

	// Type is the record type; Group is the group of people, "unspecified" if not stated.
	Type  string `json:"-"`
	Group string `json:"-"`
	// Biogenic is CO2 of biomass, outside of the scopes and of every line.
	Biogenic Mass `json:"-"`
	// NotRebased is the mass of lines without a gas split, which remain on the published basis with AR6.
	NotRebased Mass `json:"-"`
	// Engine is the engine that calculated the record.
	Engine string `json:"-"`
	// Market is the market-based figure of electricity; nil if the record has none.
	Market *Market `json:"-"`

	// narrowed are the lines without the widest assumption; nil for none.
	narrowed []Line
}

// Market are the sums of the market-based figure of electricity. Energy has the same form as mass: 10^-9 kWh.
type Market struct {
	Mass                        Mass
	Covered, Residual, GridMean Mass
	// Own is of electricity in the organiser's control, which is scope 2, Hired of
	// all other. Both are empty by engine 1.2.0.
	Own, Hired Compared
	// Upstream is the addition of grid losses and the supply of fuels to either figure.
	Upstream Mass
}

// Compared are the location-based and market-based figures of the same kilowatt-hours, within the same boundary:
// generation only, or the life cycle if the location's factor covers it.
type Compared struct{ Location, Market Mass }

// Add returns c + o.
func (c Compared) Add(o Compared) Compared {
	return Compared{Location: c.Location.Add(o.Location), Market: c.Market.Add(o.Market)}
}

// Sub returns c - o.
func (c Compared) Sub(o Compared) Compared {
	return Compared{Location: c.Location.Sub(o.Location), Market: c.Market.Sub(o.Market)}
}

// IsZero reports whether m is the zero value.
func (m Market) IsZero() bool { return m == Market{} }

// Add returns m + o.
func (m Market) Add(o Market) Market {
	return Market{Mass: m.Mass.Add(o.Mass), Covered: m.Covered.Add(o.Covered), Residual: m.Residual.Add(o.Residual), GridMean: m.GridMean.Add(o.GridMean),
		Own: m.Own.Add(o.Own), Hired: m.Hired.Add(o.Hired), Upstream: m.Upstream.Add(o.Upstream)}
}

// Sub returns m - o.
func (m Market) Sub(o Market) Market {
	return Market{Mass: m.Mass.Sub(o.Mass), Covered: m.Covered.Sub(o.Covered), Residual: m.Residual.Sub(o.Residual), GridMean: m.GridMean.Sub(o.GridMean),
		Own: m.Own.Sub(o.Own), Hired: m.Hired.Sub(o.Hired), Upstream: m.Upstream.Sub(o.Upstream)}
}
