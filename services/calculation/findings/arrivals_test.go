package findings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// shorthand expands abbreviations in the records below: [A] is the group of attendees, [LEEDS LONDON] the places of a
// journey as stored.
var shorthand = strings.NewReplacer("[A]", `"group":"attendees"`,
	"[LEEDS LONDON]", `"from":"Leeds, GB","to":"London, GB","journey":{"stops":[{"latitude":53.79648,"longitude":-1.54785},{"latitude":51.50853,"longitude":-0.12574}]}`,
	"[BIRMINGHAM LONDON]", `"journey":{"stops":[{"latitude":52.48142,"longitude":-1.89983},{"latitude":51.50853,"longitude":-0.12574}]}`,
	"[LEEDS LHR]", `"from":"Leeds, GB","to":"lhr","journey":{"stops":[{"latitude":53.79648,"longitude":-1.54785},{"latitude":51.4706,"longitude":-0.461941}]}`,
	"[LEEDS YORK]", `"journey":{"stops":[{"latitude":53.79648,"longitude":-1.54785},{"latitude":53.95763,"longitude":-1.08271}]}`,
)

const (
	flight = `flights {[A],"from":"CDG","to":"LHR","passengers":100,"roundTrip":true}`
	rail   = `ground-transport {[A],"mode":"rail",[LEEDS LONDON],"distanceKm":330,"passengers":100,"roundTrip":true}`
	byRail = `attendee-travel {[A],"origins":[{"place":"Leeds","people":100,"mode":"rail"}]}`
)

// meeting is an event with a hundred attendees, and optionally a place.
func meeting(days string, place ...string) findings.Event {
	attendees := int64(100)
	ev := record.Event{StartDate: "2026-06-10", EndDate: "2026-06-" + days, Attendees: &attendees}
	if len(place) == 2 {
		ev.Location = footprint.Venue{Name: "Here", Country: "GB", Latitude: json.Number(place[0]), Longitude: json.Number(place[1])}
	}
	return findings.EventOf(ev, footprint.MassOf(1))
}

