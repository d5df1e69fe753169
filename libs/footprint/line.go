package footprint

import (
	"github.com/eventcarbon/ecf/libs/decimal"
)

// Stages of a line.
const (
	Direct   = "direct"   // combustion or generation
	Upstream = "upstream" // well-to-tank, transmission and distribution
	Combined = "combined" // a factor published as one life-cycle figure
)

// Scope 3 categories, as they are named in results.
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
	// AviationNonCO2 is what radiative forcing adds to the CO2 of flights.
	AviationNonCO2 Mass `json:"aviationNonCO2"`
	// Unsplit is what no gas split was published for, and rounding residues.
	Unsplit Mass `json:"unsplit"`
}

func (g Gases) add(o Gases) Gases {
	return Gases{CO2: g.CO2.Add(o.CO2), CH4: g.CH4.Add(o.CH4), N2O: g.N2O.Add(o.N2O),
		AviationNonCO2: g.AviationNonCO2.Add(o.AviationNonCO2), Unsplit: g.Unsplit.Add(o.Unsplit)}
}

// Line is one product of a quantity and a factor.
type Line struct {
	// FactorID names the row of the factor set, or "supplied" for a figure that
	// came with the record.
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
	// Group is whom the record is about, "unspecified" when it does not say.
	Group string `json:"group"`
	Gases Gases  `json:"byGas"`
	// Quality is measured, calculated, estimated or assumed.
	Quality string `json:"dataQuality"`
	// Scores are the pedigree scores, 1 (best) to 5: reliability, completeness,
	// time, geography, technology.
	Scores [5]int `json:"scores"`
	// GSD2 is the factor of the 95% interval, in millionths.
	GSD2 uint64 `json:"gsd2Millionths"`

	quality      quality
	extrapolated Mass
}

// quality is how a figure was found, best first.
type quality uint8

const (
	measured quality = iota
	calculated
	estimated
	assumed
	qualities
)

var qualityNames = [qualities]string{"measured", "calculated", "estimated", "assumed"}

func qualityOf(name string) quality {
	for q, n := range qualityNames {
		if n == name {
			return quality(q)
		}
	}
	return estimated
}

// Evaluation is what one record comes to.
type Evaluation struct {
	Lines   []Line   `json:"lines"`
	Notices []Notice `json:"notices"`
	// Defaulted names the fields that were absent and got a default that moves
	// the figure.
	Defaulted    []string     `json:"defaulted"`
	Contribution Contribution `json:"-"`
}

// Preview is the footprint that a record shows.
type Preview struct {
	KgCO2e    Mass     `json:"kgCO2e"`
	Low       Mass     `json:"low"`
	High      Mass     `json:"high"`
	FactorSet string   `json:"factorSet"`
	Defaulted []string `json:"defaulted"`
	Notices   []Notice `json:"notices"`
}

// Preview gives the footprint to show. The notices of Decode are not in it:
// put them in front.
func (e Evaluation) Preview(factorSet string) Preview {
	total := interval(e.Contribution.cells)
	p := Preview{KgCO2e: total.KgCO2e, Low: total.Low, High: total.High, FactorSet: factorSet,
		Defaulted: e.Defaulted, Notices: e.Notices}
	if p.Defaulted == nil {
		p.Defaulted = []string{}
	}
	if p.Notices == nil {
		p.Notices = []Notice{}
	}
	return p
}
