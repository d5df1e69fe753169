package recordtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func eventTests() []test {
	return []test{
		{"an event is read as it was stored", func(b *bench) {
			e := someEvent(gala)
			e.Mark = "m1"
			stored, err := b.InsertEvent(b.Context(), acme, e, 1)
			b.must(err)
			e.Slot = 1
			equal(b, "returned", stored, e)
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event", got, e)
		}},
		{"an event without optional values is read as it was stored", func(b *bench) {
			e := record.Event{ID: gala, Title: "t", Method: record.DefaultMethod, CreatedAt: start, UpdatedAt: start, Rev: 1}
			stored, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)
			e.Org, e.Slot = acme, 1
			equal(b, "returned", stored, e)
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event", got, e)
			if got.Attendees != nil || got.VirtualAttendees != nil || got.Boundary != nil {
				b.Fatalf("absent values came back as present: %+v", got)
			}
		}},
		{"slots are 1, 2, 3 in each organization, whatever the event says", func(b *bench) {
			for i := range 3 {
				e := someEvent(record.EventID(fmt.Sprint("a", i)))
				e.Slot = 77
				stored, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
				b.must(err)
				equal(b, "slot", stored.Slot, int64(i+1))
			}
			equal(b, "slot of the other organization", b.insertEvent(other, "o1").Slot, int64(1))
			used, err := b.UsedSlots(b.Context(), acme)
			b.must(err)
			equal(b, "used", used, int64(3))
			used, err = b.UsedSlots(b.Context(), "org-none")
			b.must(err)
			equal(b, "used by nobody", used, int64(0))
		}},
		{"an event's id is taken once, and a refusal takes no slot", func(b *bench) {
			first := b.insertEvent(acme, gala)
			second := someEvent(gala)
			second.Title = "Impostor"
			_, err := b.InsertEvent(b.Context(), acme, second, record.Unlimited)
			b.want(record.ErrDuplicate, err)
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event", got, first)
			equal(b, "slot of the next", b.insertEvent(acme, fair).Slot, int64(2))
		}},
		{"the quota counts every event ever made, deleted ones too", func(b *bench) {
			for i := range 2 {
				_, err := b.InsertEvent(b.Context(), acme, someEvent(record.EventID(fmt.Sprint("e", i))), 2)
				b.must(err)
			}
			_, err := b.InsertEvent(b.Context(), acme, someEvent("e2"), 2)
			b.want(record.ErrQuota, err)
			b.deleteEvent(acme, "e0")
			b.deleteEvent(acme, "e1")
			_, err = b.InsertEvent(b.Context(), acme, someEvent("e2"), 2)
			b.want(record.ErrQuota, err)
			used, err := b.UsedSlots(b.Context(), acme)
			b.must(err)
			equal(b, "used", used, 2)
			_, err = b.Event(b.Context(), acme, "e2")
			b.want(record.ErrNotFound, err)
			_, err = b.InsertEvent(b.Context(), acme, someEvent("e2"), 3)
			b.must(err)
			_, err = b.InsertEvent(b.Context(), acme, someEvent("e3"), record.Unlimited)
			b.must(err)
		}},
		{"the quota of one organization is not another's", func(b *bench) {
			_, err := b.InsertEvent(b.Context(), acme, someEvent("a"), 1)
			b.must(err)
			_, err = b.InsertEvent(b.Context(), other, someEvent("b"), 1)
			b.must(err)
			_, err = b.InsertEvent(b.Context(), "org-third", someEvent("c"), 0)
			b.want(record.ErrQuota, err)
		}},
		{"an event that took the last slot is a duplicate, not over the quota", func(b *bench) {
			_, err := b.InsertEvent(b.Context(), acme, someEvent(gala), 1)
			b.must(err)
			_, err = b.InsertEvent(b.Context(), acme, someEvent(gala), 1)
			b.want(record.ErrDuplicate, err)
			// Another organization does not own it.
			_, err = b.InsertEvent(b.Context(), other, someEvent(gala), 0)
			b.want(record.ErrQuota, err)
		}},
		{"events are read by slot, newest first, those that are there", func(b *bench) {
			for i := range 5 {
				b.insertEvent(acme, record.EventID(fmt.Sprint("e", i+1)))
			}
			b.insertEvent(other, "o1")
			b.deleteEvent(acme, "e3")
			for _, c := range []struct {
				from, to int64
				want     []record.EventID
			}{
				{1, 5, []record.EventID{"e5", "e4", "e2", "e1"}},
				{2, 4, []record.EventID{"e4", "e2"}},
				{5, 99, []record.EventID{"e5"}},
				{-7, 1, []record.EventID{"e1"}},
				{3, 3, nil}, {4, 2, nil}, {6, 9, nil},
			} {
				events, err := b.EventRange(b.Context(), acme, c.from, c.to)
				b.must(err)
				var got []record.EventID
				for _, e := range events {
					got = append(got, e.ID)
				}
				equal(b, "events", got, c.want)
			}
			events, err := b.EventRange(b.Context(), acme, 5, 5)
			b.must(err)
			want := someEvent("e5")
			want.Slot = 5
			equal(b, "event", events[0], want)
		}},
		{"a range of long events is read in parts", func(b *bench) {
			for i := range 4 {
				e := someEvent(record.EventID(fmt.Sprint("e", i+1)))
				e.Description = strings.Repeat("x", record.RangeBytes*2/3)
				_, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
				b.must(err)
			}
			for what, read := range map[string]func(to int64) ([]record.Event, error){
				"all":     func(to int64) ([]record.Event, error) { return b.EventRange(b.Context(), acme, 1, to) },
				"visible": func(to int64) ([]record.Event, error) { return b.VisibleRange(b.Context(), acme, "ann", 1, to) },
			} {
				for _, to := range []int64{4, 2} {
					events, err := read(to)
					b.must(err)
					if len(events) != 2 || events[0].Slot != to || events[1].Slot != to-1 {
						b.Errorf("%s up to %d: %d events", what, to, len(events))
					}
				}
			}
		}},
		{"a deleted event is not found, except for its context", func(b *bench) {
			b.insertEvent(acme, gala)
			gone := b.deleteEvent(acme, gala)
			_, err := b.Event(b.Context(), acme, gala)
			b.want(record.ErrNotFound, err)
			got, err := b.EventContext(b.Context(), acme, gala)
			b.must(err)
			equal(b, "context", got, gone)
			_, err = b.EventContext(b.Context(), acme, "event-none")
			b.want(record.ErrNotFound, err)
			b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), acme, gone, gone.Rev))
		}},
		{"an event is replaced at the revision given only", func(b *bench) {
			e := b.insertEvent(acme, gala)
			changed := record.Event{
				ID: gala, Title: "Fair", StartDate: "2026-06-01", EndDate: "2026-06-01", VirtualAttendees: new(int64(9)),
				Country: "FR", Timezone: "Europe/Paris", Description: "Changed.", Boundary: json.RawMessage(`{"included":[]}`),
				Method: record.DefaultMethod, FactorSet: "2027.1",
				CreatedBy: record.Actor{ID: "u9", Role: identity.Admin}, CreatedAt: start, UpdatedAt: start.Add(time.Hour),
				Rev: 2, ContextRev: 4, Mark: "m2",
			}
			stale := changed
			stale.Title, stale.Rev = "Stale", 3
			b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), acme, stale, 2))
			changed.Slot = 99
			b.must(b.ReplaceEvent(b.Context(), acme, changed, 1))
			stale.Rev = 2
			b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), acme, stale, 1))
			changed.Org, changed.Slot = acme, e.Slot // the slot never changes
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event", got, changed)
			b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), acme, someEvent("event-none"), 1))
			_, err = b.Event(b.Context(), acme, "event-none")
			b.want(record.ErrNotFound, err)
		}},
		{"replacing an event without a mark keeps the stored one", func(b *bench) {
			e := someEvent(gala)
			e.Mark = "m1"
			_, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)
			for _, step := range []struct{ set, want string }{{"", "m1"}, {"m2", "m2"}, {"", "m2"}} {
				e.Rev++
				e.Mark = step.set
				b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
				got, err := b.Event(b.Context(), acme, gala)
				b.must(err)
				equal(b, "mark", got.Mark, step.want)
			}
			e.Rev, e.Mark, e.Deleted = e.Rev+1, "", true
			b.must(b.ReplaceEvent(b.Context(), acme, e, e.Rev-1))
			got, err := b.EventContext(b.Context(), acme, gala)
			b.must(err)
			equal(b, "mark of the deleted event", got.Mark, "m2")
		}},
	}
}

// deleteEvent deletes an event and returns it as stored.
func (b *bench) deleteEvent(org record.OrgID, id record.EventID) record.Event {
	b.Helper()
	e, err := b.Event(b.Context(), org, id)
	b.must(err)
	e.Rev, e.Deleted = e.Rev+1, true
	b.must(b.ReplaceEvent(b.Context(), org, e, e.Rev-1))
	return e
}
