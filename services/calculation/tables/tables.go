// Package tables arranges a footprint in the tables required by standards. Each
// table has every kilogram of the total in exactly one row, so that its rows add up
// to it.
package tables

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// Table is a footprint in the rows of one standard.
type Table struct {
	// Standard is ghg-protocol, iso-14064-1, esrs-e1-6 or nzce.
	Standard string `json:"standard"`
	Title    string `json:"title"`
	Rows     []Row  `json:"rows"`
	// Total is the sum of the rows, and that of the result.
	Total footprint.Mass `json:"totalKgCO2e"`
	// MarketBasedTotal is the total with market-based scope 2; null if the standard does not require it or the engine
	// cannot compare.
	MarketBasedTotal *footprint.Mass `json:"marketBasedTotalKgCO2e,omitempty"`
	// Note states a choice that the standard permits.
	Note string `json:"note"`
}

// Row is a row of a table.
type Row struct {
	Name   string         `json:"name"`
	KgCO2e footprint.Mass `json:"kgCO2e"`
}

// Of returns the tables of a footprint.
func Of(cells []total.Cell, market *total.MarketBased) []Table {
	out := make([]Table, 0, len(standards))
	for _, s := range standards {
		t := Table{Standard: s.id, Title: s.title, Note: s.note, Rows: make([]Row, 0, len(s.rows))}
		sums := map[string]footprint.Mass{}
		for _, c := range cells {
			sums[s.of(c)] = sums[s.of(c)].Add(c.Mass)
			t.Total = t.Total.Add(c.Mass)
		}
		for _, name := range s.rows {
			if m := sums[name]; s.whole || !m.IsZero() {
				t.Rows = append(t.Rows, Row{name, m})
			}
		}
		if s.dual && market != nil && market.Scope2 != nil {
			m := t.Total.Sub(market.Scope2.LocationKg).Add(market.Scope2.MarketKg)
			t.MarketBasedTotal = &m
		}
		out = append(out, t)
	}
	return out
}

// RowOf returns the row of a table to which a line belongs; empty for an unknown
// standard.
func RowOf(standard string, c total.Cell) string {
	for _, s := range standards {
		if s.id == standard {
			return s.of(c)
		}
	}
	return ""
}

// CellOf returns what of a line decides its rows.
func CellOf(typ string, l *footprint.Line) total.Cell {
	return total.Cell{Type: typ, Scope: l.Scope, Category: l.Category, Factor: l.FactorID, Mass: l.Mass}
}

type standard struct {
	id, title, note string
	rows            []string
	// whole tables include their empty rows.
	whole, dual bool
	of          func(total.Cell) string
}

const optional = "Optional: visitors, and what is exhibitors' own"

// Category begins the names of rows that are a category of scope 3.
const Category = "Scope 3, category "

// The fifteen categories of scope 3; records can only be in those with rows.
var protocolRows = []string{
	"Scope 1", "Scope 2 (location-based)",
	"Scope 3, category 1 Purchased goods and services", "Scope 3, category 2 Capital goods", "Scope 3, category 3 Fuel- and energy-related activities",
	"Scope 3, category 4 Upstream transportation and distribution", "Scope 3, category 5 Waste generated in operations", "Scope 3, category 6 Business travel",
	"Scope 3, category 7 Employee commuting", "Scope 3, category 8 Upstream leased assets", "Scope 3, category 9 Downstream transportation and distribution",
	"Scope 3, category 11 Use of sold products", "Scope 3, category 12 End-of-life treatment of sold products", optional,
}

func protocolRow(c total.Cell) string {
	switch {
	case c.Scope == 1:
		return protocolRows[0]
	case c.Scope == 2:
		return protocolRows[1]
	case c.Category == footprint.CategoryOptional:
		return optional
	}
	return Category + c.Category
}

const (
	isoDirect    = "1 Direct GHG emissions and removals"
	isoEnergy    = "2 Indirect GHG emissions from imported energy"
	isoTransport = "3 Indirect GHG emissions from transportation"
	isoUsed      = "4 Indirect GHG emissions from products used by the organization"
	isoSold      = "5 Indirect GHG emissions associated with the use of products from the organization"
	isoOther     = "6 Indirect GHG emissions from other sources"
)

