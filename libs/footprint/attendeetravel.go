package footprint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// AttendeeTravel is the type of records of people by where they come from.
const AttendeeTravel = "attendee-travel"

// MaxOrigins is how many rows a record of attendee travel may have.
const MaxOrigins = 10_000

// OriginRows names the rows of a file that becomes one record of attendee travel.
const OriginRows = "attendee-travel/origins"

// OriginSchema returns the JSON Schema of a row of origins.
func OriginSchema() json.RawMessage {
	var s struct {
		Properties struct {
			Origins struct {
				Items json.RawMessage `json:"items"`
			} `json:"origins"`
		} `json:"properties"`
	}
	if json.Unmarshal(Schema(AttendeeTravel), &s) != nil {
		return nil // a test asserts that there is a schema for every type
	}
	return s.Properties.Origins.Items
}

// CheckOrigin reports what is wrong with one row of origins, under the names of
// its own fields. The error is a VALIDATION_ERROR.
func CheckOrigin(row []byte, ev EventContext) error {
	r, err := fields.Parse(row)
	if r == nil {
		return err
	}
	d := &decoder{Reader: r, ev: ev}
	d.origin(r, "", map[string]resolution{})
	return r.Err()
}

// OriginsBody returns the body of a record of attendee travel that has the rows. to
// may be empty: then people travel to the event's place.
func OriginsBody(to string, rows []json.RawMessage) ([]byte, error) {
	return json.Marshal(struct {
		To      string            `json:"to,omitempty"`
		Origins []json.RawMessage `json:"origins"`
	}{to, rows})
}

// plane is the mode of people who fly; the others are those of ground transport.
const plane = "plane"

// attendeeTravel is the input of an attendee-travel record. It holds counts by
// origin: nobody's name is a field of it.
type attendeeTravel struct {
	To string `json:"to,omitempty"`
	// Venue is what To was resolved to; nil where the event's place counts.
	Venue      *Venue           `json:"venue,omitempty"`
	Class      string           `json:"class,omitempty"`
	Occupancy  *decimal.Decimal `json:"occupancy,omitempty"`
	ModeSurvey []modeAnswer     `json:"modeSurvey,omitempty"`
	Origins    []origin         `json:"origins"`
	OriginSet  *originSet       `json:"originSet,omitempty"`
	common
}

// modeAnswer is how many of those asked came by a mode.
type modeAnswer struct {
	Mode   string `json:"mode"`
	People int64  `json:"people"`
}

// origin is a row: so many people come from one place.
type origin struct {
	Place     string `json:"place,omitempty"`
	Postcode  string `json:"postcode,omitempty"`
	Country   string `json:"country,omitempty"`
	Code      string `json:"code,omitempty"`
	People    int64  `json:"people"`
	Mode      string `json:"mode,omitempty"`
	RoundTrip *bool  `json:"roundTrip,omitempty"`
	// At are the places that the row was resolved to, with its people: one, or of a
	// country the towns that stand for it. The server owns it.
	At []settlement `json:"at,omitempty"`
}

// settlement is a place where people of a row live.
type settlement struct {
	Venue
	People int64 `json:"people"`
}

// originSet tells what the rows are without them: a record is shown with it.
type originSet struct {
	Rows   int64 `json:"rows"`
	People int64 `json:"people"`
	// WithoutOrigin of the people have no origin, WithoutMode no mode.
	WithoutOrigin int64 `json:"withoutOrigin"`
	WithoutMode   int64 `json:"withoutMode"`
	// Hash is the SHA-256 of the rows' canonical JSON.
	Hash string `json:"hash"`
}

var _ = define(AttendeeTravel, attendeeTravelDoc(), decodeAttendeeTravel, calculateAttendeeTravel, nil)

// travelModes are the modes of a row, with words that lists have for them.
func travelModes() []string {
	modes := []string{plane}
	for _, m := range groundModes {
		if m.name != van {
			modes = append(modes, m.name)
		}
	}
	return modes
}

var modeWords = map[string]string{
	"air": plane, "flight": plane, "fly": plane, "flying": plane, "train": "rail", "eurostar": "international_rail",
	"underground": "metro", "subway": "metro", "tube": "metro", "bike": "bicycle", "cycle": "bicycle", "foot": "walk", "walking": "walk",
	"cab": taxi, "boat": "ferry", "automobile": car, "driving": car, "streetcar": "tram", "motorcycle": "motorbike",
}

