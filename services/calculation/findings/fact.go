package findings

import (
	"encoding/json"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/originlist"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// Fact is what of a counted record the checks look at.
type Fact struct {
	ID   record.ID
	Type string
	// Mass is the record's contribution.
	Mass footprint.Mass
	// Deviations are how far its lines may be off, by factor.
	Deviations []total.Deviation
	// CradleToGrave reports that a factor of it includes the end of life.
	CradleToGrave bool
	// same is a digest that identifies duplicates, for records without a date including their description.
	same string
	// There and Back are the people travelling to the event and home in a record of attendee travel.
	There, Back int64
	// origins are the origins of those people; nil for other types.
	origins *originlist.List
	// Ends are the start and destination of a journey by named places; none if unknown.
	Ends []Spot
	input
}

// input are the fields of all types that some check compares. Fields that a type lacks are empty.
type input struct {
	Date, Group                                string
	Respondents, Population                    int64
	From, To, Class, Direction                 string
	Via                                        []string
	Passengers, Trips                          int64
	RoundTrip                                  bool
	Rooms, Guests, Nights                      int64
	Site, Source                               string
	ElectricityKWh, AnnualElectricityKWh       *decimal.Decimal
	GasKWh, AnnualGasKWh, HeatKWh, FloorAreaM2 *decimal.Decimal
	Material, EndOfLife, Category              string
	Mode, VenueType                            string
	DistanceKm, WeightKg                       *decimal.Decimal
	Meals                                      *int64
	VolumeLitres, EnergyKWh, SupplyM3          *decimal.Decimal
	Participants, Vehicles                     int64
	GeneratorKVA                               *decimal.Decimal
	// Supplier is the factor that the record took; its name, version and validity are
	// all that is compared.
	Supplier *footprint.SupplierFactor
}

// FactOf returns the fact of a counted record.
func FactOf(c record.Counted) Fact {
	f := Fact{ID: c.ID, Type: c.Type}
	// Canonical fields read; one that does not is not compared.
	var fields struct {
		input
		Journey struct{ Stops stops }
	}
	_ = json.Unmarshal(c.Fields, &fields)
	f.input, f.Ends = fields.input, fields.Journey.Stops.ends()
	if c.Type == footprint.AttendeeTravel {
		f.There, f.Back = footprint.PeopleByDirection(c.Fields)
		f.origins = originlist.Of(c.Fields)
	}
	if s := f.Supplier; s != nil {
		f.Supplier = &footprint.SupplierFactor{Name: s.Name, Version: s.Version, ValidFrom: s.ValidFrom, ValidTo: s.ValidTo}
	}
	f.same = sameAs(c.Type, c.Fields, f.Date == "")
	// Called directly: json.Unmarshal would parse the text twice more.
	var counts total.Contribution
	if counts.UnmarshalJSON(c.Contribution) == nil {
		f.Mass, f.Deviations, f.CradleToGrave = counts.Total(), counts.Deviations(), counts.Noticed(footprint.NoticeCradleToGrave)
		return f
	}
	var sum struct {
		Total string `json:"total"`
	}
	if json.Unmarshal(c.Contribution, &sum) == nil {
		if m, err := footprint.ParseMicrograms(sum.Total); err == nil {
			f.Mass = m
		}
	}
	return f
}

// scaled returns n extrapolated from a survey to everyone.
func (f *Fact) scaled(n int64) int64 {
	if f.Respondents > 0 && f.Population > f.Respondents {
		return n * f.Population / f.Respondents
	}
	return n
}

// journeys returns the number of one-way or return flights.
func (f *Fact) journeys() int64 { return f.scaled(f.Passengers * max(f.Trips, 1)) }

// route names the places of a flight in their order.
func (f *Fact) route() string {
	return strings.Join(append(append([]string{f.From}, f.Via...), f.To), "-")
}

// metered reports whether a venue's record has any energy.
func (f *Fact) metered() bool {
	return f.ElectricityKWh != nil || f.AnnualElectricityKWh != nil || f.GasKWh != nil || f.AnnualGasKWh != nil || f.HeatKWh != nil
}

// outdoors reports whether a venue's record is the estimate of an outdoor site: the fuel of
// its generators, by people and days.
func (f *Fact) outdoors() bool { return f.VenueType == footprint.OutdoorSite && !f.metered() }

// carriers returns which energy a venue record has: electricity, gas, heat. An estimate from floor area has the first
// two.
func (f *Fact) carriers() [3]bool {
	area := f.FloorAreaM2 != nil && !f.metered()
	return [3]bool{f.ElectricityKWh != nil || f.AnnualElectricityKWh != nil || area, f.GasKWh != nil || f.AnnualGasKWh != nil || area, f.HeatKWh != nil}
}
