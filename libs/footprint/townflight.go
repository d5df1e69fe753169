package footprint

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/places"
)

// flightEnds replaces the places of a flight by their codes, and returns the named towns; nil if there are only
// codes. With known every place must be in the register.
func (d *decoder) flightEnds(ends []*string, paths []string, known bool) *journey {
	before := d.townsBefore()
	j := &journey{}
	towns := false
	for i, end := range ends {
		text := *end // of via; from and to are read here
		if paths[i] == "from" || paths[i] == "to" {
			text, _ = d.String(paths[i], 1, places.MaxText)
		}
		if text == "" {
			continue // absent, or at fault
		}
		code, s, town := d.flightEnd(paths[i], text, known, before)
		*end = code
		towns = towns || town
		if s.Name != "" {
			j.Stops = append(j.Stops, s)
		}
	}
	d.remark(j)
	if !towns {
		return nil
	}
	for i := range j.Stops {
		j.Stops[i].measure()
	}
	return j
}

// flightEnd returns the code of a text, and the place it was resolved to.
func (d *decoder) flightEnd(path, text string, known bool, before map[string]string) (string, stop, bool) {
	trimmed := strings.TrimSpace(text)
	upper := strings.ToUpper(trimmed)
	if l, ok := locations.Resolve(upper); ok {
		if name := before[path+upper]; name != "" {
			// The body sends back the code that the server found.
			if s, ok := d.airportStopOf(name); ok && s.Code == upper {
				return upper, s, true
			}
		}
		s := codeStop(l)
		s.alsoTown = townNamed(trimmed, d.ev.Country)
		return upper, s, false
	}
	// Text that looks like a code is a mistyped one, not a town.
	if looksLikeCode(upper) && trimmed == upper {
		return d.checkPlace(path, text, known), stop{}, false
	}
	if l, ok := codeBeside(trimmed, d.ev.Country); ok {
		return l.Code, codeStop(l), false
	}
	p, airport, byAirport, err := findFlightPlace(trimmed, d.ev.Country)
	if err != nil {
		if looksLikeCode(upper) || len(trimmed) > 40 {
			return d.checkPlace(path, text, known), stop{}, false
		}
		d.Fault(d.placeFault(path, text, err))
		return "", stop{}, false
	}
	if airport.Code != "" {
		return airport.Code, calledStop(airport, p), false
	}
	s, ok := townStop(p)
	if !ok {
		d.Fault(d.placeFault(path, text, &places.NotFoundError{Text: text}))
		return "", stop{}, false
	}
	s.byAirport = byAirport
	return s.Code, s, true
}

// townsNamed caches the results of townNamed. A flight has two codes, and flights of a list often share them.
var townsNamed = lru.New[[2]string, string](4096)

// townNamed returns the town whose name equals an airport's code, in the context of the event's country; empty if
// there is none.
func townNamed(code, country string) string {
	key := [2]string{code, country}
	name, ok := townsNamed.Get(key)
	if !ok {
		if p, err := places.Find(code, country); err == nil && p.FoundBy == places.ByName {
			name = p.String()
		}
		townsNamed.Put(key, name)
	}
	return name
}

// townStop returns a town with its airport.
func townStop(p places.Found) (stop, bool) {
	a, ok := p.NearestAirport()
	if !ok {
		return stop{}, false
	}
	s := stop{Name: p.Name, Country: p.Country, GeonameID: p.ID, Code: a.Airport, location: a}
	if p.Region != p.Name {
		s.Region = p.Region
	}
	s.Latitude, s.Longitude = places.Degrees(p.Latitude), places.Degrees(p.Longitude)
	s.AirportKm = kilometres(big.NewRat(locations.GreatCircleMetres(p.Location(), a), 1))
	s.addNotices(p)
	return s, true
}

func (d *decoder) airportStopOf(name string) (stop, bool) {
	p, err := places.Find(name, d.ev.Country)
	if err != nil {
		return stop{}, false
	}
	return townStop(p)
}

func airportStop(l locations.Location) stop {
	s := codeStop(l)
	s.measure()
	return s
}

// codeStop is airportStop without the degrees, which a flight between codes does not store.
func codeStop(l locations.Location) stop {
	return stop{Name: l.Name, Country: l.Country, Code: l.Code, location: l}
}

// measure sets the degrees unless they are known.
func (s *stop) measure() {
	if s.Latitude == nil {
		s.Latitude, s.Longitude = places.Degrees(s.location.Latitude), places.Degrees(s.location.Longitude)
	}
}

// townsBefore returns the towns of the response that a body sends back, by field and representative code.
func (d *decoder) townsBefore() map[string]string {
	text, ok := d.Raw("journey")
	if !ok {
		return nil
	}
	var j journey
	if json.Unmarshal(text, &j) != nil {
		return nil
	}
	out := map[string]string{}
	for i, s := range j.Stops {
		if s.GeonameID == 0 {
			continue
		}
		path := fmt.Sprintf("via[%d]", i-1)
		switch i {
		case 0:
			path = "from"
		case len(j.Stops) - 1:
			path = "to"
		}
		name := s
		name.Code = ""
		out[path+s.Code] = name.String()
	}
	return out
}

// airportsOf adds a notice with the airports that represent the towns of a flight, and widens the interval: the
// journey may have begun at another airport.
func (c *calculation) airportsOf(j *journey) {
	if j == nil || len(j.Stops) < 2 {
		return
	}
	towns := false
	for _, s := range j.Stops {
		towns = towns || s.GeonameID != 0
	}
	if !towns {
		return
	}
	if c.quiet {
		c.note(NoticeAirportOfTown, "from", "")
	} else {
		var parts []string
		for _, s := range j.Stops {
			if s.GeonameID != 0 {
				name := s
				name.Code = ""
				parts = append(parts, fmt.Sprintf("%s for %s, %s km away", s.Code, name, s.AirportKm))
			}
		}
		c.note(NoticeAirportOfTown, "from", "The airports are those that people of the towns are assumed to use: %s.", strings.Join(parts, "; "))
	}
	c.assume(NoticeAirportOfTown, "from", otherAirport(j))
	c.least = max(c.least, Estimated)
}

// otherAirport is the 95 % factor of flights with assumed airports: each may be as far from the town as the assumed
// one, and at least 50 km.
func otherAirport(j *journey) *big.Rat {
	circle := new(big.Rat)
	off := new(big.Rat)
	var last locations.Location
	for i, s := range j.Stops {
		at := s.location
		if l, ok := locations.Resolve(s.Code); ok {
			at = l
		}
		if i > 0 {
			circle.Add(circle, big.NewRat(locations.GreatCircleMetres(last, at), 1000))
		}
		last = at
		if s.GeonameID != 0 {
			away := decimal.FromInt(50)
			if s.AirportKm != nil && s.AirportKm.Cmp(away) > 0 {
				away = *s.AirportKm
			}
			off.Add(off, decimalRat(away))
		}
	}
	if circle.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	off.Quo(off, circle)
	if off.Cmp(big.NewRat(1, 1)) > 0 {
		off.SetInt64(1)
	}
	return off.Add(off, big.NewRat(1, 1))
}
