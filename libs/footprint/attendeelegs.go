package footprint

import (
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// Codes of notices of attendee travel.
const (
	NoticeModesSplit          = "MODES_SPLIT"
	NoticeCountryTowns        = "COUNTRY_AS_TOWNS"
	NoticeSameTown            = "ORIGIN_IS_DESTINATION"
	NoticeNoFlight            = "NO_FLIGHT_BETWEEN"
	NoticeAttendeeLegs        = "LEGS_DOOR_TO_DOOR"
	NoticeWithoutOrigin       = "PEOPLE_WITHOUT_ORIGIN"
	partDoor                  = "door to door"
	partToAirport             = "to the airport"
	partFlight                = "flight"
	partFromAirport           = "from the airport"
	fewPeopleOfCountry        = 50
	originsPath               = "origins"
	splitField                = "origins.mode"
	placeField                = "origins.place"
	codeField                 = "origins.code"
	maxSplitFactor      int64 = 2
)

// Leg is a part of the journey of people of one origin.
type Leg struct {
	Origin string `json:"origin"`
	Mode   string `json:"mode"`
	Part   string `json:"part"`
	People int64  `json:"people"`
}

// apportion divides n by weights into whole numbers by the largest remainder, ties in order. If all weights are zero,
// nothing is assigned.
func apportion(n int64, weights []decimal.Decimal) []int64 {
	out := make([]int64, len(weights))
	whole := new(big.Rat)
	for _, w := range weights {
		whole.Add(whole, decimalRat(w))
	}
	if whole.Sign() == 0 {
		return out
	}
	type rest struct {
		at int
		of *big.Rat
	}
	rests := make([]rest, len(weights))
	left := n
	for i, w := range weights {
		share := new(big.Rat).Quo(decimalRat(w), whole)
		share.Mul(share, new(big.Rat).SetInt64(n))
		out[i] = new(big.Int).Quo(share.Num(), share.Denom()).Int64()
		left -= out[i]
		rests[i] = rest{i, share.Sub(share, new(big.Rat).SetInt64(out[i]))}
	}
	slices.SortStableFunc(rests, func(a, b rest) int { return b.of.Cmp(a.of) })
	for i := range left {
		out[rests[i].at]++
	}
	return out
}

// attendeeLegs calculates the legs of one record.
type attendeeLegs struct {
	c     *calculation
	t     *attendeeTravel
	venue Venue
	here  locations.Location
	// doubts are those of each line, in the order of the lines.
	doubts    [][]doubtOf
	defaulted map[string]bool
	logs      map[string]*big.Int
}

func calculateAttendeeTravel(c *calculation, t *attendeeTravel) {
	in := t.common
	if in.Group == "" {
		in.Group = "attendees"
	}
	if n := t.OriginSet.WithoutOrigin; n > 0 {
		in.Respondents, in.Population = t.OriginSet.People-n, t.OriginSet.People
	}
	c.begin(AttendeeTravel, &in)
	l := attendeeLegs{c: c, t: t, venue: c.ev.Place, defaulted: map[string]bool{}, logs: map[string]*big.Int{}}
	if t.Venue != nil {
		l.venue = *t.Venue
	}
	if l.venue.IsZero() {
		c.unavailable(apperr.Detail{Field: "to", Message: "Neither the record nor the event states where people travel to."})
		return
	}
	l.here = l.venue.location()
	c.least = max(c.least, Estimated)
	if t.OriginSet.WithoutMode > 0 {
		c.least = Assumed
	}
	c.note(NoticeAttendeeLegs, originsPath, "%d people in %d rows travel to %s, each door to door.", t.OriginSet.People, t.OriginSet.Rows, l.venue)
	if n := t.OriginSet.WithoutOrigin; n > 0 {
		c.note(NoticeWithoutOrigin, originsPath, "%d people have no origin; they count as the mean of the others.", n)
	}
	for i := range t.Origins {
		l.row(&t.Origins[i])
	}
	for _, name := range []string{"class", "occupancy", "origins.roundTrip"} {
		if l.defaulted[name] {
			c.out.Defaulted = append(c.out.Defaulted, name)
		}
	}
	l.widen()
}

// row adds the lines of the people of a row.
func (l *attendeeLegs) row(o *origin) {
	round := o.RoundTrip == nil || *o.RoundTrip
	if o.RoundTrip == nil && len(o.At) > 0 {
		l.defaulted["origins.roundTrip"] = true
	}
	country := o.Place+o.Postcode+o.Code == ""
	for i := range o.At {
		s := &o.At[i]
		if s.People == 0 {
			continue
		}
		var known []doubtOf
		if country {
			l.c.note(NoticeCountryTowns, placeField, "People of a country without a town are shared among its towns.")
			known = append(known, doubtOf{NoticeCountryTowns, placeField, l.variance(townsFactor(o, l.venue))})
		}
		if o.Mode != "" {
			l.way(s, o.Mode, s.People, round, known)
			continue
		}
		modes, n, split := l.split(s)
		if len(modes) == 0 {
			l.way(s, car, s.People, round, known)
			continue
		}
		for k, mode := range modes {
			if n[k] > 0 {
				l.way(s, mode, n[k], round, append(slices.Clone(known), split))
			}
		}
	}
}

// split shares the people of a place among modes.
func (l *attendeeLegs) split(s *settlement) (modes []string, people []int64, why doubtOf) {
	var weights []decimal.Decimal
	factor := big.NewRat(maxSplitFactor, 1)
	if len(l.t.ModeSurvey) > 0 {
		var asked int64
		for _, a := range l.t.ModeSurvey {
			modes, weights = append(modes, a.Mode), append(weights, decimal.FromInt(a.People))
			asked += a.People
		}
		factor = surveyFactor(asked)
		l.c.note(NoticeModesSplit, splitField, "People whose mode is not known came as the %d of the survey did.", asked)
	} else {
		from := s.location()
		metres := locations.GreatCircleMetres(from, l.here)
		rows := places.ModeShares(s.Country, l.venue.Country, metres)
		for _, r := range rows {
			if r.Mode == plane && (metres == 0 || airportOf(s.Code) == airportOf(l.venue.Code)) {
				continue
			}
			modes, weights = append(modes, r.Mode), append(weights, r.Share)
		}
		if len(rows) > 0 {
			l.c.note(NoticeModesSplit, splitField, "People whose mode is not known were shared among modes by published tables of their region and distance, such as %s (%s).", rows[0].ID, rows[0].Source)
		}
	}
	return modes, apportion(s.People, weights), doubtOf{NoticeModesSplit, splitField, l.variance(factor)}
}

// way adds the legs of the people of a place who travel by one mode.
func (l *attendeeLegs) way(s *settlement, mode string, people int64, round bool, known []doubtOf) {
	from := s.location()
	if mode == plane {
		if airportOf(s.Code) != airportOf(l.venue.Code) {
			l.fly(s, people, round, known)
			return
		}
		l.c.note(NoticeNoFlight, splitField, "People who would fly within the reach of one airport are counted by car.")
		mode = car
	}
	l.drive(s.String(), mode, from, l.here, s.Country, l.venue.Country, s.RadiusKm+l.venue.RadiusKm, people, round, known)
}

// fly adds the flight and the ways to and from the airports.
func (l *attendeeLegs) fly(s *settlement, people int64, round bool, known []doubtOf) {
	name := s.String()
	l.toAirport(partToAirport, name, s.Venue, people, round, known)
	j := &journey{}
	for _, v := range []Venue{s.Venue, l.venue} {
		at := stop{Name: v.Name, Country: v.Country, Code: v.Code, location: v.location()}
		if v.Area {
			at.GeonameID = 1 // a town: its airport is assumed
			at.AirportKm = kilometres(v.airportLeg())
		}
		j.Stops = append(j.Stops, at)
	}
	if s.Area || l.venue.Area {
		known = append(slices.Clone(known), doubtOf{NoticeAirportOfTown, codeField, l.variance(otherAirport(j))})
	}
	f := &flights{From: s.Code, To: l.venue.Code, Class: l.t.Class, Passengers: people, RoundTrip: &round}
	l.leg(Leg{Origin: name, Mode: plane, Part: partFlight, People: people}, known, func() { calculateFlights(l.c, f) })
	l.toAirport(partFromAirport, name, l.venue, people, round, known)
}

// toAirport adds the journey between a place and its airport, split among modes as in surveys of airports.
func (l *attendeeLegs) toAirport(part, name string, v Venue, people int64, round bool, known []doubtOf) {
	rows := places.AirportAccess()
	weights := make([]decimal.Decimal, len(rows))
	for i, r := range rows {
		weights[i] = r.Share
	}
	metres := new(big.Rat).Set(v.airportLeg())
	if metres.Sign() == 0 {
		if part == partFromAirport {
			return // the venue is at the airport
		}
		km, ok := places.HomeAirportKm(v.Country)
		if !ok {
			return
		}
		metres.SetInt64(km * 1000)
	}
	for i, n := range apportion(people, weights) {
		if n == 0 {
			continue
		}
		mode := map[string]string{"car_or_taxi": car, "rail_or_metro": "rail", "coach": coach}[rows[i].Mode]
		l.ride(Leg{Origin: name, Mode: mode, Part: part, People: n}, metres.Num().Int64()/metres.Denom().Int64(), v.Country, v.Country, 0, round, known)
	}
}

// drive adds a leg on the ground from door to door.
func (l *attendeeLegs) drive(name, mode string, from, to locations.Location, fromCountry, toCountry string, radiusKm, people int64, round bool, known []doubtOf) {
	metres := locations.GreatCircleMetres(from, to)
	if metres == 0 {
		l.c.note(NoticeSameTown, placeField, "People of the destination itself travel no distance that is known; their ways in town are not counted.")
		return
	}
	l.ride(Leg{Origin: name, Mode: mode, Part: partDoor, People: people}, metres, fromCountry, toCountry, radiusKm, round, known)
}

// ride adds a ground leg with a great-circle distance in metres, as a record of ground transport would.
func (l *attendeeLegs) ride(leg Leg, metres int64, fromCountry, toCountry string, radiusKm int64, round bool, known []doubtOf) {
	detour, ok := places.DetourFor(leg.Mode, fromCountry, toCountry, metres)
	if !ok {
		return
	}
	circle := big.NewRat(metres, 1)
	value := new(big.Rat).Mul(circle, decimalRat(detour.Value))
	radius := big.NewRat(radiusKm*1000, 1)
	low := new(big.Rat).Sub(circle, radius)
	low.Mul(low, decimalRat(detour.Low))
	high := new(big.Rat).Add(circle, radius)
	high.Mul(high, decimalRat(detour.High))
	factor := big.NewRat(3, 1)
	if low.Sign() > 0 {
		factor = spread(value, low, high)
	}
	known = append(slices.Clone(known), doubtOf{NoticeDistanceFromPlaces, "", l.variance(factor)})
	g := &groundTransport{Mode: leg.Mode, Country: l.c.ev.Country, DistanceKm: kilometres(value), RoundTrip: &round, Passengers: leg.People}
	if leg.Mode == car {
		g.Occupancy = l.t.Occupancy
	}
	l.leg(leg, known, func() { calculateGroundTransport(l.c, g) })
}

// chainAttendeeTravel reports how the amounts multiply: the distance is that of the leg.
func chainAttendeeTravel(q *Chain, t *attendeeTravel, l *Line) {
	if l.Leg == nil {
		return
	}
	round, known := t.returns(l.Leg.Origin)
	if !known {
		return
	}
	q.remainder("km")
	if l.Unit == "vehicle.km" && t.Occupancy != nil {
		q.count(filled(l.Leg.People, *t.Occupancy), "vehicle", "vehicles")
	} else {
		q.count(l.Leg.People, "person", "people")
	}
	q.journeys(0, &round)
	if s := t.OriginSet; s != nil && s.WithoutOrigin > 0 && s.People > s.WithoutOrigin {
		q.ratio(s.People, s.People-s.WithoutOrigin, "for people without origin")
	}
}

// returns reports whether people of a place travel back; it is not known where some do and others of the same place do
// not.
func (t *attendeeTravel) returns(place string) (round, known bool) {
	if t.trips == nil {
		t.trips = make(map[string]tripsOf)
		for i := range t.Origins {
			o := &t.Origins[i]
			for k := range o.At {
				name := o.At[k].String()
				n := t.trips[name]
				n.back = n.back || o.RoundTrip == nil || *o.RoundTrip
				n.oneWay = n.oneWay || o.RoundTrip != nil && !*o.RoundTrip
				t.trips[name] = n
			}
		}
	}
	n := t.trips[place]
	return n.back, n.back != n.oneWay
}

// leg adds the lines of one leg with add, and their unknowns.
func (l *attendeeLegs) leg(leg Leg, known []doubtOf, add func()) {
	c := l.c
	before := len(c.out.Lines)
	c.out.Defaulted = nil
	// The uncertainty of a row is that of the record it replaces.
	c.typ = "ground-transport"
	if leg.Mode == plane {
		c.typ = "flights"
	}
	add()
	for _, name := range c.out.Defaulted {
		l.defaulted[name] = true
	}
	c.out.Defaulted, c.typ = nil, AttendeeTravel
	for i := before; i < len(c.out.Lines); i++ {
		if !c.quiet {
			c.out.Lines[i].Leg = &leg
		}
		l.doubts = append(l.doubts, known)
	}
}
