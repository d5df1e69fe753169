package footprint

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/locations"
)

// flights is the input of a flight record.
type flights struct {
	From       string           `json:"from"`
	To         string           `json:"to"`
	Via        []string         `json:"via,omitempty"`
	Class      string           `json:"class,omitempty"`
	Passengers int64            `json:"passengers"`
	RoundTrip  *bool            `json:"roundTrip,omitempty"`
	Trips      int64            `json:"trips,omitempty"`
	DistanceKm *decimal.Decimal `json:"distanceKm,omitempty"`
	Direction  string           `json:"direction,omitempty"`
	// Journey has the towns that the codes represent, if towns were named.
	Journey *journey `json:"journey,omitempty"`
	common
}

var flightsType = define("flights",
	flightsDoc(),
	decodeFlights, calculateFlights, chainFlights)

const average = "average"

// flightClasses are the cabin classes; average is the last.
var flightClasses = [...]string{"economy", "premium_economy", "business", "first", average}

// longHaulMetres is the threshold of long haul for a territory that the country table lacks.
const longHaulMetres = 3_700_000

func decodeFlights(d *decoder, f *flights) {
	d.Require("from", "to", "passengers")
	if km, ok := d.Decimal("distanceKm", decimal.FromInt(1), decimal.FromInt(20100)); ok {
		f.DistanceKm = &km
	}
	// An invalid distance is a fault of its own; it must not cause another one for an unknown code.
	known := !d.Has("distanceKm")
	via, _ := d.Strings("via", 5, 40)
	f.Via = via
	ends, paths := []*string{&f.From}, []string{"from"}
	for i := range f.Via {
		ends, paths = append(ends, &f.Via[i]), append(paths, fmt.Sprintf("via[%d]", i))
	}
	f.Journey = d.flightEnds(append(ends, &f.To), append(paths, "to"), known)
	if len(via) > 0 && d.Has("distanceKm") {
		d.Fault(apperr.Detail{Field: "distanceKm", Code: fields.NotAllowed,
			Message: "distanceKm is the direct distance between from and to and cannot be combined with via. Leave out one of the two."})
	}
	d.Document("via", func(p *fields.Property) {
		p.Items = &fields.Property{Type: "string", Loose: true}
	})
	d.differ(f)
	f.Passengers, _ = d.Integer("passengers", 1, 10_000)
	if class, ok := d.String("class", 1, 40); ok {
		if f.Class, ok = flightClass(class); !ok {
			d.Fault(d.NotOneOf("class", class, flightClasses[:]))
		}
	}
	d.Document("class", func(p *fields.Property) { p.Enum, p.Loose, p.MaxLength, p.MinLength = flightClasses[:], true, 0, 0 })
	f.RoundTrip = d.flag("roundTrip")
	f.Trips, _ = d.Integer("trips", 1, 1000)
	f.Direction, _ = d.Enum("direction", "outbound", "return")
	if f.Direction != "" && f.RoundTrip != nil && *f.RoundTrip {
		d.Fault(apperr.Detail{Field: "direction", Code: fields.NotAllowed, Message: "direction must be absent when roundTrip is true."})
	}
}

// flightClass reads a class as people write it.
func flightClass(text string) (string, bool) {
	c := strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '\t' }), "_"))
	c = strings.TrimSuffix(c, "_class")
	if c == "premium" {
		c = "premium_economy"
	}
	for _, known := range flightClasses {
		if c == known {
			return c, true
		}
	}
	return "", false
}

