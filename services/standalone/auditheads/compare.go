package auditheads

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// Stores are the stores that contain the chains.
type Stores struct {
	Records interface {
		OrganizationIDs(ctx context.Context, after record.OrgID, limit int) ([]record.OrgID, error)
		RecordsAfter(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.Record, error)
		StoredRecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.StoredRecord, error)
		EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error)
		EventsAfter(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.Event, error)
		EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
		EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error)
	}
	Accounts interface {
		AuditAfter(ctx context.Context, org string, after, limit int64) ([]account.AuditEntry, error)
		AuditHeads(ctx context.Context) ([]account.AuditHead, error)
	}
}

// atOnce is how many records, events or entries are read at a time.
const atOnce = 500

// Export calls add for the head of every chain.
func (s Stores) Export(ctx context.Context, add func(Head) error) error {
	heads, err := s.Accounts.AuditHeads(ctx)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if h.Seq == 0 { // entries without a head yet
			continue
		}
		if err := add(Head{Org: h.Org, Revision: h.Seq, Hash: h.Hash}); err != nil {
			return err
		}
	}
	for after := record.OrgID(""); ; {
		orgs, err := s.Records.OrganizationIDs(ctx, after, atOnce)
		if err != nil || len(orgs) == 0 {
			return err
		}
		for _, org := range orgs {
			after = org
			if err := s.exportEvents(ctx, org, add); err != nil {
				return err
			}
			if err := s.exportRecords(ctx, org, add); err != nil {
				return err
			}
		}
	}
}

func (s Stores) exportEvents(ctx context.Context, org record.OrgID, add func(Head) error) error {
	for after := int64(0); ; {
		events, err := s.Records.EventsAfter(ctx, org, after, atOnce)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			after = e.Slot
			if e.Last.Rev == 0 {
				continue // older than histories: its chain begins with its next change
			}
			if err := add(Head{Org: string(org), Event: string(e.ID), Revision: e.Last.Rev, Hash: e.Last.Hash}); err != nil {
				return err
			}
		}
	}
}

func (s Stores) exportRecords(ctx context.Context, org record.OrgID, add func(Head) error) error {
	for at := (record.Place{}); ; {
		records, err := s.Records.RecordsAfter(ctx, org, at, atOnce)
		if err != nil || len(records) == 0 {
			return err
		}
		for _, r := range records {
			at = record.PlaceOf(r)
			if err := add(Head{Org: string(org), Event: string(r.Event), Record: string(r.ID), Revision: r.Last.Rev, Hash: r.Last.Hash}); err != nil {
				return err
			}
		}
	}
}

// Comparer compares heads with the current chains.
type Comparer struct {
	Stores Stores
	// Report is called with a sentence for each difference.
	Report func(fault string) error

	batch []Head // of records of one organization
}

// Add compares one head. Those of records are compared in batches: Flush must be called after
// the last one.
func (c *Comparer) Add(ctx context.Context, h Head) error {
	if h.Record == "" {
		fault, err := c.single(ctx, h)
		if err != nil || fault == "" {
			return err
		}
		return c.Report(fault)
	}
	if len(c.batch) == atOnce || len(c.batch) > 0 && c.batch[0].Org != h.Org {
		if err := c.Flush(ctx); err != nil {
			return err
		}
	}
	c.batch = append(c.batch, h)
	return nil
}

// single compares the head of an audit log or of an event.
func (c *Comparer) single(ctx context.Context, h Head) (fault string, err error) {
	if h.Event == "" {
		entries, err := c.Stores.Accounts.AuditAfter(ctx, h.Org, h.Revision-1, 1)
		if err != nil {
			return "", err
		}
		if len(entries) == 0 || entries[0].Seq != h.Revision {
			return fmt.Sprintf("%s: entry %d of the audit log was there and is not any more", h.Org, h.Revision), nil
		}
		if entries[0].Hash != h.Hash {
			return fmt.Sprintf("%s: entry %d of the audit log is another one than it was", h.Org, h.Revision), nil
		}
		return "", nil
	}
	org, id := record.OrgID(h.Org), record.EventID(h.Event)
	// The newest entry is stored in the event, and moved by the next change: the event is read
	// first, so it is found in one of the two. What cannot be read counts as missing.
	ev, err := c.Stores.Records.EventContext(ctx, org, id)
	if err != nil && !errors.Is(err, record.ErrNotFound) && !record.IsDamage(err) {
		return "", err
	}
	entries, err := c.Stores.Records.EventEntries(ctx, org, id, h.Revision, h.Revision)
	if err != nil && !record.IsDamage(err) {
		return "", err
	}
	if ev.Last.Rev == h.Revision {
		entries = append(entries, ev.Last)
	}
	for _, e := range entries {
		if e.Hash == h.Hash {
			return "", nil
		}
	}
	if len(entries) == 0 {
		return fmt.Sprintf("%s: event %s: revision %d of its history was there and is not any more", h.Org, h.Event, h.Revision), nil
	}
	return fmt.Sprintf("%s: event %s: revision %d of its history is another one than it was", h.Org, h.Event, h.Revision), nil
}

// Flush compares the pending heads of records.
func (c *Comparer) Flush(ctx context.Context) error {
	if len(c.batch) == 0 {
		return nil
	}
	batch := c.batch
	c.batch = nil
	org := record.OrgID(batch[0].Org)
	ids := make([]record.ID, len(batch))
	for i, h := range batch {
		ids[i] = record.ID(h.Record)
	}
	// The newest entry is stored in the record, and moved by the next move: the record is read
	// first, so it is found in one of the two.
	type place struct {
		id  record.ID
		rev int64
	}
	found := map[place][]string{}
	note := func(id record.ID, e record.Entry) {
		found[place{id, e.Rev}] = append(found[place{id, e.Rev}], e.Hash)
	}
	records, err := c.Stores.Records.StoredRecordsByID(ctx, org, ids)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.Damage == nil { // what cannot be read counts as missing
			note(r.Record.ID, r.Record.Last)
		}
	}
	for at := (record.EntryPlace{}); ; {
		entries, err := c.Stores.Records.EntriesAfter(ctx, org, ids, at, atOnce)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			note(e.Record, e.Entry)
			at = e.Place()
		}
	}
	for _, h := range batch {
		hashes := found[place{record.ID(h.Record), h.Revision}]
		if fault := h.among(hashes); fault != "" {
			if err := c.Report(fault); err != nil {
				return err
			}
		}
	}
	return nil
}

// among returns the difference if the head is none of the entries found.
func (h Head) among(hashes []string) string {
	if slices.Contains(hashes, h.Hash) {
		return ""
	}
	if len(hashes) == 0 {
		return fmt.Sprintf("%s: event %s, record %s: revision %d of its history was there and is not any more", h.Org, h.Event, h.Record, h.Revision)
	}
	return fmt.Sprintf("%s: event %s, record %s: revision %d of its history is another one than it was", h.Org, h.Event, h.Record, h.Revision)
}
