package recordtest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

func queueTests() []test {
	return []test{
		{"the queue holds what is submitted or in review, newest first", func(b *bench) {
			b.fillQueue()
			for _, c := range []struct {
				event       record.EventID
				skip, limit int64
				want        []record.ID
				total       int64
			}{
				// Same time: the higher id first.
				{gala, 0, 10, []record.ID{"g5", "g4", "g2", "g1"}, 4},
				{gala, 1, 2, []record.ID{"g4", "g2"}, 4},
				{gala, 3, 2, []record.ID{"g1"}, 4},
				{gala, 4, 2, nil, 4},
				{gala, 0, 0, nil, 4},
				{gala, 0, -1, nil, 4},
				{gala, -3, 1, []record.ID{"g5"}, 4},
				{fair, 0, 10, []record.ID{"f1"}, 1},
				{"", 0, 10, []record.ID{"f1", "g5", "g4", "g2", "g1"}, 5},
				{"", 2, 2, []record.ID{"g4", "g2"}, 5},
				{"event-none", 0, 10, nil, 0},
			} {
				page, total, err := b.ReviewQueue(b.Context(), acme, c.event, c.skip, c.limit)
				b.must(err)
				what := fmt.Sprintf("queue of %q, %d from %d", c.event, c.limit, c.skip)
				equal(b, what, ids(page), c.want)
				equal(b, "total of "+what, total, c.total)
			}
			page, _, err := b.ReviewQueue(b.Context(), acme, fair, 0, 1)
			b.must(err)
			equal(b, "record", page[0], b.read(acme, page[0].Key()))
		}},
		{"the queue of an event is read in parts, nothing twice and nothing left out", func(b *bench) {
			b.fillQueue()
			all, _, err := b.ReviewQueue(b.Context(), acme, gala, 0, 10)
			b.must(err)
			for limit := int64(1); limit <= 5; limit++ {
				var read []record.Record
				for after := (record.QueuePlace{}); ; after = record.QueuePlaceOf(read[len(read)-1]) {
					part, err := b.Waiting(b.Context(), acme, gala, after, limit)
					b.must(err)
					if int64(len(part)) > limit {
						b.Fatalf("%d records for a limit of %d", len(part), limit)
					}
					if read = append(read, part...); len(part) == 0 {
						break
					}
					if len(read) > len(all) { // a store that restarted each time would not terminate
						b.Fatalf("in parts of %d: more than the %d records that there are", limit, len(all))
					}
				}
				equal(b, fmt.Sprintf("in parts of %d", limit), read, all)
			}
			none, err := b.Waiting(b.Context(), acme, gala, record.QueuePlace{}, 0)
			b.must(err)
			equal(b, "no limit", none, nil)
		}},
		{"drafts are what was not submitted, or not again", func(b *bench) {
			b.fillQueue()
			gone := draft(flights, "g9")
			gone.Status = record.Unsubmitted
			b.delete(acme, b.insert(acme, gone))
			drafts := func(org record.OrgID, event record.EventID) (found []record.ID) {
				b.Helper()
				b.must(b.EachDraft(b.Context(), org, event, func(r record.Record) error {
					equal(b, "record", r, b.read(org, r.Key()))
					found = append(found, r.ID)
					return nil
				}))
				slices.Sort(found)
				return found
			}
			equal(b, "drafts", drafts(acme, gala), []record.ID{"g6", "g7"})
			equal(b, "drafts of another organization", drafts(other, gala), nil)
			equal(b, "drafts of another event", drafts(acme, fair), nil)
			stop := errors.New("stop")
			if err := b.EachDraft(b.Context(), acme, gala, func(record.Record) error { return stop }); !errors.Is(err, stop) {
				b.Errorf("an error of the function: %v", err)
			}
		}},
		{"a deleted or decided record leaves the queue", func(b *bench) {
			b.fillQueue()
			b.delete(acme, b.read(acme, record.Key{Event: gala, Type: "flights", ID: "g5"}))
			b.move(acme, b.read(acme, record.Key{Event: gala, Type: "flights", ID: "g4"}), record.Approved)
			page, total, err := b.ReviewQueue(b.Context(), acme, "", 0, 10)
			b.must(err)
			equal(b, "queue", ids(page), []record.ID{"f1", "g2", "g1"})
			equal(b, "total", total, 3)
		}},
		{"the records of a deleted event leave the organization's queue", func(b *bench) {
			b.fillQueue()
			b.insertEvent(acme, gala)
			event := b.insertEvent(acme, fair)
			event.Deleted, event.Rev = true, event.Rev+1
			b.must(b.ReplaceEvent(b.Context(), acme, event, event.Rev-1))
			page, total, err := b.ReviewQueue(b.Context(), acme, "", 0, 10)
			b.must(err)
			equal(b, "queue", ids(page), []record.ID{"g5", "g4", "g2", "g1"})
			equal(b, "total", total, 4)
		}},
	}
}

// fillQueue stores records of every state, g1 to g8 of one event and f1 of another: g1,
// g2, g4 and g5 are for review; g4 and g5 were created at the same time.
func (b *bench) fillQueue() {
	b.Helper()
	put := func(org record.OrgID, sub record.Sub, id record.ID, status record.Status, age time.Duration) {
		b.Helper()
		r := draft(sub, id)
		r.Status, r.CreatedAt = status, start.Add(-age)
		b.insert(org, r)
	}
	put(acme, flights, "g4", record.Submitted, 2*time.Second)
	put(acme, flights, "g1", record.Submitted, time.Hour)
	put(acme, flights, "g3", record.Approved, time.Second)
	put(acme, record.Sub{Event: gala, Type: "waste"}, "g2", record.InReview, time.Minute)
	put(acme, flights, "g5", record.InReview, 2*time.Second)
	put(acme, flights, "g6", record.Unsubmitted, time.Second)
	put(acme, flights, "g7", record.ChangesRequested, time.Second)
	put(acme, flights, "g8", record.Rejected, time.Second)
	put(acme, record.Sub{Event: fair, Type: "flights"}, "f1", record.Submitted, time.Millisecond)
	put(other, flights, "o1", record.Submitted, 0)
}
