package footprint

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// OutdoorSite is the kind of venue that is counted by people and days: its energy is the fuel
// of generators.
const OutdoorSite = "outdoor_site"

// outdoorDiesel is the row of the diesel that a person uses there in a day.
const outdoorDiesel = "festival.diesel.per_person_day.2020"

// basicVenues are the building types whose energy use per square metre is in the supplement: all fuels, with the
// share of electricity in the row's text.
var basicVenues = [...]struct{ name, row string }{
	{"hotel", "venue.eui.us.hotel.seattle"},
	{"meeting_hall", "venue.eui.us.meeting_hall.seattle"},
	{"museum", "venue.eui.us.museum.seattle"},
	{"public_assembly", "venue.eui.us.public_assembly.seattle"},
	{"restaurant", "venue.eui.us.restaurant.seattle"},
	{"university", "venue.eui.us.university.seattle"},
	{"warehouse", "venue.eui.us.warehouse.seattle"},
	{"worship", "venue.eui.us.worship.seattle"},
}

// metered reports whether any energy is stated.
func (v *venue) metered() bool {
	return v.ElectricityKWh != nil || v.GasKWh != nil || v.HeatKWh != nil || v.AnnualElectricityKWh != nil || v.AnnualGasKWh != nil
}

// basicVenue adds the faults of a venue with only a building type.
func (d *decoder) basicVenue(v *venue) {
	switch {
	case v.metered() || d.Has("floorAreaM2") && v.VenueType != OutdoorSite || v.VenueType == "":
	case v.VenueType != OutdoorSite:
		d.Fault(apperr.Detail{Field: "floorAreaM2", Code: fields.Required,
			Message: "floorAreaM2 is required to estimate the energy of venueType " + v.VenueType + " where it was not metered, because no figures per attendee are published for buildings."})
	default:
		if v.Days == 0 && !d.Has("days") {
			d.Fault(apperr.Detail{Field: "days", Code: fields.Required, Message: "days is required to estimate the energy of an outdoor site."})
		}
		if v.Attendees == 0 && d.ev.Attendees == 0 && !d.Has("attendees") {
			d.Fault(apperr.Detail{Field: "attendees", Code: fields.Required,
				Message: "attendees (people on the site per day) is required to estimate the energy of an outdoor site, because the event has none. The litres of the generators in an energy record would be more accurate."})
		}
	}
}

// shareOf reads the share of electricity from the text of a row.
func shareOf(d factors.Default) (decimal.Decimal, bool) {
	_, text, ok := strings.Cut(d.Detail, "electricity share ")
	if !ok {
		return decimal.Decimal{}, false
	}
	text, _, _ = strings.Cut(text, ";")
	share, err := decimal.Parse(strings.TrimSpace(text))
	return share, err == nil && share.Cmp(decimal.FromInt(1)) <= 0
}

// basic estimates the energy of a building from its kind: yearly use × area ×
// days ÷ 365, split into electricity and gas.
func (c *calculation) basic(v *venue, kind string) (electricity, gas carrier) {
	for _, t := range basicVenues {
		if t.name != kind {
			continue
		}
		d, ok := c.stand(t.row, "venueType")
		share, known := shareOf(d)
		if !ok || !known {
			return carrier{}, carrier{}
		}
		c.note(NoticeVenueBasic, "venueType", "The energy is %s kWh/m² and year, %s of it electricity, × m² × days ÷ 365: the median of %s buildings in %s. A meter reading would be better.",
			d.Value, share, strings.ReplaceAll(kind, "_", " "), d.Region)
		// Days of an event use more than the days of an average year: twice as much
		// is inside the interval.
		c.assume(NoticeVenueBasic, "electricityKWh", spreadOf(d))
		c.assume(NoticeVenueBasic, "electricityKWh", big.NewRat(2, 1))
		c.least = Assumed
		rest := decimal.New(pow(share.Scale())-share.Coefficient(), share.Scale())
		part := func(share decimal.Decimal) carrier {
			return carrier{quantity: exactly(*v.FloorAreaM2).by(d.Value).by(share).times(v.Days, 365), known: true, technology: 4, atBest: Assumed, older: max(d.Year, -1)}
		}
		return part(share), part(rest)
	}
	c.unavailable(apperr.Detail{Field: "venueType", Message: fmt.Sprintf("No energy use is published for %s.", kind)})
	return carrier{}, carrier{}
}

func pow(scale int) int64 {
	n := int64(1)
	for range scale {
		n *= 10
	}
	return n
}

// outdoors estimates the diesel of an outdoor site from its people and days.
func (c *calculation) outdoors(v *venue, at supply) {
	d, ok := c.stand(outdoorDiesel, "attendees")
	if !ok {
		return
	}
	people := v.Attendees
	if people == 0 {
		people = c.ev.Attendees
		c.defaultTo("attendees")
	}
	if people == 0 || v.Days == 0 {
		c.unavailable(apperr.Detail{Field: "attendees", Message: "attendees and days are needed to estimate the energy of an outdoor site."})
		return
	}
	c.note(NoticeVenueBasic, "venueType", "The energy is that of generators: %s litres of diesel a person and day (%s) × %d people × %d days. The litres of the fuel bill would be better.", d.Value, d.Detail, people, v.Days)
	c.assume(NoticeVenueBasic, "electricityKWh", spreadOf(d))
	c.least = Assumed
	c.fuel(at, "energy.gas_oil_red_diesel.litre", "attendees", 1, "litre", carrier{quantity: exactly(d.Value).multiply(people).multiply(v.Days), known: true, technology: 3})
}
