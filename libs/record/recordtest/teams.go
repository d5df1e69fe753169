package recordtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// teamTests verify what members of teams see.
func teamTests() []test {
	return []test{
		{"a team is stored with its event, changed with it and taken away with it", func(b *bench) {
			e := someEvent(gala)
			e.Team = []record.TeamMember{{ID: "ann", Role: record.TeamReviewer}, {ID: "bob", Role: record.TeamViewer}}
			e, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)
			for _, team := range [][]record.TeamMember{e.Team, {{ID: "eve", Role: record.TeamContributor}}, nil} {
				if e.Rev > 1 || !slices.Equal(team, e.Team) {
					e.Team = team
					e.Rev++
					b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
				}
				got, err := b.Event(b.Context(), acme, gala)
				b.must(err)
				equal(b, "team", got.Team, team)
				for _, member := range []string{"ann", "bob", "eve", "out"} {
					events, err := b.VisibleRange(b.Context(), acme, member, 1, 1)
					b.must(err)
					if _, sees := got.AccessOf(member, 1); sees != (len(events) == 1) {
						b.Errorf("team %v: %s sees %d events", team, member, len(events))
					}
				}
				e.Rev++
				b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
			}
		}},
		{"members see the events and the queue that a model says, under random changes of teams", teamsAgainstAModel},
	}
}

// teamsAgainstAModel changes the teams of events at random and compares every list with
// the events themselves.
func teamsAgainstAModel(b *bench) {
	seed := uint64(time.Now().UnixNano())
	b.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // it makes a test, no secret
	members := []string{"ann", "bob", "eve"}
	var events []record.Event
	waiting := map[record.EventID]int{}
	for i := range 8 {
		e := someEvent(record.EventID(fmt.Sprint("event-", i)))
		e, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
		b.must(err)
		events = append(events, e)
		for n := range i % 3 {
			r := draft(record.Sub{Event: e.ID, Type: "flights"}, record.ID(fmt.Sprint("r-", i, "-", n)))
			b.move(acme, b.insert(acme, r), record.Submitted)
			waiting[e.ID]++
		}
	}
	// Another organization has events with the same slots, that anybody there sees or that everybody reviews who is in a team.
	for i := range events {
		e := someEvent(record.EventID(fmt.Sprint("elsewhere-", i)))
		if i%2 > 0 {
			for _, m := range members {
				e.Team = append(e.Team, record.TeamMember{ID: m, Role: record.TeamReviewer})
			}
		}
		_, err := b.InsertEvent(b.Context(), other, e, record.Unlimited)
		b.must(err)
	}
	b.move(other, b.insert(other, draft(record.Sub{Event: "elsewhere-0", Type: "flights"}, "r-elsewhere")), record.Submitted)
	for range 25 {
		i := random.IntN(len(events))
		e := events[i]
		if e.Deleted {
			continue
		}
		e.Team = nil
		for _, m := range members {
			if k := random.IntN(5); k < 3 {
				e.Team = append(e.Team, record.TeamMember{ID: m, Role: record.TeamRoles()[k]})
			}
		}
		e.Rev, e.Deleted = e.Rev+1, random.IntN(12) == 0
		b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
		events[i] = e
		for _, member := range append(members, "out") {
			compareVisible(b, events, member, waiting)
		}
	}
}

func compareVisible(b *bench, events []record.Event, member string, waiting map[record.EventID]int) {
	b.Helper()
	var want []int64
	queued := 0
	for _, e := range slices.Backward(events) {
		access, sees := e.AccessOf(member, 2)
		if e.Deleted || !sees {
			continue
		}
		want = append(want, e.Slot)
		if access.Decides {
			queued += waiting[e.ID]
		}
	}
	var got []int64
	for {
		span, err := b.VisibleSpan(b.Context(), acme, member, int64(len(got)), 3)
		b.must(err)
		if span.Total != int64(len(want)) {
			b.Fatalf("%s sees %d events, want %d", member, span.Total, len(want))
		}
		if span.Count == 0 {
			break
		}
		page, err := b.VisibleRange(b.Context(), acme, member, span.Low, span.High)
		b.must(err)
		revisions, err := b.VisibleRevisions(b.Context(), acme, member, span.Low, span.High)
		b.must(err)
		if int64(len(page)) != span.Count || len(page) != len(revisions) {
			b.Fatalf("%s: %+v has %d events and %d revisions", member, span, len(page), len(revisions))
		}
		for i, e := range page {
			got = append(got, e.Slot)
			equal(b, "revision", revisions[i], record.Revision{Number: e.Slot, Rev: e.Rev, Event: e.ID})
		}
	}
	equal(b, "slots that "+member+" sees", got, want)
	page, total, err := b.ReviewQueueOf(b.Context(), acme, member, 0, 100)
	b.must(err)
	if total != int64(queued) || len(page) != queued {
		b.Fatalf("%s has %d records of %d to review, want %d", member, len(page), total, queued)
	}
	if !slices.IsSortedFunc(page, func(x, y record.Record) int {
		if c := y.CreatedAt.Compare(x.CreatedAt); c != 0 {
			return c
		}
		return -slices.Compare([]byte(x.ID), []byte(y.ID))
	}) {
		b.Errorf("the queue of %s is not in order: %v", member, ids(page))
	}
	theirs, total, err := b.ReviewQueueOf(b.Context(), other, member, 0, 100)
	b.must(err)
	equal(b, "queue of "+member+" in another organization", ids(theirs), []record.ID{"r-elsewhere"})
	equal(b, "its total", total, 1)
}
