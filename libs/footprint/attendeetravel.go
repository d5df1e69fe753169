package footprint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/places"
)

// AttendeeTravel is the type of records of attendees by origin.
const AttendeeTravel = "attendee-travel"

// MaxOrigins is how many rows a record of attendee travel may have.
const MaxOrigins = 10_000

// OriginRows names the rows of a file that becomes one record of attendee travel.
const OriginRows = "attendee-travel/origins"

// OriginSchema returns the JSON Schema of a row of origins.
func OriginSchema() json.RawMessage { return OriginSchemaIn(English) }

// OriginSchemaIn returns OriginSchema with titles, descriptions and the names of values in a language.
func OriginSchemaIn(language string) json.RawMessage {
	var s struct {
		Properties struct {
			Origins struct {
				Items json.RawMessage `json:"items"`
			} `json:"origins"`
		} `json:"properties"`
	}
	if json.Unmarshal(SchemaIn(AttendeeTravel, language), &s) != nil {
		return nil // a test asserts that there is a schema for every type
	}
	return s.Properties.Origins.Items
}

// CheckOrigin validates one row of origins; faults name its own fields. The error is a VALIDATION_ERROR.
func CheckOrigin(row []byte, ev EventContext) error {
	r, err := fields.Parse(row)
	if r == nil {
		return err
	}
	r.SuggestBy(meant, elsewhere)
	d := &decoder{Reader: r, ev: ev}
	d.origin(r, map[string]*resolution{})
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

// plane is the mode of flying; the other modes are those of ground transport.
const plane = "plane"

// attendeeTravel is the input of an attendee-travel record. It holds only counts by origin, no names of people.
type attendeeTravel struct {
	To string `json:"to,omitempty"`
	// Venue is the resolved To; nil for the event's place.
	Venue      *Venue           `json:"venue,omitempty"`
	Class      string           `json:"class,omitempty"`
	Occupancy  *decimal.Decimal `json:"occupancy,omitempty"`
	ModeSurvey []modeAnswer     `json:"modeSurvey,omitempty"`
	Origins    []origin         `json:"origins"`
	OriginSet  *originSet       `json:"originSet,omitempty"`
	common

	// trips caches the journeys of the people of each place.
	trips map[string]tripsOf
}

// tripsOf is which journeys the people of a place make.
type tripsOf struct{ back, oneWay bool }

// modeAnswer is the number of respondents who came by a mode.
type modeAnswer struct {
	Mode   string `json:"mode"`
	People int64  `json:"people"`
}

// origin is a row: a number of people from one place.
type origin struct {
	Place     string `json:"place,omitempty"`
	Postcode  string `json:"postcode,omitempty"`
	Country   string `json:"country,omitempty"`
	Code      string `json:"code,omitempty"`
	People    int64  `json:"people"`
	Mode      string `json:"mode,omitempty"`
	RoundTrip *bool  `json:"roundTrip,omitempty"`
	// At are the places that the row was resolved to, with its people: one, or for a country the towns that represent
	// it. The server owns it.
	At []settlement `json:"at,omitempty"`
}

// settlement is a place of residence of people of a row.
type settlement struct {
	Venue
	People int64 `json:"people"`
}

// originSet is the summary of the rows that a record is served with.
type originSet struct {
	Rows   int64 `json:"rows"`
	People int64 `json:"people"`
	// WithoutOrigin of the people have no origin, WithoutMode no mode.
	WithoutOrigin int64 `json:"withoutOrigin"`
	WithoutMode   int64 `json:"withoutMode"`
	// Hash is the SHA-256 of the rows' canonical JSON.
	Hash string `json:"hash"`
}

var _ = define(AttendeeTravel, attendeeTravelDoc(), decodeAttendeeTravel, calculateAttendeeTravel, chainAttendeeTravel)

// travelModes are the modes of a row, with their synonyms in lists.
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
		d.Fault(apperr.Detail{Field: "to", Code: fields.Required, Message: "to is required because the event has no place. Give a town with its country, or a code."})
	}
	if class, ok := d.String("class", 1, 40); ok {
		if t.Class, ok = flightClass(class); !ok {
			d.Fault(d.NotOneOf("class", class, flightClasses[:]))
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
	found := map[string]*resolution{}
	for _, r := range list {
		if d.Cut() {
			return
		}
		rows = append(rows, d.origin(r, found))
	}
	if d.Faults() > 0 || len(rows) == 0 {
		return
	}
	t.Origins = merged(rows)
	t.OriginSet = setOf(t.Origins)
	if t.OriginSet.WithoutOrigin == t.OriginSet.People {
		d.Fault(apperr.Detail{Field: "origins", Code: fields.Required, Message: "No row has a place, postcode, country or code. At least one row must state where people come from."})
	}
	// Both scale the answers up to everyone; the rows without a place would decide alone.
	if n := t.OriginSet.WithoutOrigin; n > 0 && d.Has("respondents") {
		d.Fault(apperr.Detail{Field: "respondents", Code: fields.NotAllowed, Message: fmt.Sprintf("respondents and population cannot be used beside rows without a place: "+
			"their %d people already count as the mean of the others. State those who did not answer either as a row without a place, or by respondents and population.", n)})
	}
}

func (d *decoder) modeSurvey(t *attendeeTravel) {
	list, _ := d.Objects("modeSurvey", 20)
	for _, r := range list {
		r.Require("mode", "people")
		var a modeAnswer
		a.Mode = d.travelMode(r)
		a.People, _ = r.Integer("people", 1, maxPeople)
		t.ModeSurvey = append(t.ModeSurvey, a)
	}
}

// travelMode reads a mode as people write it.
func (d *decoder) travelMode(r *fields.Reader) string {
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
		d.Fault(d.NotOneOf(r.Path("mode"), text, travelModes()))
		return ""
	}
	return mode
}

