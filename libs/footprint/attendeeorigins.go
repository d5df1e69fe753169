package footprint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// resolution is the resolved meaning of a row's text.
type resolution struct {
	at     []settlement
	detail *apperr.Detail
	// remark is a place that needs a notice, until it has one: an airport whose code names a town too, or a town with a namesake.
	remark stop
}

// origin reads one row. found caches the meanings of texts, since lists repeat them.
func (d *decoder) origin(r *fields.Reader, found map[string]*resolution) origin {
	var o origin
	o.Place, _ = r.String("place", 1, places.MaxText)
	o.Postcode, _ = r.String("postcode", 1, 20)
	o.Country, _ = r.Country("country")
	o.Code, _ = r.String("code", 1, 8)
	o.Mode = d.travelMode(r)
	o.People = 1
	if n, ok := r.Integer("people", 1, 1_000_000); ok {
		o.People = n
	}
	if v, ok := r.Bool("roundTrip"); ok {
		o.RoundTrip = &v
	}
	r.Ignore("at")
	if d.Describing() {
		return o
	}
	if o.Place != "" && o.Postcode != "" && o.Code == "" {
		o = d.nearer(o, found)
	}
	named := 0
	for _, text := range []string{o.Place, o.Postcode, o.Code} {
		if text != "" {
			named++
		}
	}
	if named > 1 {
		d.Fault(apperr.Detail{Field: r.Path("place"), Code: fields.NotAllowed, Message: "A row may have place, postcode or both, or code alone; country can be added."})
		return o
	}
	if named == 0 && o.Country == "" {
		return o // people without origin
	}
	known := d.resolved(o, found)
	if known.detail != nil {
		detail := *known.detail
		detail.Field = r.Path(detail.Field)
		d.Fault(detail)
		return o
	}
	if known.remark.Name != "" { // once for all rows
		d.remarkStop(r.Path("place"), known.remark)
		known.remark = stop{}
	}
	o.At = slices.Clone(known.at)
	o.share()
	return o
}

// resolved is settle, cached across rows.
func (d *decoder) resolved(o origin, found map[string]*resolution) *resolution {
	key := strings.Join([]string{o.Place, o.Postcode, o.Code, o.Country}, "\x00")
	if o.flies() {
		key += "\x00" + plane
	}
	known, ok := found[key]
	if !ok {
		settled := d.settle(o)
		known = &settled
		found[key] = known
	}
	return known
}

// flies reports whether the people of a row come by plane from a town without its country.
func (o origin) flies() bool {
	if o.Mode != plane || o.Country != "" || o.Place == "" {
		return false
	}
	_, isCode := typedAsCode(o.Place)
	return !isCode
}

// sameTown is the largest distance between a postcode's area and a town of one address, in metres.
const sameTown = 100_000

// nearer reduces a row with both a town and a postcode, as addresses have, to one of them: the postcode, which is
// more precise, if its area is known and near the town.
func (d *decoder) nearer(o origin, found map[string]*resolution) origin {
	town, area := o, o
	town.Postcode, area.Place = "", ""
	byArea := d.resolved(area, found)
	if byArea.detail != nil {
		return town
	}
	byTown := d.resolved(town, found)
	if byTown.detail == nil && locations.GreatCircleMetres(byTown.at[0].Venue.location(), byArea.at[0].Venue.location()) > sameTown {
		return town
	}
	return area
}

// settle resolves the place of a row.
func (d *decoder) settle(o origin) resolution {
	refused := func(field, code, format string, args ...any) resolution {
		return resolution{detail: &apperr.Detail{Field: field, Code: code, Message: fmt.Sprintf(format, args...)}}
	}
	switch {
	case o.Code != "":
		l, ok := locations.Resolve(strings.ToUpper(strings.TrimSpace(o.Code)))
		if !ok {
			r := refused("code", fields.UnknownCode, "code must be a known IATA, ICAO or city code; got %q. Use place for a town.", shorten(o.Code))
			r.detail.Suggestions = d.airports(o.Code)
			return r
		}
		return resolution{at: []settlement{{Venue: airportStop(l).venue()}}}
	case o.Postcode != "":
		country := o.Country
		if country == "" {
			country = d.ev.Country
		}
		if country == "" {
			return refused("country", fields.Required, "country is required with postcode, because the event has no country.")
		}
		p, ok := places.Postcode(o.Postcode, country)
		if !ok {
			return refused("postcode", UnknownPlace, "No postcode area %[2]q is known in %[1]s. Give the town in place, or the country alone.", country, shorten(o.Postcode))
		}
		return resolution{at: []settlement{{Venue: stopOf(places.Found{Place: p}).venue()}}}
	case o.Place != "":
		text, home := o.Place, d.ev.Country
		if o.Country != "" {
			text, home = o.Place+", "+o.Country, o.Country
		}
		find := findNamed
		if o.flies() {
			find = findFlown
		}
		p, airport, err := find(text, home)
		if l, ok := typedAsCode(o.Place); ok && o.Country == "" && (err != nil || home == "" || p.Country != home) {
			s := airportStop(l)
			s.alsoTown = townNamed(o.Place, home)
			return resolution{at: []settlement{{Venue: s.venue()}}, remark: s}
		}
		switch {
		case err == nil && airport.Code != "":
			return resolution{at: []settlement{{Venue: airportStop(airport).venue()}}}
		case err == nil:
			s := stopOf(p)
			r := resolution{at: []settlement{{Venue: s.venue()}}}
			if s.namesake != "" {
				s.abroad, s.byAirport = false, p.Country != home
				r.remark = s
			}
			return r
		}
		if l, ok := locations.Resolve(strings.ToUpper(strings.TrimSpace(o.Place))); ok && o.Country == "" {
			return resolution{at: []settlement{{Venue: airportStop(l).venue()}}}
		}
		detail := d.placeFault("place", o.Place, err)
		detail.Message = strings.Replace(detail.Message, "; or leave out the places and state distanceKm", "; or leave out the place and give the country", 1)
		return resolution{detail: &detail}
	}
	var at []settlement
	for _, town := range places.Origins(o.Country) {
		at = append(at, settlement{Venue: stopOf(places.Found{Place: town.Place}).venue()})
	}
	if len(at) == 0 {
		return refused("country", UnknownPlace, "No towns in %s are known. Give a town in place.", o.Country)
	}
	return resolution{at: at}
}

