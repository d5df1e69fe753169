package findings

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/compact"
)

const (
	// keptOrigins is how many origins of a record are compared: those with the least digests,
	// so that of two records the same ones are kept.
	keptOrigins = 64
	// fewestOrigins is how many origins two lists have in common at least that are found to be
	// one: a town alone is in many.
	fewestOrigins = 3
	// mostLists is how many records of attendee travel are compared with each other.
	mostLists = 200
)

// fromPlace is how many people of a list come from one place in one way.
type fromPlace struct {
	digest, people int64
}

// originList is where the people of a record of attendee travel come from.
type originList struct {
	// kept are the first of them by their digests.
	kept []fromPlace
	// places is how many there are.
	places int64
	// to is where they go, where that is not the event's place.
	to string
}

// originsOf reads the origins of a stored record.
func originsOf(fields json.RawMessage) *originList {
	var t struct {
		To      string
		Origins []struct {
			Place, Postcode, Country, Code, Mode string
			People                               int64
			RoundTrip                            *bool
		}
	}
	if json.Unmarshal(fields, &t) != nil {
		return nil // what does not read is not compared
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
		_, _ = io.WriteString(h, strings.Join([]string{normal(o.Place), normal(o.Postcode), o.Country, o.Code, o.Mode, way}, "|")) // it cannot fail
		people[int64(h.Sum64())] += o.People                                                                                       //nolint:gosec // a digest may be negative
	}
	list := &originList{places: int64(len(people)), to: normal(t.To)}
	for digest, n := range people {
		list.kept = append(list.kept, fromPlace{digest, n})
	}
	slices.SortFunc(list.kept, func(a, b fromPlace) int { return cmp.Compare(a.digest, b.digest) })
	list.kept = slices.Clip(slices.Clone(list.kept[:min(len(list.kept), keptOrigins)]))
	return list
}

// compact reads or writes a list.
func (l *originList) compact(c *compact.Coder) {
	c.Text(&l.to)
	c.Int(&l.places)
	n := c.Len(len(l.kept))
	if c.Reading() {
		l.kept = make([]fromPlace, n)
	}
	for i := range l.kept {
		c.Int(&l.kept[i].digest)
		c.Int(&l.kept[i].people)
	}
}

// within reports whether a list is probably a part of another one: each of its places is there,
// with as many people or more.
func (l *originList) within(other *originList) bool {
	compared, at := 0, 0
	for _, p := range l.kept {
		for at < len(other.kept) && other.kept[at].digest < p.digest {
			at++
		}
		if at == len(other.kept) {
			if other.places > int64(len(other.kept)) {
				break // what comes now was not kept
			}
			return false
		}
		if other.kept[at].digest != p.digest || other.kept[at].people < p.people {
			return false
		}
		compared++
	}
	return compared >= fewestOrigins
}

// grownLists finds records of attendee travel all of whose people are in another one: a list of
// who has registered, say, that was imported again when there were more. What is equal in all
// that counts is found as such, and lists of two days, groups or destinations are two.
func grownLists(_ Event, facts []*Fact) (out []Finding) {
	lists := with(facts, func(f *Fact) bool { return f.origins != nil && f.origins.places >= fewestOrigins })
	lists = lists[:min(len(lists), mostLists)]
	for i, f := range lists {
		for _, g := range lists[i+1:] {
			if f.same == g.same || f.origins.to != g.origins.to || f.Date != "" && g.Date != "" && f.Date != g.Date ||
				cmp.Or(f.Group, attendees) != cmp.Or(g.Group, attendees) {
				continue
			}
			part := f
			if !f.origins.within(g.origins) {
				if part = g; !g.origins.within(f.origins) {
					continue
				}
			}
			out = append(out, finding(DuplicateRecord, Warning, []*Fact{f, g},
				"Two %s records list the same people: every place of one is in the other, with as many people or more. Is it a list that has grown since? Its %d people are counted twice then.",
				footprint.AttendeeTravel, part.There))
		}
	}
	return out
}

// attendees is the group of who is in none.
const attendees = "attendees"
