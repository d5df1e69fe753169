package footprint

import (
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/locations"
)

// accommodation is the input of an accommodation record.
type accommodation struct {
	Country            string           `json:"country"`
	City               string           `json:"city,omitempty"`
	Kind               string           `json:"kind,omitempty"`
	Nights             int64            `json:"nights"`
	Rooms              int64            `json:"rooms,omitempty"`
	Guests             int64            `json:"guests,omitempty"`
	KgCO2ePerRoomNight *decimal.Decimal `json:"kgCO2ePerRoomNight,omitempty"`
	common
}

var _ = define("accommodation",
	accommodationDoc(),
	decodeAccommodation, calculateAccommodation, chainAccommodation)

const (
	hotel     = "hotel"
	hostel    = "hostel"
	apartment = "apartment"
	rental    = "rental"
)

func decodeAccommodation(d *decoder, a *accommodation) {
	d.Require("nights")
	d.RequireOneOf("rooms", "guests")
	a.Country = d.country(true)
	a.City, _ = d.String("city", 0, 100)
	a.Kind, _ = d.Enum("kind", hotel, hostel, apartment, "private", "camping", rental)
	a.Nights, _ = d.Integer("nights", 1, 365)
	a.Rooms, _ = d.Integer("rooms", 1, 10_000)
	a.Guests, _ = d.Integer("guests", 1, 100_000)
	a.KgCO2ePerRoomNight = d.amount("kgCO2ePerRoomNight", decimal.FromInt(10_000))
	d.RequireWith("kgCO2ePerRoomNight", "evidence")
	if !d.Has("kgCO2ePerRoomNight") && (a.Kind == "private" || a.Kind == "camping") {
		d.Fault(apperr.Detail{Field: "kind", Code: FactorUnavailable, Suggestions: []string{hotel, hostel, apartment, rental},
			Message: "No factor is published for " + a.Kind + "; give kgCO2ePerRoomNight with evidence, or another kind."})
	}
}

// perGuest are the countries whose hotel factor is per guest-night.
func perGuest(country string) bool {
	switch country {
	case "DK", "FI", "NO", "SE":
		return true
	}
	return false
}

func calculateAccommodation(c *calculation, a *accommodation) {
	kind := a.Kind
	if kind == "" {
		kind = hotel
		c.defaultTo("kind")
	}
	e := entry{stage: Combined, scope: 3, category: c.travel(), geography: 1, technology: 1, unit: "room_night"}
	if a.KgCO2ePerRoomNight != nil {
		c.note(NoticeSupplied, "kgCO2ePerRoomNight", "The factor came with the record.")
		e.value = *a.KgCO2ePerRoomNight
		e.quantity = whole(c.roomsOf(a) * a.Nights)
		c.add(e)
		return
	}
	if kind == rental {
		c.rental(a, e)
		return
	}
	f, geography := c.hotelFactor(a)
	if f == nil {
		c.unavailable(apperr.Detail{Field: "country", Message: "The factor set has no hotel factor for " + a.Country + "."})
		return
	}
	e.factor, e.geography = f, geography
	switch {
	case f.Unit == "guest_night":
		c.note(NoticeGuestNights, "", "The factor of %s is per guest-night.", a.Country)
		e.unit = "guest_night"
		e.quantity = whole(c.guestsOf(a) * a.Nights)
	case kind == hostel && c.third():
		e.quantity = whole(c.hostelGuests(a) * a.Nights)
	default:
		e.quantity = whole(c.roomsOf(a) * a.Nights)
	}
	switch kind {
	case hostel:
		ratio, ok := c.engine.set.Default("accommodation.hostel_ratio")
		if !ok {
			c.unavailable(apperr.Detail{Field: "kind", Suggestions: []string{hotel}, Message: "The factor set has no ratio for hostels."})
			return
		}
		e.value, e.override, e.technology = product(f.KgCO2e, ratio.Value), true, 3
		e.older = -1 // the ratio is undated
		c.note(NoticeHostelRatio, "kind", "A hostel counts %s of the country's hotel.", ratio.Value)
	case apartment:
		e.technology = 2
		c.note(NoticeApartment, "kind", "No apartment factor is held; the country's hotel was used.")
	}
	c.add(e)
}