func decodeAttendeeTravel(d *decoder, t *attendeeTravel) {
	d.Require("origins")
	d.RequireContent("origins")
	if to, ok := d.String("to", 1, places.MaxText); ok {
		t.To = to
		venue, notices, detail := ResolveVenue(to, d.ev.Country)
		if detail != nil {
			detail.Field = "to"
			d.Fault(*detail)
		} else {
			t.Venue = &venue
			for _, n := range notices {
				n.Field = "to"
				d.notices = append(d.notices, n)
			}
		}
	} else if !d.Describing() && !d.Has("to") && d.ev.Place.IsZero() {
		d.Fault(apperr.Detail{Field: "to", Code: fields.Required, Message: "to is required, since the event has no place: a town with its country, or a code."})
	}
	if class, ok := d.String("class", 1, 40); ok {
		if t.Class, ok = flightClass(class); !ok {
			d.Fault(fields.NotOneOf("class", class, flightClasses[:]))
		}
	}
	d.Document("class", func(p *fields.Property) { p.Enum, p.Loose, p.MaxLength, p.MinLength = flightClasses[:], true, 0, 0 })
	if n, ok := d.Decimal("occupancy", decimal.FromInt(1), hundred); ok {
		t.Occupancy = &n
	}
	d.modeSurvey(t)
	d.Ignore("venue", "originSet")
	list, _ := d.Objects("origins", MaxOrigins)
	rows := make([]origin, 0, len(list))
	found := map[string]resolution{}
	for i, r := range list {
		rows = append(rows, d.origin(r, "origins["+strconv.Itoa(i)+"].", found))
	}
	if d.Faults() > 0 || len(rows) == 0 {
		return
	}
	t.Origins = merged(rows)
	t.OriginSet = setOf(t.Origins)
	if t.OriginSet.WithoutOrigin == t.OriginSet.People {
		d.Fault(apperr.Detail{Field: "origins", Code: fields.Required, Message: "No row has a place, postcode, country or code, so nothing is known of where people come from."})
	}
}

func (d *decoder) modeSurvey(t *attendeeTravel) {
	list, _ := d.Objects("modeSurvey", 20)
	for i, r := range list {
		r.Require("mode", "people")
		var a modeAnswer
		a.Mode = d.travelMode(r, "modeSurvey["+strconv.Itoa(i)+"].")
		a.People, _ = r.Integer("people", 1, maxPeople)
		t.ModeSurvey = append(t.ModeSurvey, a)
	}
}

// travelMode reads a mode as people write it.
func (d *decoder) travelMode(r *fields.Reader, path string) string {
	text, ok := r.String("mode", 1, 40)
	r.Document("mode", func(p *fields.Property) { p.Enum, p.Loose, p.MaxLength, p.MinLength = travelModes(), true, 0, 0 })
	if !ok {
		return ""
	}
	mode := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), " ", "_")
	if word, known := modeWords[mode]; known {
		mode = word
	}
	if !slices.Contains(travelModes(), mode) {
		d.Fault(fields.NotOneOf(path+"mode", text, travelModes()))
		return ""
	}
	return mode
}

// resolution is what a text of a row was found to mean.
type resolution struct {
	at     []settlement
	detail *apperr.Detail
}

// origin reads one row. found keeps what texts mean, since lists repeat them.
func (d *decoder) origin(r *fields.Reader, path string, found map[string]resolution) origin {
	var o origin
	o.Place, _ = r.String("place", 1, places.MaxText)
	o.Postcode, _ = r.String("postcode", 1, 20)
	o.Country, _ = r.Country("country")
	o.Code, _ = r.String("code", 1, 8)
	o.Mode = d.travelMode(r, path)
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
	named := 0
	for _, text := range []string{o.Place, o.Postcode, o.Code} {
		if text != "" {
			named++
		}
	}
	if named > 1 {
		d.Fault(apperr.Detail{Field: path + "place", Code: fields.NotAllowed, Message: "A row has one of place, postcode and code; country may stand beside it."})
		return o
	}
	if named == 0 && o.Country == "" {
		return o // people without origin
	}
	key := strings.Join([]string{o.Place, o.Postcode, o.Code, o.Country}, "\x00")
	known, ok := found[key]
	if !ok {
		known = d.settle(o)
		found[key] = known
	}
	if known.detail != nil {
		detail := *known.detail
		detail.Field = path + detail.Field
		d.Fault(detail)
		return o
	}
	o.At = slices.Clone(known.at)
	o.share()
	return o
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
			r := refused("code", fields.UnknownCode, "code must be a known IATA, ICAO or city code; got %q. A town goes into place.", shorten(o.Code))
			r.detail.Suggestions = locations.Suggest(o.Code)
			return r
		}
		return resolution{at: []settlement{{Venue: airportStop(l).venue()}}}
	case o.Postcode != "":
		country := o.Country
		if country == "" {
			country = d.ev.Country
		}
		if country == "" {
			return refused("country", fields.Required, "A postcode needs its country, since the event has none.")
		}
		p, ok := places.Postcode(o.Postcode, country)
		if !ok {
			return refused("postcode", UnknownPlace, "No postcode area of %s is known as %q. Give the town in place, or the country alone.", country, shorten(o.Postcode))
		}
		return resolution{at: []settlement{{Venue: stopOf(places.Found{Place: p}).venue()}}}
	case o.Place != "":
		text, home := o.Place, d.ev.Country
		if o.Country != "" {
			text, home = o.Place+", "+o.Country, o.Country
		}
		p, err := places.Find(text, home)
		if err == nil {
			return resolution{at: []settlement{{Venue: stopOf(p).venue()}}}
		}
		if l, ok := locations.Resolve(strings.ToUpper(strings.TrimSpace(o.Place))); ok && o.Country == "" {
			return resolution{at: []settlement{{Venue: airportStop(l).venue()}}}
		}
		detail := placeFault("place", o.Place, err)
		detail.Message = strings.Replace(detail.Message, "; or leave the places out and state distanceKm", "; or leave the place out and give the country", 1)
		return resolution{detail: &detail}
	}
	var at []settlement
	for _, town := range places.Origins(o.Country) {
		at = append(at, settlement{Venue: stopOf(places.Found{Place: town.Place}).venue()})
	}
	if len(at) == 0 {
		return refused("country", UnknownPlace, "No towns are known of %s. Give a town in place.", o.Country)
	}
	return resolution{at: at}
}

