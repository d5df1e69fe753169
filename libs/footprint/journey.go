package footprint

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// Codes of faults and notices of places.
const (
	// AmbiguousPlace is an error code: several places have the name.
	AmbiguousPlace = "AMBIGUOUS_PLACE"
	// UnknownPlace is an error code: no place has the name.
	UnknownPlace = "UNKNOWN_PLACE"
)

// stop is a place that a journey was resolved to. It is stored with the record,
// so that its distance can be followed up.
type stop struct {
	Name      string           `json:"name"`
	Region    string           `json:"region,omitempty"`
	Country   string           `json:"country"`
	GeonameID int64            `json:"geonameId,omitempty"`
	Code      string           `json:"code,omitempty"` // of an airport
	Latitude  *decimal.Decimal `json:"latitude,omitempty"`
	Longitude *decimal.Decimal `json:"longitude,omitempty"`
	RadiusKm  int64            `json:"radiusKm,omitempty"`
	AirportKm *decimal.Decimal `json:"airportKm,omitempty"` // from the town to the airport of Code

	location  locations.Location
	alsoTown  string // the town that the text of a code, or of an airport, names too
	called    bool   // an airport, found by its name
	namesake  string // a town of the name in another country
	byAirport bool   // its airport decided, although the event's country has namesake
	abroad    bool   // no town in the event's country has the name
	alternate bool   // found by something else than its name
	station   string // the text, which names a station of the town
	airport   string // that the people of a town are assumed to use; empty: the nearest
}

// journey is the resolved places of a record. The server owns it: in a body it is dropped.
type journey struct {
	Stops []stop `json:"stops"`
	// GreatCircleKm is the sum of the legs, DistanceKm that by the detour factor.
	GreatCircleKm *decimal.Decimal `json:"greatCircleKm,omitempty"`
	DistanceKm    *decimal.Decimal `json:"distanceKm,omitempty"`
	// Detours are the rows of the detour factors used, and the bounds of DistanceKm.
	Detours []string         `json:"detours,omitempty"`
	LowKm   *decimal.Decimal `json:"lowKm,omitempty"`
	HighKm  *decimal.Decimal `json:"highKm,omitempty"`
}

// echoed returns the distance that the server calculated and the body sends back, so that it is not mistaken for a
// stated one.
func (d *decoder) echoed() *decimal.Decimal {
	text, ok := d.Raw("journey")
	if !ok {
		return nil
	}
	var j journey
	if json.Unmarshal(text, &j) != nil {
		return nil
	}
	return j.DistanceKm
}

// whereabouts reads from, via and to of a ground journey, and the distance where
// one is stated. A stated distance decides; the places then only inform.
func (d *decoder) whereabouts(mode string, stated *decimal.Decimal) (from, to string, via []string, j *journey) {
	from, _ = d.String("from", 1, places.MaxText)
	to, _ = d.String("to", 1, places.MaxText)
	via, _ = d.Strings("via", 5, places.MaxText)
	d.RequireWith("from", "to")
	d.RequireWith("to", "from")
	d.RequireWith("via", "from", "to")
	echo := d.echoed()
	if from == "" || to == "" || mode == "" {
		return from, to, via, nil
	}
	if stated != nil && (echo == nil || *echo != *stated) {
		return from, to, via, nil
	}
	j = &journey{}
	texts := append(append([]string{from}, via...), to)
	good := true
	for i, text := range texts {
		field := "from"
		switch {
		case i == len(texts)-1:
			field = "to"
		case i > 0:
			field = "via[" + strconv.Itoa(i-1) + "]"
		}
		if text == "" { // at fault
			good = false
			continue
		}
		s, ok := d.stop(field, text)
		good = good && ok
		j.Stops = append(j.Stops, s)
	}
	if !good {
		return from, to, via, nil
	}
	if !d.measure(j, mode) {
		return from, to, via, nil
	}
	return from, to, via, j
}

// stop resolves the text of a field, or adds a fault.
func (d *decoder) stop(field, text string) (stop, bool) {
	s, detail := d.lookUp(field, text)
	if detail != nil {
		d.Fault(*detail)
	}
	return s, detail == nil
}

