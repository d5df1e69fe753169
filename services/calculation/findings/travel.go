package findings

import (
	"fmt"
	"hash/maphash"
	"math/big"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// duplicateFlights finds flights of the same route, date, class, group and passengers. Without a date two journeys
// cannot be distinguished from a duplicate, so such records never match.
func duplicateFlights(_ Event, facts []*Fact) (out []Finding) {
	same := func(f *Fact) string {
		if f.Type != "flights" || f.Date == "" {
			return ""
		}
		return strings.Join([]string{f.route(), f.Date, f.Class, f.Group, strconv.FormatInt(f.Passengers, 10),
			f.Direction, strconv.FormatBool(f.RoundTrip), strconv.FormatInt(max(f.Trips, 1), 10)}, "|")
	}
	seed := maphash.MakeSeed()
	digest := func(f *Fact) uint64 {
		if f.Type != "flights" || f.Date == "" {
			return 0
		}
		// Of a part of the key: equal digests are compared again.
		return maphash.Comparable(seed, flightKey{f.From, f.To, f.Date, f.Group, f.Passengers}) | 1<<63
	}
	for _, g := range groups(repeated(facts, digest), same) {
		if len(g) > 1 {
			out = append(out, finding(DuplicateFlight, Warning, g, "%d flight records look the same: %s to %s on %s, %s, same class and group.",
				len(g), g[0].From, g[0].To, g[0].Date, manyPassengers(g[0].Passengers)))
		}
	}
	return out
}

// manyPassengers writes a number of passengers.
func manyPassengers(n int64) string {
	if n == 1 {
		return "1 passenger"
	}
	return fmt.Sprintf("%d passengers", n)
}

// flightKey are the fields in which most flights differ.
type flightKey struct {
	from, to, date, group string
	passengers            int64
}

// outbound finds outbound flights whose group has no return flight on that route.
func outbound(_ Event, facts []*Fact) (out []Finding) {
	back := map[string]bool{}
	for _, f := range facts {
		if f.Type == "flights" && f.Direction == "return" {
			back[f.To+"|"+f.From+"|"+f.Group] = true
		}
	}
	key := func(f *Fact) string {
		if f.Type != "flights" || f.Direction != "outbound" || back[f.From+"|"+f.To+"|"+f.Group] {
			return ""
		}
		return f.From + "|" + f.To + "|" + f.Group
	}
	for _, g := range groups(facts, key) {
		whom := ""
		if g[0].Group != "" {
			whom = " of " + g[0].Group
		}
		out = append(out, finding(OutboundWithoutBack, Info, g, "Flights%s go from %s to %s, but there are no return flights on this route.", whom, g[0].From, g[0].To))
	}
	return out
}

// roomNights finds more nights of attendees than they can have slept: each at
// most one night more than the event has days.
func roomNights(e Event, facts []*Fact) []Finding {
	if e.Attendees == 0 || e.Days == 0 {
		return nil
	}
	stays := with(facts, func(f *Fact) bool { return f.Type == "accommodation" && f.Group == "attendees" })
	var nights int64
	for _, f := range stays {
		rooms := f.Rooms
		if rooms == 0 {
			rooms = f.Guests
		}
		nights += f.scaled(rooms * f.Nights)
	}
	if most := e.Attendees * (e.Days + 1); nights > most {
		return []Finding{finding(RoomNightsExceed, Warning, stays,
			"Attendees have %d room-nights, but %d attendees need at most %d (one night more than the event has days).", nights, e.Attendees, most)}
	}
	return nil
}

// large finds records of at least a twentieth of the total that lack the date
// or the group which the other checks compare.
func large(e Event, facts []*Fact) (out []Finding) {
	if e.Total.Sign() <= 0 {
		return nil
	}
	// A twentieth, rounded up: a mass is a whole number.
	twentieth := new(big.Int).Add(e.Total.Big(), big.NewInt(19))
	least := footprint.BigMass(twentieth.Div(twentieth, big.NewInt(20)))
	for _, f := range facts {
		// Attendees travel at the time of the event, and are a group by themselves.
		if f.Mass.Cmp(least) < 0 || f.Type == footprint.AttendeeTravel {
			continue
		}
		var lacks []string
		if f.Date == "" {
			lacks = append(lacks, "date")
		}
		if f.Group == "" {
			lacks = append(lacks, "group")
		}
		if len(lacks) > 0 {
			out = append(out, finding(LargeWithoutDateOrGr, Info, []*Fact{f},
				"The %s record (%s kg) is at least 5 %% of the total but has no %s, so it cannot be checked against others.",
				f.Type, f.Mass.Kilograms(), strings.Join(lacks, " and no ")))
		}
	}
	return out
}

func times(m footprint.Mass, n int) footprint.Mass {
	return footprint.BigMass(new(big.Int).Mul(m.Big(), big.NewInt(int64(n))))
}

// excluded finds counted records of types that the event excludes.
func excluded(e Event, facts []*Fact) (out []Finding) {
	for _, typ := range e.Excluded {
		if of := with(facts, func(f *Fact) bool { return f.Type == typ }); len(of) > 0 {
			out = append(out, finding(ExcludedTypeCounted, Warning, of,
				"%s counted, although the boundary of the event excludes it. Approved records always count.", count(len(of), typ)))
		}
	}
	return out
}

func count(n int, typ string) string {
	if n == 1 {
		return "1 record of the type " + typ + " is"
	}
	return fmt.Sprintf("%d records of the type %s are", n, typ)
}
