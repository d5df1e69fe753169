package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// ways are numbers of journeys by direction; either are one-way journeys of unknown direction.
type ways struct{ there, back, either int64 }

func (w ways) plus(o ways) ways { return ways{w.there + o.there, w.back + o.back, w.either + o.either} }

func (w ways) all() int64 { return w.there + w.back + w.either }

// inDirection are the sums that are compared with the attendees, the plainest first.
var inDirection = []struct {
	words string
	each  int64 // for each attendee
	of    func(ways) int64
}{
	{"to the event", 1, func(w ways) int64 { return w.there }},
	{"home", 1, func(w ways) int64 { return w.back }},
	{"in both directions together", 2, ways.all},
}

// beyond returns the first of inDirection that exceeds the attendees, or -1.
func (w ways) beyond(attendees int64) int {
	for i, d := range inDirection {
		if d.of(w) > d.each*attendees {
			return i // the other sums would repeat it
		}
	}
	return -1
}

// ways returns the number of journeys of a record in each direction.
func (f *Fact) ways(journeys int64) ways {
	switch {
	case f.RoundTrip:
		return ways{there: journeys, back: journeys}
	case f.Direction == "outbound":
		return ways{there: journeys}
	case f.Direction == "return":
		return ways{back: journeys}
	}
	return ways{either: journeys}
}

// passengers finds more attendees travelling by air than there are.
func passengers(e Event, facts []*Fact) []Finding {
	flights := with(facts, func(f *Fact) bool { return f.Type == "flights" && f.Group == "attendees" })
	if e.Attendees == 0 || len(flights) == 0 {
		return nil
	}
	var sum ways
	for _, f := range flights {
		sum = sum.plus(f.ways(f.journeys()))
	}
	at := sum.beyond(e.Attendees)
	if at < 0 {
		return nil
	}
	return []Finding{finding(FlyersExceed, Warning, flights,
		"%d attendees fly %s, but the event has %d attendees.", inDirection[at].of(sum), inDirection[at].words, e.Attendees)}
}

// travellers finds more attendees on one mode of ground transport, both directions together, than a return journey of
// each per day.
func travellers(e Event, facts []*Fact) (out []Finding) {
	if e.Attendees == 0 {
		return nil
	}
	for _, g := range groups(facts, func(f *Fact) string {
		if f.Type != "ground-transport" || f.Group != "attendees" {
			return ""
		}
		return f.Mode
	}) {
		var n int64
		for _, f := range g {
			n += f.ways(f.journeys()).all()
		}
		if most := 2 * e.Attendees * max(e.Days, 1); n > most {
			out = append(out, finding(FlyersExceed, Warning, g, "Attendees make %d journeys by %s, but %d attendees can make at most %d (there and back on each of %d days).",
				n, strings.ReplaceAll(g[0].Mode, "_", " "), e.Attendees, most, max(e.Days, 1)))
		}
	}
	return out
}

// arrivals finds attendees who are counted by records of several types: attendee travel, flights and long ground
// journeys together bring more of them to the event, or home, than there are. Flights alone, and each mode of ground
// transport alone, have their own checks.
//
// A journey may consist of several records. So only those that arrive at the event count: not a train to the airport,
// the last miles by taxi or the first of two flights. If records are incomplete, the smallest possible number of
// people is used.
func arrivals(e Event, facts []*Fact) []Finding {
	if e.Attendees == 0 || !slices.ContainsFunc(facts, func(f *Fact) bool { return f.Type == footprint.AttendeeTravel || f.Type == "ground-transport" }) {
		return nil
	}
	var travel, flights, placed ways
	unplaced, kinds := map[string]ways{}, map[string]bool{}
	airports := airportsOf(facts)
	about := with(facts, func(f *Fact) bool {
		switch {
		case f.Type == footprint.AttendeeTravel && (f.Group == "attendees" || f.Group == ""): // attendees by default
			travel = travel.plus(ways{there: f.There, back: f.Back})
		case f.Group != "attendees":
			return false
		case f.Type == "flights" && e.reaches(f) != elsewhere:
			flights = flights.plus(f.ways(f.journeys()))
		case f.Type == "ground-transport" && f.long() && e.reaches(f) == here:
			placed = placed.plus(f.ways(f.riders(e.Days)))
		case f.Type == "ground-transport" && f.long() && e.reaches(f) == unknown && !airports[place(f.From)] && !airports[place(f.To)]:
			unplaced[f.Mode] = unplaced[f.Mode].plus(f.ways(f.riders(e.Days)))
		default:
			return false
		}
		kinds[f.Type+f.Mode] = true
		return true
	})
	ground := placed.plus(onTheGround(unplaced))
	sum := travel.plus(flights).plus(ground)
	at := sum.beyond(e.Attendees)
	if at < 0 || len(kinds) == 1 && !kinds[footprint.AttendeeTravel] {
		return nil
	}
	var parts []string
	for _, p := range []struct {
		typ string
		ways
	}{{footprint.AttendeeTravel, travel}, {"flights", flights}, {"ground-transport", ground}} {
		if n := inDirection[at].of(p.ways); n > 0 {
			parts = append(parts, fmt.Sprintf("%d in records of %s", n, p.typ))
		}
	}
	return []Finding{finding(FlyersExceed, Warning, about,
		"Attendees make %d journeys %s, but the event has %d attendees: %s. For each direction, each attendee should be in only one of these records; ground transport of less than %d km is not included.",
		inDirection[at].of(sum), inDirection[at].words, e.Attendees, strings.Join(parts, " and "), farKm)}
}

// onTheGround returns the smallest possible number of people of long journeys by several modes. An international
// train journey is in records of both railways, and a ferry is reached by land; all others are different people.
func onTheGround(by map[string]ways) ways {
	most := func(a, b ways) ways {
		if a.all() < b.all() {
			return b
		}
		return a
	}
	land := most(by["rail"], by["international_rail"])
	for mode, w := range by {
		if !slices.Contains([]string{"rail", "international_rail", "ferry"}, mode) {
			land = land.plus(w)
		}
	}
	return most(land, by["ferry"])
}

// airportsOf returns the places that flights of attendees touch.
func airportsOf(facts []*Fact) map[string]bool {
	out := map[string]bool{}
	for _, f := range facts {
		if f.Type == "flights" && f.Group == "attendees" {
			for _, code := range append([]string{f.From, f.To}, f.Via...) {
				out[place(code)] = code != ""
			}
		}
	}
	return out
}

// place normalizes codes.
func place(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// riders returns the smallest possible number of people of a record of ground transport, over the days of an event:
// at least one per vehicle, and repeated journeys may be those of the same people on another day.
func (f *Fact) riders(days int64) int64 {
	people, days := f.Passengers, max(days, 1)
	if people == 0 {
		people = f.Vehicles
	}
	return f.scaled(people * ((max(f.Trips, 1) + days - 1) / days))
}