// typedAsCode returns the airport or city of a code in three capital letters. In small ones MAN is rather a town of that name.
func typedAsCode(text string) (locations.Location, bool) {
	text = strings.TrimSpace(text)
	if len(text) != 3 || strings.ToUpper(text) != text {
		return locations.Location{}, false
	}
	return locations.Resolve(text)
}

// merged adds up the rows of one origin, mode and direction, in order of first occurrence, so that only counts by
// origin are stored.
func merged(rows []origin) []origin {
	type key struct {
		at            Venue
		country, mode string
		oneWay        bool
	}
	at := map[key]int{}
	out := rows[:0:0]
	for _, o := range rows {
		k := key{mode: o.Mode, oneWay: o.RoundTrip != nil && !*o.RoundTrip}
		if o.Place+o.Postcode+o.Code == "" {
			k.country = o.Country
		} else {
			k.at = o.At[0].Venue
		}
		i, ok := at[k]
		if !ok {
			at[k] = len(out)
			out = append(out, o)
			continue
		}
		out[i].People += o.People
		out[i].share()
	}
	return out
}

// share assigns the people of a row to its places.
func (o *origin) share() {
	weights := make([]decimal.Decimal, len(o.At))
	for i := range weights {
		weights[i] = decimal.FromInt(1)
		if o.Place+o.Postcode+o.Code == "" {
			weights[i] = places.Origins(o.Country)[i].Weight
		}
	}
	for i, n := range apportion(o.People, weights) {
		o.At[i].People = n
	}
}

// setOf counts the rows.
func setOf(rows []origin) *originSet {
	set := &originSet{Rows: int64(len(rows))}
	for i := range rows {
		set.People += rows[i].People
		if len(rows[i].At) == 0 {
			set.WithoutOrigin += rows[i].People
		}
		if rows[i].Mode == "" {
			set.WithoutMode += rows[i].People
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return set // counts and texts have a JSON form
	}
	sum := sha256.Sum256(text)
	set.Hash = hex.EncodeToString(sum[:])
	return set
}

func (t *attendeeTravel) complete() bool {
	return len(t.Origins) > 0 && t.OriginSet != nil && t.OriginSet.WithoutOrigin < t.OriginSet.People
}

// WithoutOrigins returns the stored fields of a record as served: without the rows of attendee travel, which are read
// separately.
func WithoutOrigins(typ string, stored json.RawMessage) json.RawMessage {
	if typ != AttendeeTravel {
		return stored
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(stored, &all) != nil {
		return stored
	}
	delete(all, "origins")
	text, err := json.Marshal(all)
	if err != nil {
		return stored
	}
	return text
}

// OriginCounts is the part of attendee travel in the history of a record.
type OriginCounts struct {
	Rows   int64 `json:"rows"`
	People int64 `json:"people"`
	// Hash is the SHA-256 of the rows' canonical JSON.
	Hash string `json:"hash"`
}

// OriginCountsOf returns the counts of a record of attendee travel; nil for any other.
func OriginCountsOf(typ string, stored json.RawMessage) *OriginCounts {
	if typ != AttendeeTravel {
		return nil
	}
	var t struct {
		Set *OriginCounts `json:"originSet"`
	}
	if json.Unmarshal(stored, &t) != nil {
		return nil
	}
	return t.Set
}

// Origins returns the rows of a record of attendee travel, each in its JSON form.
func Origins(typ string, stored json.RawMessage) (rows []json.RawMessage, err error) {
	if typ != AttendeeTravel {
		return nil, nil
	}
	var t struct {
		Origins []json.RawMessage `json:"origins"`
	}
	err = json.Unmarshal(stored, &t)
	return t.Origins, err
}

// PeopleByDirection returns how many people travel to the event and how many return home in a stored record of
// attendee travel, as its calculation counts them: people without origin as the mean of the others, and survey
// responses extrapolated to everyone.
func PeopleByDirection(stored json.RawMessage) (there, back int64) {
	var t struct {
		Respondents, Population int64
		Origins                 []struct {
			Place, Postcode, Country, Code string
			People                         int64
			RoundTrip                      *bool
		}
	}
	if json.Unmarshal(stored, &t) != nil {
		return 0, 0 // unreadable records are not calculated either
	}
	var all int64
	for _, o := range t.Origins {
		all += o.People
		if o.Place+o.Postcode+o.Country+o.Code == "" {
			continue
		}
		there += o.People
		if o.RoundTrip == nil || *o.RoundTrip {
			back += o.People
		}
	}
	switch {
	case there == 0:
		return 0, 0
	case there < all:
		return all, back * all / there
	case t.Respondents > 0 && t.Population > t.Respondents:
		return there * t.Population / t.Respondents, back * t.Population / t.Respondents
	}
	return there, back
}