func attendeeTravelDoc() doc {
	return doc{
		place:       14,
		bought:      []string{"attendees"},
		apart:       []string{"origins"},
		description: "How people travelled to the event, by numbers of people per origin: door to door, there and back. It never contains names.",
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
			{"to", "Where people travel to: a town with its country, a postcode area or a code. Absent: the place of the event.", ``},
			{"class", "Cabin class of those who fly.", `"average"`},
			{"occupancy", "People in each car, for those who come by car.", `1`},
			{"modeSurvey", "The event's own survey of how people came, for those whose mode is not known.", ``},
			{"modeSurvey.mode", "How they travelled.", ``},
			{"modeSurvey.people", "Number of respondents with this mode.", ``},
			{"origins", "Numbers of people by origin. A row without place, postcode, country and code is for people without an origin. Rows with the same origin are added up.", ``},
			{"origins.place", "A town, looked up in country, then in the country of the event, then worldwide; for people who fly, a city with a large airport counts before a town of the event's country that has none. Three capital letters that are no town there are a code.", ``},
			{"origins.postcode", "A postcode in country or in the country of the event. Beside place, as in an address, it is used if its area is known and contains the town; otherwise the town is used.", ``},
			{"origins.country", "Country of place or postcode. Given alone, people are divided among its towns.", ``},
			{"origins.code", "A code of an airport or city.", ``},
			{"origins.people", "How many people.", `1`},
			{"origins.mode", "How they travelled; words such as train and flight are understood. Absent: they are divided among modes according to a survey or a published table.", ``},
			{"origins.roundTrip", "Whether the return journey counts as well.", `true`},
		},
		examples: []string{
			`{"to":"Brighton, GB","origins":[{"place":"Manchester","country":"GB","people":12,"mode":"rail"},{"place":"Berlin","country":"DE","people":3,"mode":"plane"}]}`,
			`{"to":"Manchester, GB","origins":[{"country":"DE","people":40},{"postcode":"BS1 4DJ","country":"GB","people":2,"mode":"car"},{"people":5}],"group":"attendees"}`,
			`{"to":"Brighton, GB","class":"economy","modeSurvey":[{"mode":"rail","people":30},{"mode":"car","people":20}],"origins":[{"code":"EDI","people":4,"mode":"plane","roundTrip":false},{"place":"London","country":"GB","people":60}]}`,
		},
	}
}
