package histories

import (
	"maps"

	"github.com/eventcarbon/ecf/libs/record"
)

// counts are the numbers of records by event and state.
type counts map[record.EventID]map[record.Status]int64

func (c counts) add(r record.Record) {
	of := c[r.Event]
	if of == nil {
		of = map[record.Status]int64{}
		c[r.Event] = of
	}
	if !r.Deleted {
		of[r.Status]++
	}
}

// steadyCounts is how many consecutive times the counts of an event must differ from its records by the same amount,
// without a change of the counts meanwhile, before a finding is reported, since other requests may be moving records.
const steadyCounts = 3

// counts compares the numbers of records with the store's counts: missing records with the highest numbers leave no
// gap. Records of missing events are reported too.
func (a *auditor) counts() error {
	left := maps.Clone(a.counted)
	for after := int64(0); ; {
		events, err := a.store.StoredEvents(a.ctx, a.org, after, auditRecords)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			after = e.Event.Slot
			delete(left, e.Event.ID)
			if err := a.count(e.Event.ID); err != nil {
				return err
			}
		}
	}
	for event, of := range left {
		n := int64(0)
		for _, records := range of {
			n += records
		}
		if err := a.report(Fault{Kind: EventMissing, Org: a.org, Event: event, From: n}); err != nil {
			return err
		}
	}
	return nil
}

func (a *auditor) count(event record.EventID) error {
	there := a.counted[event]
	var was, before map[record.Status]int64
	for alike := 0; alike < steadyCounts; {
		stated, err := a.store.CountByStatus(a.ctx, a.org, event)
		if err != nil {
			return err
		}
		difference := map[record.Status]int64{}
		for _, s := range record.Statuses() {
			if d := stated[s] - there[s]; d != 0 {
				difference[s] = d
			}
		}
		if len(difference) == 0 {
			return nil
		}
		if maps.Equal(was, difference) && maps.Equal(before, stated) {
			alike++
		} else {
			alike = 0
		}
		was, before = difference, stated
		again := counts{}
		for at := (record.Place{Event: event}); ; {
			page, err := a.store.StoredRecords(a.ctx, a.org, at, auditRecords)
			if err != nil {
				return err
			}
			n := 0
			for n < len(page) && page[n].Record.Event == event {
				at = record.PlaceOf(page[n].Record)
				again.add(page[n].Record)
				n++
			}
			if n == 0 || n < len(page) {
				break
			}
		}
		there = again[event]
	}
	for _, s := range record.Statuses() {
		if was[s] == 0 {
			continue
		}
		if err := a.report(Fault{Kind: CountWrong, Org: a.org, Event: event, Type: string(s), From: there[s], To: there[s] + was[s]}); err != nil {
			return err
		}
	}
	return nil
}
