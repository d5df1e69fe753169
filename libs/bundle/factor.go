package bundle

import (
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// Factor is one row of a factor set as served to clients: kg CO2e for one unit. Unpublished values are null, never 0.
type Factor struct {
	ID string `json:"id"`
	// Series is the id without its year.
	Series   string          `json:"series"`
	Category string          `json:"category"`
	Activity string          `json:"activity"`
	Detail   string          `json:"detail"`
	Unit     string          `json:"unit"`
	KgCO2e   decimal.Decimal `json:"kgCO2e"`
	// The gases of KgCO2e, in kg CO2e.
	CO2 *decimal.Decimal `json:"co2"`
	CH4 *decimal.Decimal `json:"ch4"`
	N2O *decimal.Decimal `json:"n2o"`
	// WellToTank is published apart and added.
	WellToTank *decimal.Decimal `json:"wellToTank"`
	Region     string           `json:"region"`
	// Year is that of the figure; null when its source is undated.
	Year *int `json:"year"`
	// Fallback marks a row of another edition than the set's.
	Fallback       bool   `json:"fallback"`
	Source         string `json:"source"`
	SourceLocation string `json:"sourceLocation"`
	Licence        string `json:"licence"`
	// BestBefore is the day after which a newer figure should be looked for.
	BestBefore string `json:"bestBefore,omitempty"`
}

// FactorOf returns a row as clients see it.
func FactorOf(f factors.Factor) Factor {
	out := Factor{
		ID: f.ID, Series: f.Series, Category: f.Category, Activity: f.Activity, Detail: f.Detail, Unit: f.Unit, KgCO2e: f.KgCO2e,
		CO2: published(f.CO2), CH4: published(f.CH4), N2O: published(f.N2O), WellToTank: published(f.WTT),
		Region: f.Region, Fallback: f.Fallback, Source: f.Source, SourceLocation: f.SourceLocation, Licence: f.Licence,
		BestBefore: f.BestBefore(),
	}
	if f.Year != 0 {
		year := f.Year
		out.Year = &year
	}
	return out
}

func published(v factors.Value) *decimal.Decimal {
	if !v.Published {
		return nil
	}
	d := v.Decimal
	return &d
}