// lookUp resolves a text; a code remains a code. If the text is ambiguous, the fault has suggestions.
func (d *decoder) lookUp(field, text string) (stop, *apperr.Detail) {
	if l, ok := locations.Resolve(strings.TrimSpace(text)); ok {
		s := stop{Name: l.Name, Country: l.Country, Code: l.Code, location: l}
		s.Latitude, s.Longitude = places.Degrees(l.Latitude), places.Degrees(l.Longitude)
		if p, err := places.Find(text, d.ev.Country); err == nil && p.FoundBy == places.ByName {
			s.alsoTown = p.String()
		}
		return s, nil
	}
	p, airport, err := findNamed(text, d.home())
	if _, missing := errors.AsType[*places.NotFoundError](err); missing {
		if town, ok := stationTown(text, d.home()); ok {
			s := stopOf(town)
			s.station = text
			return s, nil
		}
	}
	if err != nil {
		detail := d.placeFault(field, text, err)
		return stop{}, &detail
	}
	if airport.Code != "" {
		return calledStop(airport, p), nil
	}
	return stopOf(p), nil
}

// stopOf returns a place as a stop.
func stopOf(p places.Found) stop {
	s := stop{Name: p.Name, Country: p.Country, GeonameID: p.ID, RadiusKm: p.RadiusKm, location: p.Location()}
	s.Latitude, s.Longitude = places.Degrees(p.Latitude), places.Degrees(p.Longitude)
	if p.Region != p.Name {
		s.Region = p.Region
	}
	s.alternate = p.FoundBy != places.ByName && p.FoundBy != places.BySmallName && p.FoundBy != places.ByPostcode
	s.addNotices(p)
	s.airport = p.Airport
	return s
}

// addNotices records the notices about how a place was found.
func (s *stop) addNotices(p places.Found) {
	if s.abroad = p.Abroad; p.Namesake != nil {
		s.namesake = p.Namesake.String()
	}
}

// home is the country in which a name is looked up first: the record's, else
// the event's.
func (d *decoder) home() string {
	if d.Reader == nil {
		return d.ev.Country
	}
	if text, ok := d.Raw("country"); ok {
		var code string
		if json.Unmarshal(text, &code) == nil {
			if c, known := locations.CountryByCode(code); known {
				return c.Code
			}
		}
	}
	return d.ev.Country
}

// placeFault returns the fault of a place name.
func (d *decoder) placeFault(field, text string, err error) apperr.Detail {
	if e, ok := errors.AsType[*places.AmbiguousError](err); ok {
		detail := apperr.Detail{Field: field, Code: AmbiguousPlace}
		for _, p := range e.Candidates {
			detail.Suggestions = append(detail.Suggestions, p.String())
		}
		detail.Message = fmt.Sprintf("%s matches several places: %s. Add the region and the country.", strconv.Quote(shorten(text)), strings.Join(detail.Suggestions, "; "))
		return detail
	}
	detail := apperr.Detail{Field: field, Code: UnknownPlace,
		Message: fmt.Sprintf("%s is not a known town, postcode area or code. Write a town with its country, such as Brighton, GB; a larger town near it; or leave out the places and state distanceKm.", strconv.Quote(shorten(text)))}
	if !d.hint() {
		return detail
	}
	if e, ok := errors.AsType[*places.NotFoundError](err); ok {
		detail.Suggestions = e.Suggestions()
	}
	const most = 3
	for _, airport := range locations.AirportsNamed(text, most) {
		detail.Suggestions = append(detail.Suggestions, airport.Code)
	}
	return detail
}

// measure calculates the distance of a journey: the great circle of each leg times the detour factor of the mode,
// rounded to a metre.
func (d *decoder) measure(j *journey, mode string) bool {
	var circle int64
	distance, low, high := new(big.Rat), new(big.Rat), new(big.Rat)
	for i := 1; i < len(j.Stops); i++ {
		a, b := &j.Stops[i-1], &j.Stops[i]
		m := locations.GreatCircleMetres(a.location, b.location)
		if m == 0 {
			field := "to"
			if i < len(j.Stops)-1 {
				field = "via[" + strconv.Itoa(i-1) + "]"
			}
			d.Fault(apperr.Detail{Field: field, Code: fields.NotAllowed,
				Message: fmt.Sprintf("%s is the same place as the previous one (%s), so there is no distance. Name another place, or state distanceKm.", field, b.Name)})
			return false
		}
		detour, ok := places.DetourFor(mode, a.Country, b.Country, m)
		if !ok {
			return false
		}
		leg := big.NewRat(m, 1)
		circle += m
		distance.Add(distance, new(big.Rat).Mul(leg, decimalRat(detour.Value)))
		// The centre of an area of postcodes is within its radius of its people.
		radius := big.NewRat((a.RadiusKm+b.RadiusKm)*1000, 1)
		least := new(big.Rat).Sub(leg, radius)
		if least.Sign() < 0 {
			least.SetInt64(0)
		}
		low.Add(low, least.Mul(least, decimalRat(detour.Low)))
		high.Add(high, new(big.Rat).Mul(new(big.Rat).Add(leg, radius), decimalRat(detour.High)))
		if len(j.Detours) == 0 || j.Detours[len(j.Detours)-1] != detour.ID {
			j.Detours = append(j.Detours, detour.ID)
		}
	}
	j.GreatCircleKm = kilometres(big.NewRat(circle, 1))
	j.DistanceKm, j.LowKm, j.HighKm = kilometres(distance), kilometres(low), kilometres(high)
	return true
}

