package recordtest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
)

// layout is the numbers of a sub-collection: 1 to Max without the Deleted ones.
type layout struct {
	Max     int64
	Deleted []int64 // ascending
}

// span returns the position of a page, calculated by counting.
func (l layout) span(skip, limit int64) record.Span {
	var living []int64
	for number := l.Max; number >= 1; number-- {
		if !slices.Contains(l.Deleted, number) {
			living = append(living, number)
		}
	}
	span := record.Span{Total: int64(len(living))}
	page := living[min(max(skip, 0), span.Total):]
	page = page[:min(max(limit, 0), int64(len(page)))]
	if span.Count = int64(len(page)); span.Count > 0 {
		span.High, span.Low = page[0], page[len(page)-1]
	}
	return span
}

// wantLayout checks every page of a list.
func (b *bench) wantLayout(want layout, limit int64, span func(skip, limit int64) (record.Span, error)) {
	b.Helper()
	total := want.span(0, 0).Total
	for skip := int64(0); skip <= total+limit; skip += limit {
		got, err := span(skip, limit)
		b.must(err)
		equal(b, fmt.Sprint("span of ", limit, " after ", skip), got, want.span(skip, limit))
	}
}

// wantRecords checks which numbers a sub-collection has.
func (b *bench) wantRecords(org record.OrgID, sub record.Sub, want layout) {
	b.Helper()
	b.wantLayout(want, 7, func(skip, limit int64) (record.Span, error) {
		return b.RecordSpan(b.Context(), org, sub, skip, limit)
	})
	highest, err := b.MaxSeqs(b.Context(), org, sub.Event)
	b.must(err)
	equal(b, "highest number", highest[sub.Type], want.Max)
}

// wantEvents checks which slots an organization has.
func (b *bench) wantEvents(org record.OrgID, want layout) {
	b.Helper()
	b.wantLayout(want, 3, func(skip, limit int64) (record.Span, error) {
		return b.EventSpan(b.Context(), org, skip, limit)
	})
}