// merged adds up the rows of one origin, mode and way, in the order in which they
// first come, so that what is kept are counts by origin.
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

// share gives the people of a row to its places.
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

// WithoutOrigins returns the stored fields of a record as it is shown: of attendee
// travel without its rows, which are read apart.
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

// OriginCounts is what the history of a record keeps of the rows of attendee travel.
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

func attendeeTravelDoc() doc {
	return doc{
		place:       14,
		bought:      []string{"attendees"},
		apart:       []string{"origins"},
		description: "How people came, by counts of where they come from: door to door, there and back. It never holds names.",
		formula:     "Σ origins, modes and legs: people × km × 2 unless one way × (factor + well-to-tank)",
		method: "Each row's people travel from its place to that of the record, else to that of the event. People who fly have three legs: to the airport that people of their town " +
			"use (of a code, the median distance of the country), the flight, and from the airport to the venue; the ways to and from airports are shared among car, rail and coach as surveyed at eleven " +
			"UK airports. All others have one leg, the great circle by the detour factor of the mode. Legs are calculated as records of flights and ground transport are, and rounded as these: the sum " +
			"equals those records to the milligram.\n\n" +
			"People of a country without a town are shared among its towns by their weights, people without a mode among the modes of the record's own survey (`modeSurvey`) or else of a published table, by region and " +
			"distance: Great Britain over 50 miles, trips of EU residents within and beyond their country, bands of distance of the United States for all others, and the plane between countries outside of Europe from 700 km on. " +
			"Shares become whole people by the largest remainder, ties in the order of the input. What is not known widens the interval: a table of modes by a factor of 2 (a choice: the same that two spend models are granted), " +
			"a survey of n answers by 1 + 2/√n, at most 2; towns that stand for a country by 1.11 abroad and 1.67 at home or below 50 people; a distance by the range of its detour factor; an airport that is assumed by its distance from the town. " +
			"People without origin are counted as the mean of the others, with the interval of a survey.",
		fields: []fieldDoc{
			{"to", "Where people travel to: a town with its country, a postcode area or a code. Absent, it is the place of the event.", ``},
			{"class", "Cabin class of those who fly.", `"average"`},
			{"occupancy", "People in a car, of those who come by car.", `1`},
			{"modeSurvey", "The event's own survey of how people came, for those whose mode is not known.", ``},
			{"modeSurvey.mode", "How they came.", ``},
			{"modeSurvey.people", "How many of those asked.", ``},
			{"origins", "Counts of people by where they come from. A row without place, postcode, country and code counts people without origin. Rows of one origin are added up. Answers have originSet in its place.", ``},
			{"origins.place", "A town, looked up in country, else in the country of the event, else worldwide.", ``},
			{"origins.postcode", "A postcode, of country or of the country of the event.", ``},
			{"origins.country", "Country of place or postcode; alone, people are shared among its towns.", ``},
			{"origins.code", "A code of an airport or city.", ``},
			{"origins.people", "How many people.", `1`},
			{"origins.mode", "How they came; words such as train and flight are understood. Absent, they are shared among the modes of a survey or a published table.", ``},
			{"origins.roundTrip", "Counts the way back as well.", `true`},
		},
		examples: []string{
			`{"to":"Brighton, GB","origins":[{"place":"Manchester","country":"GB","people":12,"mode":"rail"},{"place":"Berlin","country":"DE","people":3,"mode":"plane"}]}`,
			`{"to":"Manchester, GB","origins":[{"country":"DE","people":40},{"postcode":"BS1 4DJ","country":"GB","people":2,"mode":"car"},{"people":5}],"group":"attendees"}`,
			`{"to":"Brighton, GB","class":"economy","modeSurvey":[{"mode":"rail","people":30},{"mode":"car","people":20}],"origins":[{"code":"EDI","people":4,"mode":"plane","roundTrip":false},{"place":"London","country":"GB","people":60}]}`,
		},
	}
}
