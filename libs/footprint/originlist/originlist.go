// Package originlist detects whether two lists of attendees' origins are probably the same one at different times,
// for instance a list of registrations and a later state of it.
package originlist

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint/compact"
)

const (
	// keptOrigins is how many origins of a record are compared: those with the lowest digests, so that the same ones
	// are selected from two records.
	keptOrigins = 64
	// Fewest is the least number of origins that two lists must have in common to be considered the same: many lists
	// share a town.
	Fewest = 3
)

// fromPlace is the number of people from one place by one mode.
type fromPlace struct {
	digest, people int64
}

// List are the origins of a record of attendee travel.
type List struct {
	// kept are those with the lowest digests.
	kept []fromPlace
	// Places is their total number.
	Places int64
	// To is the destination if it is not the event's place.
	To string
}

// Of reads the origins of a stored record of attendee travel; nil where it cannot be read.
func Of(fields json.RawMessage) *List {
	var t struct {
		To      string
		Origins []struct {
			Place, Postcode, Country, Code, Mode string
			People                               int64
			RoundTrip                            *bool
		}
	}
	if json.Unmarshal(fields, &t) != nil {
		return nil // unreadable records are not compared
	}
	people := map[int64]int64{}
	for _, o := range t.Origins {
		if o.Place+o.Postcode+o.Country+o.Code == "" {
			continue
		}
		way := "there and back"
		if o.RoundTrip != nil && !*o.RoundTrip {
			way = "there"
		}
		h := fnv.New64a()
		_, _ = io.WriteString(h, strings.Join([]string{plain(o.Place), plain(o.Postcode), o.Country, o.Code, o.Mode, way}, "|")) // it cannot fail
		people[int64(h.Sum64())] += o.People
	}
	list := &List{Places: int64(len(people)), To: plain(t.To)}
	for digest, n := range people {
		list.kept = append(list.kept, fromPlace{digest, n})
	}
	slices.SortFunc(list.kept, func(a, b fromPlace) int { return cmp.Compare(a.digest, b.digest) })
	list.kept = slices.Clip(slices.Clone(list.kept[:min(len(list.kept), keptOrigins)]))
	return list
}

// Compact reads or writes a list.
func (l *List) Compact(c *compact.Coder) {
	c.Text(&l.To)
	c.Int(&l.Places)
	n := c.Len(len(l.kept))
	if c.Reading() {
		l.kept = make([]fromPlace, n)
	}
	for i := range l.kept {
		c.Int(&l.kept[i].digest)
		c.Int(&l.kept[i].people)
	}
}

// Within reports whether a list is probably part of another one: the other has each of its places, with at least as
// many people.
func (l *List) Within(other *List) bool {
	compared, at := 0, 0
	for _, p := range l.kept {
		for at < len(other.kept) && other.kept[at].digest < p.digest {
			at++
		}
		if at == len(other.kept) {
			if other.Places > int64(len(other.kept)) {
				break // the following were not selected
			}
			return false
		}
		if other.kept[at].digest != p.digest || other.kept[at].people < p.people {
			return false
		}
		compared++
	}
	return compared >= Fewest
}

// plain writes a text without regard to case and to how many blanks it has.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