// rental counts a furnished rental, such as one of Airbnb, by its bedrooms. The two published figures, one per room and
// one per dwelling, differ widely, which the interval reflects.
func (c *calculation) rental(a *accommodation, e entry) {
	room, dwelling := c.supplement("acc.rental.room_night.au", "kind"), c.supplement("acc.rental.dwelling_night.fr", "kind")
	if room == nil || dwelling == nil {
		return
	}
	rooms := a.Rooms
	if rooms == 0 {
		per, ok := c.stand(guestsPerBedroom, "rooms")
		if !ok {
			return
		}
		rooms = filled(a.Guests, per.Value)
		c.defaultTo("rooms")
		c.note(NoticeRental, "rooms", "%d bedrooms were assumed, two guests in each. The number of bedrooms would be better.", rooms)
		c.assume(NoticeRental, "rooms", spreadOf(per))
		c.least = Assumed
	}
	e.factor, e.quantity, e.technology = room, whole(rooms*a.Nights), 3
	e.variance = sum(varianceOf(spreadOfFactor(room)), varianceOf(spread(decimalRat(room.KgCO2e), decimalRat(dwelling.KgCO2e), decimalRat(room.KgCO2e))))
	e.geography = c.foreign(room, a.Country)
	c.add(e)
}

// guestsPerBedroom is the row of the guests that share a bedroom of a rental.
const guestsPerBedroom = "choice.rental.guests_per_room"

// bedrooms returns the bedrooms that guests of a rental are assumed to fill.
func bedrooms(guests int64) int64 {
	per, ok := factors.Supplement().Default(guestsPerBedroom)
	if !ok {
		return 0
	}
	return filled(guests, per.Value)
}

// filled returns how many rooms or vehicles people fill, of so many places each.
func filled(people int64, places decimal.Decimal) int64 {
	if places.Sign() <= 0 {
		return people
	}
	n := new(big.Rat).Quo(big.NewRat(people, 1), decimalRat(places))
	count := new(big.Int).Quo(n.Num(), n.Denom()).Int64()
	if !n.IsInt() {
		count++
	}
	return count
}

// roomsOf returns the rooms; one per guest if the record has none.
func (c *calculation) roomsOf(a *accommodation) int64 {
	if a.Rooms > 0 {
		return a.Rooms
	}
	c.defaultTo("rooms")
	return a.Guests
}

// guestsOf returns the guests; one per room if the record has none.
func (c *calculation) guestsOf(a *accommodation) int64 {
	if a.Guests > 0 {
		return a.Guests
	}
	c.defaultTo("guests")
	return a.Rooms
}

// hostelGuests returns the guests of a hostel: the ratio to hotels is per guest-night, since the rooms have many
// beds. The unit remains that of the row.
func (c *calculation) hostelGuests(a *accommodation) int64 {
	if a.Guests == 0 {
		c.note(NoticeHostelGuests, "guests", "A hostel counts by the guest; one in each of %d rooms was assumed. State guests.", a.Rooms)
	}
	return c.guestsOf(a)
}

// hotelFactor finds the factor of a country, its 2021 value, or the median of
// Europe or of the world, with the geography score of each.
func (c *calculation) hotelFactor(a *accommodation) (*factors.Factor, uint8) {
	set, cc := c.engine.set, strings.ToLower(a.Country)
	if city := strings.TrimSpace(a.City); a.Country == "GB" && (strings.EqualFold(city, "London") || strings.EqualFold(city, "Greater London")) {
		if f := set.Ref("acc.hotel.gb-lnd"); f != nil {
			return f, 1
		}
	}
	if perGuest(a.Country) {
		if f := set.Ref("acc.hotel.guestnight." + cc); f != nil {
			return f, 2 // one Nordic average
		}
	}
	if f := set.Ref("acc.hotel." + cc); f != nil {
		return f, 1
	}
	if f := set.Ref("acc.hotel." + cc + ".2021set"); f != nil {
		c.note(NoticeHotelFallback, "country", "%s has no hotel factor since the 2022 edition; that of 2021 was used.", a.Country)
		return f, 1
	}
	country, _ := locations.CountryByCode(a.Country)
	if f := set.Ref("acc.hotel.fallback.europe_median"); f != nil && country.Region == "Europe" {
		c.note(NoticeHotelFallback, "country", "No hotel factor is published for %s; the European median was used.", a.Country)
		return f, 2
	}
	if f := set.Ref("acc.hotel.fallback.world_median"); f != nil {
		c.note(NoticeHotelFallback, "country", "No hotel factor is published for %s; the world median was used.", a.Country)
		return f, 3
	}
	return nil, 0
}