func isoRow(c total.Cell) string {
	number, _, _ := strings.Cut(c.Category, " ")
	switch {
	case c.Scope == 1:
		return isoDirect
	case c.Scope == 2:
		return isoEnergy
	case c.Category == footprint.CategoryOptional:
		switch c.Type {
		case "flights", "ground-transport", footprint.AttendeeTravel, "accommodation", "freight":
			return isoTransport
		}
		return isoOther
	}
	switch number {
	case "6", "7":
		// Homes of remote participants: commuting and business travel of ISO 14064-1 (annex B) are transport, which
		// heating a home is not.
		if c.Type == "digital" {
			return isoOther
		}
		return isoTransport
	case "4", "9":
		return isoTransport
	case "11", "12":
		return isoSold
	}
	return isoUsed
}

const (
	nzceTravel = "Travel to/from the destination"
	nzceLocal  = "Local transportation"
	nzceNone   = "In none of the nine: purchases by money and custom records"
)

var nzceRows = []string{"Production & materials", "Freight & logistics", "Food & beverage", nzceTravel, nzceLocal, "Accommodation", "Energy", "Waste",
	"Digital content & communication", nzceNone}

// localModes are in the ids of factors of journeys within a place.
var localModes = []string{"-bus-", "-taxi-", "-rail-light", "-rail-underground"}

// nzceWaste reports whether a part of a record is the treatment of waste and water. The ids of rows of the built-in
// sets show it; a pack has other ids.
func nzceWaste(c total.Cell) bool {
	if strings.HasPrefix(c.Factor, "waste.") || strings.HasPrefix(c.Factor, "water.water_treatment.") {
		return true
	}
	return (c.Type == "materials" || c.Type == "water") && c.Category == "5 Waste generated in operations"
}

func nzceRow(c total.Cell) string {
	if nzceWaste(c) {
		return "Waste"
	}
	switch c.Type {
	case "flights", footprint.AttendeeTravel: // its lines are the journey from home, by any mode
		return nzceTravel
	case "ground-transport":
		for _, mode := range localModes {
			if strings.Contains(c.Factor, mode) {
				return nzceLocal
			}
		}
		return nzceTravel
	case "accommodation":
		return "Accommodation"
	case "venue", "energy", "water":
		return "Energy"
	case "catering":
		return "Food & beverage"
	case "materials":
		return "Production & materials"
	case "freight":
		return "Freight & logistics"
	case "waste":
		return "Waste"
	case "digital":
		return "Digital content & communication"
	}
	return nzceNone
}

var standards = []standard{
	{id: "ghg-protocol", title: "GHG Protocol: scopes and categories of scope 3", rows: protocolRows, of: protocolRow, dual: true,
		note: "The Scope 3 Standard has no category for visitors; their journeys and stays, and the exhibitors' own emissions, are an optional row."},
	{id: "iso-14064-1", title: "ISO 14064-1:2018: categories", rows: []string{isoDirect, isoEnergy, isoTransport, isoUsed, isoSold, isoOther}, of: isoRow, whole: true,
		note: "Scope 3 categories 4, 6, 7 and 9, and journeys, stays and freight of visitors and exhibitors, are in transportation; upstream parts of energy, leased venues and waste are in products used; what else visitors and exhibitors cause, such as the exhibitors' goods and the visitors' streams, and the heating of homes from which people take part, are in other sources, because they are neither transport nor used by the organization."},
	{id: "esrs-e1-6", title: "ESRS E1-6: gross scopes 1, 2, 3 and total GHG emissions", rows: protocolRows, of: protocolRow, dual: true,
		note: "Total location-based and total market-based, by ESRS E1 AR 47. Biogenic CO2 and removals are not in the rows. Report in tonnes."},
	{id: "nzce", title: "Net Zero Carbon Events: nine categories", rows: nzceRows, of: nzceRow, whole: true,
		note: "Buses, taxis, light rail and underground count as local transportation, all other journeys as travel to and from the destination; the supply of water is in energy, its treatment in waste."},
}
