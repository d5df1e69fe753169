package recordtest

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/eventcarbon/ecf/libs/record"
)

func summaryTests() []test {
	return []test{
		{"a summary has the counts, the marks and the headline of its event", func(b *bench) {
			b.place(acme, gala, fair)
			all := b.fill(acme, flights, "r", 6)
			waste := b.fill(acme, record.Sub{Event: gala, Type: "waste"}, "w", 2)
			b.move(acme, all[0], record.Submitted)
			b.move(acme, all[1], record.InReview)
			b.move(acme, waste[0], record.Approved)
			equal(b, "first reading", b.summary(acme, gala), record.Summary{Counts: record.Counts{Approved: 1, Submitted: 1, InReview: 1, Unsubmitted: 5}})
			b.delete(acme, all[3])
			b.move(acme, all[4], record.Rejected)
			b.delete(acme, b.move(acme, waste[1], record.ChangesRequested))
			b.insert(acme, marked(flights, "m", "m1"))
			h := record.Headline{Version: 3, Revision: 2, Total: json.RawMessage(`{"kgCO2e":"1.5"}`)}
			b.must(b.PutHeadline(b.Context(), acme, gala, h))
			want := record.Summary{Due: true, Headline: h, Counts: record.Counts{Approved: 1, Submitted: 1, InReview: 1, Rejected: 1, Unsubmitted: 3}}
			equal(b, "second reading", b.summary(acme, gala), want)
			equal(b, "by another process", summaryOf(b, b.another(), acme, gala), want)
			equal(b, "of an event without records", b.summary(acme, fair), record.Summary{})
			none, err := b.Summaries(b.Context(), acme, nil)
			b.must(err)
			equal(b, "of no event", int64(len(none)), 0)
		}},
		{"an event's own mark makes its result due", func(b *bench) {
			e := someEvent(gala)
			e.Mark = "m1"
			_, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)
			equal(b, "marked", b.summary(acme, gala).Due, true)
			b.must(b.ClearEventMark(b.Context(), acme, gala, "m1"))
			equal(b, "cleared", b.summary(acme, gala).Due, false)
		}},
		{"summaries are those of the organization asked", func(b *bench) {
			b.place(acme, gala)
			b.fill(acme, flights, "r", 2)
			b.must(b.PutHeadline(b.Context(), other, gala, record.Headline{Version: 9, Revision: 9, Total: json.RawMessage(`{}`)}))
			got, err := b.Summaries(b.Context(), other, []record.EventID{gala, "event-none"})
			b.must(err)
			equal(b, "of another organization", int64(len(got)), 0)
			equal(b, "of its own", b.summary(acme, gala), record.Summary{Counts: record.Counts{Unsubmitted: 2}})
		}},
		{"a headline is replaced by a newer one only, and stays when the event changes", func(b *bench) {
			e := b.place(acme, gala)[0]
			put := func(version int64) {
				b.must(b.PutHeadline(b.Context(), acme, gala, record.Headline{Version: version, Revision: version, Total: json.RawMessage(`{}`)}))
			}
			put(2)
			put(1)
			equal(b, "after an older one", b.summary(acme, gala).Headline.Version, int64(2))
			e.Rev, e.Title = 2, "Ball"
			b.must(b.ReplaceEvent(b.Context(), acme, e, 1))
			equal(b, "after a change of the event", b.summary(acme, gala).Headline.Version, int64(2))
			b.must(b.PutHeadline(b.Context(), acme, gala, record.Headline{Version: 10, Revision: 3}))
			equal(b, "emptied", b.summary(acme, gala).Headline, record.Headline{Version: 10, Revision: 3})
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "revision", got.Rev, int64(2))
		}},
		{"counts are exact while many write and many read", func(b *bench) {
			b.place(acme, gala)
			const writers, rounds = 4, 5
			all := b.fill(acme, flights, "r", writers)
			var running sync.WaitGroup
			for w := range writers {
				store := b.another()
				running.Go(func() {
					r := all[w]
					for i := range rounds {
						status := []record.Status{record.Approved, record.Submitted}[i%2]
						next := r
						next.Rev, next.Status = r.Rev+1, status
						if err := store.ReplaceRecord(b.Context(), acme, next, r.Rev); err != nil {
							b.Error(err)
							return
						}
						r = next
						counts := summaryOf(b, store, acme, gala).Counts
						if total := counts.Approved + counts.Submitted + counts.Unsubmitted; total != writers {
							b.Errorf("%d records counted, want %d", total, writers)
						}
						if mine := map[record.Status]int64{record.Approved: counts.Approved, record.Submitted: counts.Submitted}[status]; mine == 0 {
							b.Errorf("the writer's own record is not counted as %s", status)
						}
					}
				})
			}
			running.Wait()
			equal(b, "in the end", b.summary(acme, gala).Counts, record.Counts{Approved: writers})
		}},
	}
}

// place inserts events.
func (b *bench) place(org record.OrgID, ids ...record.EventID) (events []record.Event) {
	b.Helper()
	for _, id := range ids {
		e, err := b.InsertEvent(b.Context(), org, someEvent(id), record.Unlimited)
		b.must(err)
		events = append(events, e)
	}
	return events
}

func (b *bench) summary(org record.OrgID, event record.EventID) record.Summary {
	b.Helper()
	return summaryOf(b, b.Store, org, event)
}

func summaryOf(b *bench, store record.Store, org record.OrgID, event record.EventID) record.Summary {
	b.Helper()
	all, err := store.Summaries(b.Context(), org, []record.EventID{event})
	if err != nil {
		b.Error(err)
	}
	if _, ok := all[event]; !ok {
		b.Error(fmt.Sprint("no summary of ", event))
	}
	return all[event]
}