// TestAttendeesArriveOnce: records of several types that bring more attendees to the event than there are; the legs
// of one journey do not.
func TestAttendeesArriveOnce(t *testing.T) {
	t.Parallel()
	london, leeds := meeting("11", "51.50853", "-0.12574"), meeting("11", "53.79648", "-1.54785")
	newYork, nowhere := meeting("11", "40.71427", "-74.00597"), meeting("11")
	less := strings.NewReplacer(`"passengers":100`, `"passengers":50`).Replace
	for _, c := range []struct {
		name  string
		event findings.Event
		facts []string
		want  string // expected message; empty: no finding
	}{
		{"attendee travel beside flights", london, []string{`attendee-travel {[A],"origins":[{"place":"Paris","people":100,"mode":"plane"}]}`, flight},
			"Attendees make 200 journeys to the event, but the event has 100 attendees: 100 in records of attendee-travel and 100 in records of flights."},
		{"attendee travel beside a train", london, []string{byRail, rail}, "200 journeys to the event, but the event has 100 attendees: 100 in records of attendee-travel and 100 in records of ground-transport."},
		{"attendee travel of too many", london, []string{strings.Replace(byRail, "100", "300", 1)}, "300 journeys to the event"},
		{"attendee travel of just as many", london, []string{byRail}, ""},
		{"two records of attendee travel", london, []string{byRail, strings.Replace(byRail, "100", "90", 1)}, "190 journeys to the event"},
		{"two records of attendee travel that share the attendees", london, []string{strings.Replace(byRail, "100", "10", 1), strings.Replace(byRail, "100", "90", 1)}, ""},
		{"trains beside flights", london, []string{flight, rail}, "200 journeys to the event, but the event has 100 attendees: 100 in records of flights and 100 in records of ground-transport. For each direction, each attendee should be in only one of these records; ground transport of less than 150 km is not included."},
		{"trains beside flights, the event of no place", nowhere, []string{flight, rail}, "200 journeys to the event"},
		{"trains by distance beside flights", london, []string{flight, `ground-transport {[A],"mode":"rail","distanceKm":300,"passengers":100,"roundTrip":true}`}, "200 journeys to the event"},
		{"trains and flights share the attendees", london, []string{less(flight), less(rail)}, ""},
		{"a train from not so far", london, []string{flight, `ground-transport {[A],"mode":"rail",[BIRMINGHAM LONDON],"distanceKm":190,"passengers":1,"roundTrip":true}`}, "101 journeys to the event"},
		{"cars by their number", london, []string{flight, `ground-transport {[A],"mode":"car","distanceKm":200,"vehicles":1,"roundTrip":true}`}, "101 journeys to the event"},
		{"trains and coaches", london, []string{rail, `ground-transport {[A],"mode":"coach","distanceKm":200,"passengers":1,"roundTrip":true}`}, "101 journeys to the event"},

		{"to the airport and from there", london, []string{flight, `ground-transport {[A],"mode":"rail","distanceKm":199.9,"passengers":100,"roundTrip":true}`,
			`ground-transport {[A],"mode":"taxi","distanceKm":300,"passengers":100,"roundTrip":true}`, `ground-transport {[A],"mode":"bus","distanceKm":25,"passengers":100,"roundTrip":true}`,
			`ground-transport {[A],"mode":"rail",[LEEDS YORK],"distanceKm":250,"passengers":100,"roundTrip":true}`}, ""},
		{"a long way to an airport elsewhere", newYork, []string{`flights {[A],"from":"LHR","to":"JFK","passengers":100,"roundTrip":true}`, rail}, ""},
		{"a long way to a flight's airport, the event of no place", nowhere, []string{`flights {[A],"from":"LHR","to":"JFK","passengers":100,"roundTrip":true}`,
			`ground-transport {[A],"mode":"rail",[LEEDS LHR],"distanceKm":330,"passengers":100,"roundTrip":true}`}, ""},
		{"a long way on from the airport", leeds, []string{flight, rail}, ""},
		{"attendee travel beside a long way on from the airport", leeds, []string{byRail, flight, rail}, "200 journeys to the event, but the event has 100 attendees: 100 in records of attendee-travel and 100 in records of ground-transport."},
		{"two flights, of which one arrives", newYork, []string{byRail, `flights {[A],"from":"ABZ","to":"LHR","passengers":100,"roundTrip":true}`}, ""},
		{"a change of trains", london, []string{`ground-transport {[A],"mode":"rail","distanceKm":450,"passengers":100,"roundTrip":true}`, `ground-transport {[A],"mode":"international_rail","distanceKm":490,"passengers":80,"roundTrip":true}`}, ""},
		{"a ferry and the way to it", london, []string{`ground-transport {[A],"mode":"car","distanceKm":450,"passengers":80,"roundTrip":true}`, `ground-transport {[A],"mode":"ferry","distanceKm":390,"passengers":100,"roundTrip":true}`}, ""},
		{"there by train and back by air", london, []string{`flights {[A],"from":"LHR","to":"CDG","passengers":100,"direction":"return"}`, `ground-transport {[A],"mode":"rail",[LEEDS LONDON],"distanceKm":330,"passengers":100}`}, ""},
		{"too many one way or the other", london, []string{flight, `ground-transport {[A],"mode":"rail",[LEEDS LONDON],"distanceKm":330,"passengers":1}`}, "201 journeys in both directions together"},
		{"from the far side of days", london, []string{less(flight), `ground-transport {[A],"mode":"rail",[LEEDS LONDON],"distanceKm":330,"passengers":50,"trips":2,"roundTrip":true}`}, ""},
		{"in turns", london, []string{less(flight), `ground-transport {[A],"mode":"coach",[LEEDS LONDON],"distanceKm":330,"passengers":50,"trips":3,"roundTrip":true}`}, "150 journeys to the event"},

		{"one way only", london, []string{`attendee-travel {[A],"origins":[{"place":"Leeds","people":60,"mode":"rail","roundTrip":false},{"place":"York","people":40}]}`,
			`flights {[A],"from":"LHR","to":"CDG","passengers":60,"direction":"return"}`}, ""},
		{"too many home", london, []string{`attendee-travel {[A],"origins":[{"place":"Leeds","people":60,"mode":"rail","roundTrip":false},{"place":"York","people":40}]}`,
			`flights {[A],"from":"LHR","to":"CDG","passengers":61,"direction":"return"}`}, "101 journeys home"},
		{"people without origin", london, []string{`attendee-travel {[A],"origins":[{"place":"Leeds","people":60,"mode":"rail"},{"people":41}]}`}, "101 journeys to the event"},
		{"a survey", london, []string{`attendee-travel {[A],"respondents":50,"population":101,"origins":[{"place":"Leeds","people":50,"mode":"rail"}]}`}, "101 journeys to the event"},
		{"attendee travel of nobody's group is of attendees", london, []string{strings.Replace(byRail, "[A],", "", 1), flight}, "200 journeys to the event"},

		{"staff", london, []string{byRail, strings.Replace(flight, "[A]", `"group":"staff"`, 1), strings.Replace(rail, "[A]", `"group":"speakers"`, 1), strings.Replace(byRail, "[A]", `"group":"exhibitors"`, 1)}, ""},
		{"flights and trains of no group", london, []string{byRail, strings.Replace(flight, "[A],", "", 1), strings.Replace(rail, "[A],", "", 1)}, ""},
		{"trains alone have their own bound", london, []string{strings.Replace(rail, `"passengers":100`, `"passengers":200`, 1)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i, f := range c.facts {
				c.facts[i] = shorthand.Replace(f)
			}
			got := ofCode(findings.Of(c.event, facts(c.facts...)), findings.FlyersExceed)
			if c.want == "" {
				if len(got) != 0 {
					t.Fatalf("%+v", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0].Message, c.want) || got[0].Severity != findings.Warning {
				t.Fatalf("got %+v, want %q", got, c.want)
			}
		})
	}
}

// TestArrivalsNameTheirRecords: those that arrive, and no others.
func TestArrivalsNameTheirRecords(t *testing.T) {
	t.Parallel()
	lines := []string{flight, `ground-transport {[A],"mode":"taxi","distanceKm":30,"passengers":100,"roundTrip":true}`, rail, byRail}
	for i := range lines {
		lines[i] = shorthand.Replace(lines[i])
	}
	got := ofCode(findings.Of(meeting("11"), facts(lines...)), findings.FlyersExceed)
	if len(got) != 1 || fmt.Sprint(got[0].RecordIDs) != "[r3 r0 r2]" {
		t.Errorf("%+v", got)
	}
	none := meeting("11")
	none.Attendees = 0
	if got := ofCode(findings.Of(none, facts(lines...)), findings.FlyersExceed); len(got) != 0 {
		t.Errorf("of an event that does not say how many attend: %+v", got)
	}
}

// TestPlacesOfStoredRecords: the checks read the places of journeys, of attendee travel and of the event from their
// stored form.
func TestPlacesOfStoredRecords(t *testing.T) {
	t.Parallel()
	where, _, detail := footprint.ResolveVenue("London", "GB")
	if detail != nil {
		t.Fatal(detail)
	}
	attendees := int64(100)
	ev := findings.EventOf(record.Event{Attendees: &attendees, Location: where}, footprint.MassOf(1))
	context := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", FactorSet: "desnz-2026", Place: where}
	fact := func(typ, body string) findings.Fact {
		t.Helper()
		decoded, err := footprint.Decode(typ, []byte(body), context)
		if err != nil {
			t.Fatal(err)
		}
		return findings.FactOf(record.Counted{ID: record.ID(typ), Type: typ, Fields: decoded.Fields})
	}
	if f := fact("attendee-travel", `{"origins":[{"place":"Leeds","people":3},{"place":"York","people":2,"roundTrip":false}]}`); f.There != 5 || f.Back != 3 {
		t.Errorf("attendee travel brings %d and takes %d home, want 5 and 3", f.There, f.Back)
	}
	flown := fact("flights", `{"from":"Paris, FR","to":"LHR","passengers":60,"roundTrip":true,"group":"attendees"}`)
	ridden := fact("ground-transport", `{"mode":"rail","from":"Leeds","to":"London","passengers":60,"roundTrip":true,"group":"attendees"}`)
	if got := ofCode(findings.Of(ev, []findings.Fact{flown, ridden}), findings.FlyersExceed); len(got) != 1 {
		t.Errorf("60 by air and 60 by train to an event of 100: %+v", got)
	}
	north := fact("ground-transport", `{"mode":"rail","from":"Leeds","to":"Edinburgh","passengers":60,"roundTrip":true,"group":"attendees"}`)
	if got := ofCode(findings.Of(ev, []findings.Fact{flown, north}), findings.FlyersExceed); len(got) != 0 {
		t.Errorf("a train that does not go to the event: %+v", got)
	}
}