// kilometres rounds metres half-even to whole ones and returns them in km.
func kilometres(metres *big.Rat) *decimal.Decimal {
	n := fixed.Quo(metres.Num(), metres.Denom())
	out := decimal.New(n.Int64(), 3)
	return &out
}

// travelled adds notices about how a distance was determined, and widens the interval accordingly.
func (c *calculation) travelled(j *journey) {
	if j == nil || j.DistanceKm == nil {
		return
	}
	if !c.quiet {
		names := make([]string, 0, len(j.Stops))
		for _, s := range j.Stops {
			names = append(names, s.String())
		}
		c.note(NoticeDistanceFromPlaces, "distanceKm", "%s: great circle %s km, by the detour factor %s %s km.", strings.Join(names, " – "), j.GreatCircleKm, strings.Join(j.Detours, ", "), j.DistanceKm)
	} else {
		c.note(NoticeDistanceFromPlaces, "distanceKm", "")
	}
	factor := big.NewRat(3, 1) // the area includes the other end
	if j.LowKm != nil && j.LowKm.Sign() > 0 && j.HighKm != nil && j.DistanceKm.Sign() > 0 {
		factor = spread(decimalRat(*j.DistanceKm), decimalRat(*j.LowKm), decimalRat(*j.HighKm))
	}
	c.assume(NoticeDistanceFromPlaces, "distanceKm", factor)
	c.least = max(c.least, Estimated)
}

func (s stop) String() string {
	parts := []string{s.Name}
	if s.Region != "" {
		parts = append(parts, s.Region)
	}
	parts = append(parts, s.Country)
	if s.Code != "" {
		return s.Code + " (" + strings.Join(parts, ", ") + ")"
	}
	return strings.Join(parts, ", ")
}

// remark adds the notices that arise only when reading a body.
func (d *decoder) remark(j *journey) {
	if j == nil {
		return
	}
	for i, s := range j.Stops {
		field := "via"
		switch {
		case i == 0:
			field = "from"
		case i == len(j.Stops)-1:
			field = "to"
		}
		d.remarkStop(field, s)
	}
}

// remarkStop adds the notices of one place.
func (d *decoder) remarkStop(field string, s stop) {
	add := func(code, format string, args ...any) {
		d.notices = append(d.notices, Notice{Code: code, Field: field, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case s.called && s.alsoTown != "":
		add(NoticeNamesake, "%s (%s) was taken, which is called so. If %s is meant, write its country behind it.", s.Code, s.Name, s.alsoTown)
	case s.called:
		add(NoticeNamesake, "%s (%s) was taken, which is called so.", s.Code, s.Name)
	case s.alsoTown != "":
		add(NoticeCodeIsPlace, "%s was taken as the code of %s. If %s is meant, write its country behind it.", s.Code, s.Name, s.alsoTown)
	}
	town := s
	if town.GeonameID != 0 {
		town.Code = "" // the code of the representative airport
	}
	if s.station != "" {
		add(NoticeNamesake, "%s was taken for %s: the distance is that of the town. If another place is meant, write the town with its country.", town, strconv.Quote(shorten(s.station)))
	}
	if s.namesake != "" {
		why := "in the country of the event"
		if s.byAirport {
			why = "which has an airport of its own"
		}
		add(NoticeNamesake, "%s was taken, %s; %s has the name too. If that is meant, write its country behind it.", town, why, s.namesake)
		d.notices[len(d.notices)-1].Suggestions = []string{s.namesake}
	} else if s.alternate {
		add(NoticeNamesake, "%s was taken; the text is another name of it.", town)
	}
	if s.abroad {
		add(NoticeNamesake, "%s was taken: no town in the country of the event has the name. If another one is meant, write its country behind it.", town)
	}
}
