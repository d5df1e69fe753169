package places

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// ModeShare is a row of a published table of how people travel: the share of one
// mode in a region, and in a band of distances where the table has bands.
type ModeShare struct {
	ID         string
	Region     string
	Population string
	// FromKm and ToKm are the band; 0 for no bound.
	FromKm, ToKm int64
	Mode         string
	Share        decimal.Decimal
	Year         int
	// Source, SourceLocation and Licence are where the row was published.
	Source, SourceLocation, Licence string
}

// metresPerKm is for the bands, which are in km.
const metresPerKm = 1000

// europe are the countries to which the table of the European Union is applied:
// its 28 members of 2017, and the countries of the EEA and Switzerland.
const europe = " AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE GB NO IS LI CH "

func inEurope(country string) bool { return strings.Contains(europe, " "+country+" ") }

// ModeShares returns the mode shares of people with known origin and destination only, at a great-circle distance in
// metres. Journeys within Great Britain and within Europe have their own tables; within another country those of the
// United States are used; between other countries people fly from 700 km on.
func ModeShares(from, to string, metres int64) []ModeShare {
	switch {
	case from == "GB" && to == "GB":
		return sharesOf("modesplit.gb.50mi+.")
	case inEurope(from) && from == to:
		return sharesOf("modesplit.eu28.overnight.domestic.")
	case inEurope(from) && inEurope(to):
		return sharesOf("modesplit.eu28.overnight.abroad.")
	case from != to && metres >= 700*metresPerKm:
		return sharesOf("rule.conference.egu.plane")
	}
	return sharesOf(usBand(metres))
}

// usBand returns the prefix of the band of a distance; the first band includes all shorter ones.
func usBand(metres int64) string {
	band := ""
	for _, m := range journeys().modes {
		if m.Region == "US" && strings.HasPrefix(m.ID, "modesplit.us.") && (band == "" || metres >= m.FromKm*metresPerKm) {
			band = m.ID[:strings.LastIndex(m.ID, ".")+1]
		}
	}
	return band
}

// sharesOf returns the rows of a table with a named mode; "other modes" of the source are omitted, and the rest is
// scaled up.
func sharesOf(prefix string) (rows []ModeShare) {
	for _, m := range journeys().modes {
		if strings.HasPrefix(m.ID, prefix) && !strings.HasPrefix(m.Mode, "other") {
			rows = append(rows, m)
		}
	}
	return rows
}

// AirportAccess returns the rows of how people get to and from airports.
func AirportAccess() []ModeShare { return sharesOf("access.uk11.") }
