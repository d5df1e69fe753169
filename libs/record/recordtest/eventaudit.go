package recordtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
)

// tampered shows the entries of events as changed by a write that bypassed the store.
type tampered struct {
	record.Store
	change func([]record.EventEntry) []record.EventEntry
}

func (s tampered) EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error) {
	entries, err := s.Store.EventEntries(ctx, org, id, from, to)
	return s.change(slices.Clone(entries)), err
}

func eventAuditTests() []test {
	return []test{
		{"the chain of an event is whole, and any entry removed, swapped or altered is found", func(b *bench) {
			const last = 5
			b.chained(gala, last)
			before, err := b.InsertEvent(b.Context(), acme, someEvent(fair), record.Unlimited) // from before histories were stored
			b.must(err)
			tally, faults := b.eventFaults(b.Store)
			equal(b, "tally", tally, histories.EventTally{Events: 2, Entries: last})
			equal(b, "faults", faults, nil)
			// A change that crashed before its write leaves a copy of the newest entry.
			b.must(b.InsertEventEntry(b.Context(), acme, fair, record.Adopted(before).Last))
			_, faults = b.eventFaults(b.Store)
			equal(b, "faults after a change that was not made", faults, nil)
			for i := range last - 1 {
				for name, change := range map[string]func([]record.EventEntry) []record.EventEntry{
					"removed": func(e []record.EventEntry) []record.EventEntry { return slices.Delete(e, i, i+1) },
					"swapped": func(e []record.EventEntry) []record.EventEntry {
						e[i], e[(i+1)%len(e)] = e[(i+1)%len(e)], e[i]
						return e
					},
					"renamed": func(e []record.EventEntry) []record.EventEntry { e[i].By.Name = "Eve"; return e },
					"altered": func(e []record.EventEntry) []record.EventEntry { e[i].Comment = "Nothing."; return e },
				} {
					_, faults := b.eventFaults(tampered{b.Store, func(e []record.EventEntry) []record.EventEntry {
						if len(e) != last-1 {
							return e // those of the other event
						}
						return change(e)
					}})
					equal(b, fmt.Sprint("faults with entry ", i, " ", name), int64(len(faults)), 1)
				}
			}
		}},
		{"an event that was changed by no action is found", func(b *bench) {
			e := b.chained(gala, 3)
			e.Rev, e.Attendees = e.Rev+1, new(int64(9))
			b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
			_, faults := b.eventFaults(b.Store)
			equal(b, "faults", int64(len(faults)), 1)
		}},
		{"the chain of an event from before histories were kept begins with what was found", func(b *bench) {
			_, err := b.InsertEvent(b.Context(), acme, someEvent(gala), record.Unlimited)
			b.must(err)
			b.changeEvent(gala, 1)
			tally, faults := b.eventFaults(b.Store)
			equal(b, "tally", tally, histories.EventTally{Events: 1, Entries: 2})
			equal(b, "faults", faults, nil)
			first, err := b.EventEntries(b.Context(), acme, gala, 0, 99)
			b.must(err)
			equal(b, "first action", string(first[0].Action), string(record.EventAdopted))
		}},
	}
}

// chained inserts an event and changes it until it has the given number of revisions.
func (b *bench) chained(id record.EventID, revisions int) record.Event {
	b.Helper()
	_, err := b.InsertEvent(b.Context(), acme, record.NewEvent(acme, id, record.Event{Title: "Ball"}, record.Actor{ID: "u1", Name: "Ann"}, start), record.Unlimited)
	b.must(err)
	return b.changeEvent(id, revisions-1)
}

// changeEvent changes the attendees of an event several times.
func (b *bench) changeEvent(id record.EventID, times int) (e record.Event) {
	b.Helper()
	flow := record.EventFlow{Store: b.Store, Now: func() time.Time { return start }}
	for i := range times {
		var err error
		e, err = flow.Apply(b.Context(), record.EventRequest{
			Org: acme, ID: id, Action: record.EventChanged, By: record.Actor{ID: "u2", Name: "Bob"}, Comment: fmt.Sprint("for the ", i, "th time"), AnyGate: true,
			Change: func(e *record.Event) error { e.Attendees = new(int64(10 + i)); return nil },
		})
		b.must(err)
	}
	return e
}

func (b *bench) eventFaults(store record.Store) (tally histories.EventTally, faults []string) {
	b.Helper()
	tally, err := histories.VerifyEvents(b.Context(), store, acme, func(fault error) error {
		faults = append(faults, fault.Error())
		return nil
	})
	b.must(err)
	return tally, faults
}
