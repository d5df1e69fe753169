package findings

import (
	"cmp"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/originlist"
)

// mostLists is how many records of attendee travel are compared with each other.
const mostLists = 200

// grownLists finds records of attendee travel all of whose people are in another one, such as a list of registrations
// that was imported again later. Equal records are found as duplicates; lists of different days, groups or
// destinations are different.
func grownLists(_ Event, facts []*Fact) (out []Finding) {
	lists := with(facts, func(f *Fact) bool { return f.origins != nil && f.origins.Places >= originlist.Fewest })
	lists = lists[:min(len(lists), mostLists)]
	for i, f := range lists {
		for _, g := range lists[i+1:] {
			if f.same == g.same || f.origins.To != g.origins.To || f.Date != "" && g.Date != "" && f.Date != g.Date ||
				cmp.Or(f.Group, attendees) != cmp.Or(g.Group, attendees) {
				continue
			}
			part := f
			if !f.origins.Within(g.origins) {
				if part = g; !g.origins.Within(f.origins) {
					continue
				}
			}
			out = append(out, finding(DuplicateRecord, Warning, []*Fact{f, g},
				"Two %s records appear to list the same people: every place of one is also in the other, with as many people or more. If the second is a newer version of the list, %d people are counted twice.",
				footprint.AttendeeTravel, part.There))
		}
	}
	return out
}

// attendees is the default group.
const attendees = "attendees"
