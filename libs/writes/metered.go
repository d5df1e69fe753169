package writes

import (
	"context"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/record"
)

// metered is a store that counts the bytes that are written to it.
type metered struct {
	Store
	bytes *atomic.Int64
	// body is the length of the request's body. A change of an event or an organization stores about as much
	// in it, and as much in its history.
	body int64
}

// meteredKeeper is metered for a store that is a record.EntryKeeper.
type meteredKeeper struct {
	metered
	keeper record.EntryKeeper
}

func meter(store Store, bytes *atomic.Int64, body int64) Store {
	m := metered{store, bytes, body}
	if keeper, ok := store.(record.EntryKeeper); ok {
		return meteredKeeper{m, keeper}
	}
	return m
}

// InsertRecord implements the method of record.Records.
func (m metered) InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (record.Record, error) {
	stored, err := m.Store.InsertRecord(ctx, org, r)
	if err == nil {
		m.bytes.Add(stored.StoredBytes())
	}
	return stored, err
}

// InsertRecords implements the method of record.Records.
func (m metered) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record) (stored []record.Record, refused []error, err error) {
	stored, refused, err = m.Store.InsertRecords(ctx, org, sub, records)
	for i, r := range records {
		if err != nil || refused[i] == nil { // after an error some of them may be stored
			m.bytes.Add(r.StoredBytes())
		}
	}
	return stored, refused, err
}

// ReplaceRecord implements the method of record.Records.
func (m metered) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	err := m.Store.ReplaceRecord(ctx, org, r, prevRev)
	if err == nil {
		m.bytes.Add(r.EntryBytes())
	}
	return err
}

// InsertEvent implements the method of record.Events.
func (m metered) InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error) {
	stored, err := m.Store.InsertEvent(ctx, org, e, quota)
	if err == nil {
		m.bytes.Add(2*m.body + eventBytes)
	}
	return stored, err
}

// ReplaceEvent implements the method of record.Events.
func (m metered) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	err := m.Store.ReplaceEvent(ctx, org, e, prevRev)
	if err == nil {
		m.bytes.Add(2*m.body + eventBytes)
	}
	return err
}

// ReplaceOrganization implements the method of record.Organizations.
func (m metered) ReplaceOrganization(ctx context.Context, o record.Organization, prevRev int64) error {
	err := m.Store.ReplaceOrganization(ctx, o, prevRev)
	if err == nil {
		m.bytes.Add(2*m.body + eventBytes)
	}
	return err
}

// eventBytes is what a change of an event stores beside what was sent.
const eventBytes = 2 << 10

// ReplaceRecordKeeping implements record.EntryKeeper.
func (m meteredKeeper) ReplaceRecordKeeping(ctx context.Context, org record.OrgID, r record.Record, prevRev int64, last record.Entry) error {
	err := m.keeper.ReplaceRecordKeeping(ctx, org, r, prevRev, last)
	if err == nil {
		m.bytes.Add(r.EntryBytes())
	}
	return err
}
