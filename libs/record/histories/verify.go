package histories

import (
	"context"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// auditRecords and auditEntries are batch sizes, which bound the memory of a verification.
	auditRecords = 256
	auditEntries = 1000
	// auditAttempts bounds how often a record is reread while it is being changed.
	auditAttempts = 10
)

// Tally is what a verification has gone through.
type Tally struct {
	Records, Entries int64
	// PolicyRev is the newest policy under which a decision was made.
	PolicyRev int64
}

// Verify verifies all records of a tenant and their histories, and
// reports each error. It can run alongside servers: an apparent error
// is read again before it is reported.
func Verify(ctx context.Context, store Records, org record.OrgID, report func(Fault) error) (Tally, error) {
	a := auditor{ctx: ctx, store: store, org: org, report: report, counted: counts{}}
	for _, step := range []func() error{a.records, a.orphans, a.counts} {
		if err := step(); err != nil {
			return a.tally, fmt.Errorf("verify histories: %w", err)
		}
	}
	return a.tally, nil
}

// Records is what verifying the histories of records reads.
type Records interface {
	record.Histories
	CountByStatus(ctx context.Context, org record.OrgID, event record.EventID) (map[record.Status]int64, error)
}

type auditor struct {
	ctx     context.Context //nolint:containedctx // it lasts for one call
	store   Records
	org     record.OrgID
	report  func(Fault) error
	tally   Tally
	counted counts
}

// records verifies each record with its history, and that no number is without
// a record.
func (a *auditor) records() error {
	var at record.Place
	for {
		stored, err := a.store.StoredRecords(a.ctx, a.org, at, auditRecords)
		if err != nil || len(stored) == 0 {
			return err
		}
		batch := make([]record.Record, 0, len(stored))
		for _, s := range stored {
			r := s.Record
			if err := a.gap(at, r); err != nil {
				return err
			}
			at = record.PlaceOf(r)
			a.counted.add(r)
			if s.Damage == nil {
				batch = append(batch, r)
				continue
			}
			a.tally.Records++
			if err := a.report(Fault{Kind: Unreadable, Org: a.org, Event: r.Event, Type: r.Type, Record: r.ID, Why: s.Damage.Error()}); err != nil {
				return err
			}
		}
		if err := a.batch(batch); err != nil {
			return err
		}
	}
}

// gap reports the numbers missing between a place and the next record found.
func (a *auditor) gap(at record.Place, r record.Record) error {
	if at.Event != r.Event || at.Type != r.Type {
		at = record.Place{Event: r.Event, Type: r.Type}
	}
	if r.Seq <= at.Seq+1 {
		return nil
	}
	again, err := a.store.StoredRecords(a.ctx, a.org, at, 1)
	if err != nil {
		return err
	}
	if len(again) == 1 && again[0].Record.Seq <= at.Seq+1 {
		return a.gap(record.PlaceOf(again[0].Record), r)
	}
	return a.report(Fault{Kind: RecordMissing, Org: a.org, Event: r.Event, Type: r.Type, From: at.Seq + 1, To: r.Seq - 1})
}

// batch verifies the histories of some records, and rereads those with faults.
func (a *auditor) batch(records []record.Record) error {
	suspect := make(map[record.ID]bool)
	chains := make(map[record.ID]*chain, len(records))
	ids := make([]record.ID, len(records))
	for i, r := range records {
		ids[i] = r.ID
		chains[r.ID] = newChain(r, func(Fault) { suspect[r.ID] = true })
		a.tally.Entries += r.Rev
	}
	a.tally.Records += int64(len(records))
	if err := a.entries(ids, func(e record.StoredEntry) { chains[e.Record].add(e) }); err != nil {
		return err
	}
	for _, id := range ids {
		chains[id].end()
		a.tally.PolicyRev = max(a.tally.PolicyRev, chains[id].policyRev)
		if suspect[id] {
			if err := a.recheck(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// entries reads the stored entries of some records.
func (a *auditor) entries(ids []record.ID, take func(record.StoredEntry)) error {
	var at record.EntryPlace
	for {
		page, err := a.store.EntriesAfter(a.ctx, a.org, ids, at, auditEntries)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, e := range page {
			take(e)
		}
		at = page[len(page)-1].Place()
	}
}

// recheck verifies one record with reads between which it did not change, and reports its faults.
func (a *auditor) recheck(id record.ID) error {
	for range auditAttempts {
		before, err := a.store.StoredRecordsByID(a.ctx, a.org, []record.ID{id})
		if err != nil || len(before) == 0 {
			return err
		}
		var faults []Fault
		c := newChain(before[0].Record, func(f Fault) { faults = append(faults, f) })
		if err := a.entries([]record.ID{id}, c.add); err != nil {
			return err
		}
		c.end()
		after, err := a.store.StoredRecordsByID(a.ctx, a.org, []record.ID{id})
		if err != nil {
			return err
		}
		if len(after) == 0 || after[0].Record.Rev != before[0].Record.Rev || after[0].Record.Last.Hash != before[0].Record.Last.Hash {
			continue
		}
		for _, f := range faults {
			if err := a.report(f); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("record %s does not stand still", id)
}

// orphans reports the entries of missing records.
func (a *auditor) orphans() error {
	var at record.EntryPlace
	for {
		page, err := a.store.EntriesAfter(a.ctx, a.org, nil, at, auditEntries)
		if err != nil || len(page) == 0 {
			return err
		}
		at = page[len(page)-1].Place()
		var ids []record.ID
		for _, e := range page {
			ids = append(ids, e.Record)
		}
		found, err := a.store.StoredRecordsByID(a.ctx, a.org, slices.Compact(ids))
		if err != nil {
			return err
		}
		there := make(map[record.ID]bool, len(found))
		for _, r := range found {
			there[r.Record.ID] = true
		}
		for i := 0; i < len(page); {
			first, last := page[i], page[i]
			for ; i < len(page) && page[i].Record == first.Record; i++ {
				last = page[i]
			}
			if there[first.Record] {
				continue
			}
			if err := a.report(Fault{
				Kind: EntrySurplus, Org: a.org, Event: first.Event, Record: first.Record, From: first.Entry.Rev, To: last.Entry.Rev,
			}); err != nil {
				return err
			}
		}
	}
}