// checkPlace returns a location code in upper case; with known it must be in the register.
func (d *decoder) checkPlace(path, code string, known bool) string {
	upper := strings.ToUpper(strings.TrimSpace(code))
	if _, ok := locations.Resolve(upper); ok {
		return upper
	}
	switch {
	case known:
		d.Fault(apperr.Detail{Field: path, Code: fields.UnknownCode, Suggestions: d.airports(code),
			Message: fmt.Sprintf("%s must be a known IATA, ICAO or city code; got %q. With distanceKm, unknown airports are accepted.", path, shorten(code))})
	case !looksLikeCode(upper):
		d.Fault(apperr.Detail{Field: path, Code: fields.BadFormat, Suggestions: d.airports(code),
			Message: fmt.Sprintf("%s must be a code of 3 or 4 letters or digits; got %q.", path, shorten(code))})
	}
	return upper
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func looksLikeCode(s string) bool {
	if len(s) != 3 && len(s) != 4 {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// differ rejects a leg that begins and ends at one airport, such as LHR to LON.
func (d *decoder) differ(f *flights) {
	codes := make([]string, 0, len(f.Via)+2)
	codes = append(append(append(codes, f.From), f.Via...), f.To)
	paths := make([]string, 0, len(codes))
	paths = append(paths, "from")
	for i := range f.Via {
		paths = append(paths, fmt.Sprintf("via[%d]", i))
	}
	paths = append(paths, "to")
	for i := 1; i < len(codes); i++ {
		if codes[i] != "" && codes[i-1] != "" && airportOf(codes[i]) == airportOf(codes[i-1]) {
			d.Fault(apperr.Detail{Field: paths[i], Code: fields.NotAllowed,
				Message: fmt.Sprintf("%s must be a different airport than %s; both are %s.", paths[i], paths[i-1], airportOf(codes[i]))})
		}
	}
	if len(f.Via) > 0 && f.From != "" && airportOf(f.From) == airportOf(f.To) {
		d.Fault(apperr.Detail{Field: "to", Code: fields.NotAllowed,
			Message: "to must be a different airport than from. For a return journey use roundTrip."})
	}
}

func airportOf(code string) string {
	if l, ok := locations.Resolve(code); ok {
		return l.Airport
	}
	return code
}

// haul is a row group of the flight factors.
type haul uint8

const (
	domestic haul = iota
	shortHaul
	longHaul
	nonUK
	hauls
)

// shortOutsideUK are flights of less than shortMetres outside the UK. The built-in sets have no factor for them; a
// factor pack can have one, and adopting such a set counts them separately.
const (
	shortOutsideUK = hauls
	flightHauls    = hauls + 1
	// shortMetres are 300 miles, below which the US EPA's Emission Factors Hub has a
	// factor of its own.
	shortMetres = 482_803
)

var haulNames = [flightHauls]string{"domestic", "short_haul", "long_haul", "international_non_uk", "short_outside_uk"}

// flightFactors are the rows by haul, class and radiative forcing (0: without).
type flightFactors [flightHauls][len(flightClasses)][2]*factors.Factor

func newFlightFactors(set *factors.Set) (t flightFactors) {
	for h, name := range haulNames {
		for k, class := range flightClasses {
			t[h][k] = [2]*factors.Factor{
				set.Ref("desnz-flight-" + name + "-" + class + "-norf"),
				set.Ref("desnz-flight-" + name + "-" + class + "-rf"),
			}
		}
	}
	return t
}

func calculateFlights(c *calculation, f *flights) {
	class := f.Class
	if class == "" {
		class = average
		c.defaultTo("class")
	}
	people := f.Passengers * max(f.Trips, 1)
	if f.RoundTrip != nil && *f.RoundTrip {
		people *= 2
	}
	if f.DistanceKm != nil {
		h, geography := c.statedHaul(f.From, f.To, *f.DistanceKm)
		h = c.shortHaul(h, f.DistanceKm.Cmp(decimal.New(shortMetres, 3)) < 0)
		c.flight(h, class, exactly(*f.DistanceKm).multiply(people), geography)
		return
	}
	c.airportsOf(f.Journey)
	// Legs of one haul have one factor and make one line.
	var metres [flightHauls]int64
	from := c.stop(f.From)
	for i := 0; i <= len(f.Via); i++ {
		code := f.To
		if i < len(f.Via) {
			code = f.Via[i]
		}
		to := c.stop(code)
		m := locations.GreatCircleMetres(from, to)
		metres[c.shortHaul(c.haul(from.Country, to.Country, m), m < shortMetres)] += m
		from = to
	}
	for h, m := range metres {
		if m > 0 {
			geography := uint8(1)
			if haul(h) == nonUK || haul(h) == shortOutsideUK {
				geography = 2
			}
			c.flight(haul(h), class, thousandths(m*people), geography)
		}
	}
}

// shortHaul returns the haul of short flights outside the UK if the set has rows of them, from engine 2.2.0 on.
func (c *calculation) shortHaul(h haul, short bool) haul {
	rows := c.engine.flights[shortOutsideUK][len(flightClasses)-1]
	if h == nonUK && short && rows[0] != nil && rows[1] != nil && Since(c.ev.EngineVersion(), Engine4) {
		return shortOutsideUK
	}
	return h
}

// stop returns a place of a journey, which Decode has validated.
func (c *calculation) stop(code string) locations.Location {
	l, _ := locations.Resolve(code)
	if l.Approximate {
		c.note(NoticeApproximate, "", "%s is a city; its distance is that of %s.", code, l.Airport)
	}
	return l
}

// haul decides by the country table which rows a leg belongs to.
func (c *calculation) haul(from, to string, metres int64) haul {
	a, aKnown := locations.HaulOf(from)
	b, bKnown := locations.HaulOf(to)
	aUK, bUK := aKnown && a == locations.Domestic, bKnown && b == locations.Domestic
	switch {
	case aUK && bUK:
		return domestic
	case !aUK && !bUK:
		return nonUK
	case aUK:
		a, aKnown, from = b, bKnown, to
	}
	if aKnown {
		if a == locations.ShortHaul {
			return shortHaul
		}
		return longHaul
	}
	c.note(NoticeHaulByDistance, "", "The country table has no haul for %s; below 3,700 km it is short.", from)
	return byDistance(metres)
}

func byDistance(metres int64) haul {
	if metres < longHaulMetres {
		return shortHaul
	}
	return longHaul
}

// statedHaul returns the haul of a flight of stated distance, whose ends may be unknown.
func (c *calculation) statedHaul(fromCode, toCode string, stated decimal.Decimal) (haul, uint8) {
	from, fromKnown := locations.Resolve(fromCode)
	to, toKnown := locations.Resolve(toCode)
	metres := int64(0)
	if stated.Cmp(decimal.FromInt(longHaulMetres/1000)) >= 0 {
		metres = longHaulMetres
	}
	if fromKnown && toKnown {
		circle := locations.GreatCircleMetres(from, to)
		km := decimalRat(stated)
		low, high := decimal.New(circle*9, 4), decimal.New(circle*11, 4)
		if km.Cmp(decimalRat(low)) < 0 || km.Cmp(decimalRat(high)) > 0 {
			c.note(NoticeDistanceDiffers, "distanceKm", "The great circle is %s km; the stated distance was used.", decimal.New(circle, 3))
		}
		h := c.haul(from.Country, to.Country, metres)
		if h == nonUK {
			return h, 2
		}
		return h, 1
	}
	other := from
	if toKnown {
		other = to
	}
	if h, ok := locations.HaulOf(other.Country); ok && h == locations.Domestic {
		c.note(NoticeHaulByDistance, "", "A location is not known; below 3,700 km the flight is short-haul.")
		return byDistance(metres), 3
	}
	c.note(NoticeHaulAssumed, "", "A location is not known; the flight was taken as international, to and from outside the UK.")
	return nonUK, 3
}

// flight adds the lines of one haul.
func (c *calculation) flight(h haul, class string, km quantity, geography uint8) {
	k := len(flightClasses) - 1 // average
	for i, name := range flightClasses {
		if name == class {
			k = i
		}
	}
	technology := uint8(1)
	if class == average {
		technology = 2
	}
	rows := c.engine.flights[h][k]
	if rows[0] == nil || rows[1] == nil {
		rows = c.engine.flights[h][len(flightClasses)-1]
		technology = 2
		c.note(NoticeClassSubstituted, "class", "%s is not published for %s flights; the average class was used.", class, strings.ReplaceAll(haulNames[h], "_", " "))
	}
	f := rows[0]
	e := entry{quantity: km, unit: "passenger.km", stage: Direct, scope: 3, category: c.travel(), geography: geography, technology: technology}
	if c.ev.RadiativeForcing {
		f = rows[1]
		e.withoutRF = rows[0]
	}
	if f == nil {
		c.unavailable(apperr.Detail{Field: "class", Message: "The factor set has no factor for " + haulNames[h] + " flights."})
		return
	}
	e.factor = f
	c.add(e)
	c.upstream(e, e.category)
}

// flightsDoc describes the type to its users.
func flightsDoc() doc {
	return doc{
		place:       1,
		schema:      "FlightInput",
		bought:      []string{"flight", "air", "travel"},
		informative: []string{"direction", "class"},
		description: "Flights of a number of people between two places, by the great circle of each leg.",
		formula:     "Σ legs km (great circle) × passengers × trips × 2 if roundTrip × (factor + well-to-tank)",
		fields: []fieldDoc{
			{"from", "Where the journey begins: an IATA code, a city code such as LON, or an ICAO code; or a town with its country (Brighton, GB), for which the airport that serves it is used. Without its country, a city with a large airport counts before a town of the event's country that has none.", ``},
			{"to", "Where it ends; must be a different airport than from.", ``},
			{"via", "Stops in between, in order. Each leg counts with its own haul.", ``},
			{"class", "Cabin class. Upper and lower case, a space or hyphen instead of _, premium and a trailing \" class\" are accepted. A class that is not published for the haul is calculated as average.", `"average"`},
			{"passengers", "People on the flight.", ``},
			{"roundTrip", "Whether the return journey counts as well.", `false`},
			{"trips", "How often the whole journey was made.", `1`},
			{"distanceKm", "Great-circle distance one way. Not allowed together with via. With a distance, unknown places are accepted.", ``},
			{"direction", "Direction of the flight. Not allowed together with roundTrip.", ``},
		},
		ways: []way{
			{title: "By airports or towns", help: "The server knows the distance between two airports, and the airport that the people of a town use.",
				needs: []string{"from", "to", "passengers"}, more: []string{"via", "class", "roundTrip", "trips", "direction"}, example: `{"from":"LHR","to":"JFK","passengers":2}`},
			{title: "By distance", help: "Where a place is not known, its distance stands for it.",
				needs: []string{"from", "to", "passengers", "distanceKm"}, more: []string{"class", "roundTrip", "trips", "direction"}, example: `{"from":"LHR","to":"XQX","distanceKm":812.5,"passengers":4}`},
		},
		examples: []string{
			`{"from":"LHR","to":"JFK","class":"economy","passengers":2,"roundTrip":true,"group":"attendees"}`,
			`{"from":"EDI","to":"SIN","via":["LHR"],"class":"business","passengers":1,"direction":"outbound","date":"2026-05-11"}`,
			`{"from":"LHR","to":"XQX","distanceKm":812.5,"passengers":4}`,
		},
	}
}