func listTests() []test {
	return []test{
		{"a span tells where a page of records lies, without the deleted ones", func(b *bench) {
			b.wantRecords(acme, flights, layout{})
			all := b.fill(acme, flights, "r", 12)
			b.fill(acme, record.Sub{Event: gala, Type: "waste"}, "w", 2)
			b.fill(acme, record.Sub{Event: fair, Type: "flights"}, "f", 3)
			b.wantRecords(acme, flights, layout{Max: 12})
			b.delete(acme, all[11])
			b.delete(acme, all[1])
			b.delete(acme, all[9])
			b.wantRecords(acme, flights, layout{Max: 12, Deleted: []int64{2, 10, 12}})
			b.wantRecords(acme, record.Sub{Event: gala, Type: "waste"}, layout{Max: 2})
			for _, limit := range []int64{1, 2, 5} {
				b.wantLayout(layout{Max: 12, Deleted: []int64{2, 10, 12}}, limit, func(skip, limit int64) (record.Span, error) {
					return b.RecordSpan(b.Context(), acme, flights, skip, limit)
				})
			}
			for _, c := range []struct{ skip, limit int64 }{{-1, 5}, {0, 0}, {0, -1}, {math.MaxInt64, 100}, {0, math.MaxInt64}, {8, math.MaxInt64}} {
				got, err := b.RecordSpan(b.Context(), acme, flights, c.skip, c.limit)
				b.must(err)
				equal(b, fmt.Sprint("span ", c), got, layout{Max: 12, Deleted: []int64{2, 10, 12}}.span(c.skip, c.limit))
			}
		}},
		{"a span of a list of which all is deleted is empty", func(b *bench) {
			for _, r := range b.fill(acme, flights, "r", 3) {
				b.delete(acme, r)
			}
			b.wantRecords(acme, flights, layout{Max: 3, Deleted: []int64{1, 2, 3}})
			b.insert(acme, draft(flights, "r4"))
			b.wantRecords(acme, flights, layout{Max: 4, Deleted: []int64{1, 2, 3}})
		}},
		{"deletions in one organization leave the lists of another as they are", func(b *bench) {
			events := map[record.OrgID][]record.Event{}
			for i := range 5 {
				events[acme] = append(events[acme], b.insertEvent(acme, record.EventID(fmt.Sprint("ours-", i))))
				events[other] = append(events[other], b.insertEvent(other, record.EventID(fmt.Sprint("theirs-", i))))
			}
			ours, theirs := b.fill(acme, flights, "r", 4), b.fill(other, flights, "s", 4)
			deleted := map[record.OrgID][]int64{}
			for _, c := range []struct {
				org record.OrgID
				at  int
			}{{acme, 1}, {other, 2}, {other, 0}, {acme, 3}} {
				e := events[c.org][c.at]
				e.Deleted, e.Rev = true, e.Rev+1
				b.must(b.ReplaceEvent(b.Context(), c.org, e, e.Rev-1))
				b.delete(c.org, map[record.OrgID][]record.Record{acme: ours, other: theirs}[c.org][c.at])
				deleted[c.org] = append(deleted[c.org], int64(c.at+1))
				slices.Sort(deleted[c.org])
				for _, org := range []record.OrgID{acme, other} {
					b.wantEvents(org, layout{Max: 5, Deleted: deleted[org]})
					b.wantRecords(org, flights, layout{Max: 4, Deleted: deleted[org]})
				}
			}
		}},
		{"a record that is stored as deleted is not in the list", func(b *bench) {
			all := b.fill(acme, flights, "r", 3)
			b.delete(acme, all[0])
			gone := draft(flights, "r4")
			gone.Deleted = true
			b.insert(acme, gone)
			b.wantRecords(acme, flights, layout{Max: 4, Deleted: []int64{1, 4}})
		}},
		{"a span tells where a page of events lies, without the deleted ones", func(b *bench) {
			b.wantEvents(acme, layout{})
			for i := range 8 {
				b.insertEvent(acme, record.EventID(fmt.Sprint("e", i+1)))
			}
			b.insertEvent(other, "o1")
			b.wantEvents(acme, layout{Max: 8})
			b.deleteEvent(acme, "e8")
			b.deleteEvent(acme, "e2")
			b.wantEvents(acme, layout{Max: 8, Deleted: []int64{2, 8}})
			b.wantEvents(other, layout{Max: 1})
			equal(b, "next slot", b.insertEvent(acme, "e9").Slot, int64(9))
		}},
		{"a page of approved records skips all others and counts them exactly", func(b *bench) {
			all := b.fill(acme, flights, "r", 9)
			for _, i := range []int{0, 2, 3, 5, 7} {
				all[i] = b.move(acme, all[i], record.Approved)
			}
			all[4] = b.move(acme, all[4], record.Submitted)
			b.delete(acme, all[3])
			b.move(acme, b.insert(acme, draft(record.Sub{Event: gala, Type: "waste"}, "w1")), record.Approved)
			b.move(acme, b.insert(acme, draft(record.Sub{Event: fair, Type: "flights"}, "f1")), record.Approved)
			want := []record.ID{"r8", "r6", "r3", "r1"}
			for _, c := range []struct{ skip, limit int64 }{{0, 2}, {1, 2}, {3, 9}, {4, 9}, {9, 1}, {0, 100}, {0, 0}, {-1, 2}} {
				page, total, err := b.ApprovedPage(b.Context(), acme, flights, c.skip, c.limit)
				b.must(err)
				equal(b, "total", total, int64(4))
				var ids []record.ID
				for _, r := range page {
					ids = append(ids, r.ID)
				}
				rest := want[min(max(c.skip, 0), 4):]
				equal(b, fmt.Sprint("page ", c), fmt.Sprint(ids), fmt.Sprint(rest[:min(c.limit, int64(len(rest)))]))
			}
			page, total, err := b.ApprovedPage(b.Context(), other, flights, 0, 9)
			b.must(err)
			equal(b, "another organization's", fmt.Sprint(len(page), total), "0 0")
		}},
		{"revisions are those of a range of records, highest seq first", func(b *bench) {
			all := b.fill(acme, flights, "r", 8)
			b.fill(acme, record.Sub{Event: gala, Type: "waste"}, "w", 3)
			b.fill(acme, record.Sub{Event: fair, Type: "flights"}, "f", 3)
			b.delete(acme, all[4])
			b.move(acme, all[5], record.Submitted)
			b.must(b.StoreContributions(b.Context(), acme, recalculated("r7", 1, 9, json.RawMessage(`{}`), json.RawMessage(`{}`))))
			for _, c := range []struct {
				from, to int64
				want     []record.Revision
			}{
				{4, 7, []record.Revision{{Number: 7, Rev: 1, ContextRev: 9}, {Number: 6, Rev: 2, ContextRev: 1}, {Number: 4, Rev: 1, ContextRev: 1}}},
				{8, 99, []record.Revision{{Number: 8, Rev: 1, ContextRev: 1}}},
				{5, 5, nil}, {7, 3, nil}, {9, 20, nil}, {-5, 0, nil},
			} {
				got, err := b.RecordRevisions(b.Context(), acme, flights, c.from, c.to)
				b.must(err)
				equal(b, fmt.Sprint("revisions of ", c.from, " to ", c.to), got, c.want)
			}
			got, err := b.RecordRevisions(b.Context(), other, flights, 1, 9)
			b.must(err)
			equal(b, "revisions for another organization", got, nil)
		}},
		{"revisions are those of a range of events, highest slot first", func(b *bench) {
			for i := range 4 {
				b.insertEvent(acme, record.EventID(fmt.Sprint("e", i+1)))
			}
			e, err := b.Event(b.Context(), acme, "e3")
			b.must(err)
			e.Rev, e.ContextRev = 2, 7
			b.must(b.ReplaceEvent(b.Context(), acme, e, 1))
			b.deleteEvent(acme, "e2")
			got, err := b.EventRevisions(b.Context(), acme, 1, 3)
			b.must(err)
			equal(b, "revisions", got, []record.Revision{{Number: 3, Rev: 2, Event: "e3"}, {Number: 1, Rev: 1, Event: "e1"}})
			got, err = b.EventRevisions(b.Context(), other, 1, 9)
			b.must(err)
			equal(b, "revisions for another organization", got, nil)
		}},
	}
}