// product multiplies two short figures exactly.
func product(a, b decimal.Decimal) decimal.Decimal {
	return decimal.New(a.Coefficient()*b.Coefficient(), a.Scale()+b.Scale())
}

// chainAccommodation reports how the amounts multiply.
func chainAccommodation(q *Chain, a *accommodation, l *Line) {
	if a.Kind == rental && a.Rooms == 0 && a.KgCO2ePerRoomNight == nil {
		q.count(bedrooms(a.Guests), "bedroom", "bedrooms")
		q.count(a.Nights, "night", "nights")
		return
	}
	if a.Guests > 0 && (l.Unit == "guest_night" || a.Kind == hostel && a.isByGuest(l)) || a.Rooms == 0 {
		q.count(a.Guests, "guest", "guests")
	} else {
		q.count(a.Rooms, "room", "rooms")
	}
	q.count(a.Nights, "night", "nights")
}

// isByGuest reports whether the quantity of a line is that of the guests: engines
// differ in whether a hostel counts by the room.
func (a *accommodation) isByGuest(l *Line) bool {
	nights := big.NewRat(a.Guests*a.Nights, 1)
	if a.surveyed() {
		nights.Mul(nights, big.NewRat(a.Population, a.Respondents))
	}
	return isQuantity(nights, l.Quantity)
}

// accommodationDoc describes the type to its users.
func accommodationDoc() doc {
	return doc{
		place:       2,
		bought:      []string{"hotel", "accommodation"},
		informative: []string{"kind"},
		description: "Stays in hotels, hostels, apartments and the like, by occupied room and night.",
		formula:     "rooms × nights × factor per room-night; guests × nights where the factor is per guest",
		fields: []fieldDoc{
			{"country", "Where the house is, as an ISO 3166-1 alpha-2 code. Absent: the country of the event.", ``},
			{"city", "London has a factor of its own.", ``},
			{"kind", "Kind of accommodation; rental is a furnished home let by its bedrooms, as on Airbnb. private and camping have no factor and need kgCO2ePerRoomNight.", `"hotel"`},
			{"nights", "Nights of the stay.", ``},
			{"rooms", "Occupied rooms per night. Takes precedence over guests.", ``},
			{"guests", "Number of guests; without rooms, one room each. In DK, FI, NO and SE the factor is per guest, and from engine 2.1.0 on hostels are calculated by guest everywhere.", ``},
			{"kgCO2ePerRoomNight", "The accommodation's own factor, with evidence.", ``},
		},
		ways: []way{
			{title: "By rooms", help: "Occupied rooms are what most published factors are for.",
				needs: []string{"nights", "rooms"}, more: []string{"kind", "city"}, example: `{"nights":2,"rooms":40,"country":"GB"}`},
			{title: "By guests", help: "Without rooms, one room for each guest.",
				needs: []string{"nights", "guests"}, more: []string{"kind", "city"}, example: `{"nights":3,"guests":12,"country":"SE","kind":"hostel"}`},
			{title: "With the house's own factor", help: "What the house itself published, with evidence.",
				needs: []string{"nights", "kgCO2ePerRoomNight", "evidence"}, oneOf: []string{"rooms", "guests"}, more: []string{"kind"}, example: `{"nights":2,"rooms":5,"kind":"camping","kgCO2ePerRoomNight":1.2,"evidence":[{"name":"Operator statement"}]}`},
		},
		examples: []string{
			`{"nights":2,"rooms":40,"country":"GB","city":"London","group":"attendees"}`,
			`{"nights":3,"guests":12,"country":"SE","kind":"hostel"}`,
			`{"nights":3,"guests":6,"country":"GB","kind":"rental"}`,
			`{"nights":2,"rooms":5,"kind":"camping","kgCO2ePerRoomNight":1.2,"evidence":[{"name":"Operator statement"}]}`,
		},
	}
}
