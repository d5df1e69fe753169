package record

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// The outcomes of a Store that are not failures of the engine. Any other
// error is a failure.
var (
	// ErrNotFound: the object does not exist in this organization, or was deleted.
	ErrNotFound = errors.New("record: not found")
	// ErrConflict: the object is no longer at the given revision.
	ErrConflict = errors.New("record: revision has moved")
	// ErrDuplicate: the id is taken.
	ErrDuplicate = errors.New("record: duplicate id")
	// ErrDuplicateReference: another record of the sub-collection, or another event of
	// the organization, that is not deleted has this external reference.
	ErrDuplicateReference = errors.New("record: duplicate reference")
	// ErrQuota: the organization has no slot left for another event.
	ErrQuota = errors.New("record: event quota reached")
)

// Unlimited is the quota that never ends.
const Unlimited int64 = -1

// Store is the interface of storage engines for organizations,
// events and records. Every write affects one document and is atomic and
// durable when it returns nil; reads see every previously acknowledged write. The
// conformance suite in recordtest verifies this contract for every engine.
//
// A call whose context has ended before it began writes nothing.
//
// It is composed of interfaces named after their users, which depend
// only on those they need.
type Store interface {
	Organizations
	Policies
	Events
	Records
	Pages
	TeamPages
	ReviewQueue
	Drafts
	Entries
	Marks
	Counting
	Gates
	Keys
	Imports
	Histories
	Archive
	Summaries
	SupplierFactors
	FactorPacks
}

// Version identifies a state of everything a store holds.
type Version struct{ Epoch, Number int64 }

// Versioned is a store that can determine, at a small part of the cost of a read, whether anything was written: while
// its version is unchanged, so is everything that is read.
type Versioned interface {
	Version(ctx context.Context) (Version, error)
}

// EntryKeeper is a store that can do in one write what others do in two: replace a
// record, and store apart the entry of its history that it held until then.
type EntryKeeper interface {
	// ReplaceRecordKeeping is ReplaceRecord, and InsertEntry of last where the record
	// was replaced. It does both or neither.
	ReplaceRecordKeeping(ctx context.Context, org OrgID, r Record, prevRev int64, last Entry) error
}

// Organizations are the tenants.
type Organizations interface {
	// InsertOrganization stores a new tenant; ErrDuplicate if the id is taken.
	InsertOrganization(ctx context.Context, o Organization) error
	// Organization reads a tenant; ErrNotFound.
	Organization(ctx context.Context, id OrgID) (Organization, error)
	// ReplaceOrganization stores o if the stored Rev is prevRev, else it returns ErrConflict (also if there is none).
	// o.Rev must be prevRev + 1.
	ReplaceOrganization(ctx context.Context, o Organization, prevRev int64) error
}

// Events are the events of a tenant.
type Events interface {
	// InsertEvent stores a new event under the next free slot: one more than the highest ever taken by the
	// organization, deleted events included, and returns it with its slot. It returns ErrQuota if that exceeds quota
	// (Unlimited: never), exactly, also under concurrent inserts of several processes; ErrDuplicate if the id is
	// taken, else ErrDuplicateReference if the RefKey is.
	InsertEvent(ctx context.Context, org OrgID, e Event, quota int64) (Event, error)
	// Event reads an event that is not deleted; ErrNotFound.
	Event(ctx context.Context, org OrgID, id EventID) (Event, error)
	// EventByReference reads the event that is not deleted and has this external
	// reference; ErrNotFound.
	EventByReference(ctx context.Context, org OrgID, reference string) (Event, error)
	// UsedSlots returns the highest slot ever taken: the quota used.
	UsedSlots(ctx context.Context, org OrgID) (int64, error)
	// ReplaceEvent stores e if the stored Rev is prevRev, the event is not deleted, and it has not become
	// EverApproved since e was read without it; else it returns ErrConflict. The stored Mark is kept if e.Mark is
	// empty: only ClearEventMark removes one. The slot and EverApproved never change. It returns
	// ErrDuplicateReference if another event has e's RefKey.
	ReplaceEvent(ctx context.Context, org OrgID, e Event, prevRev int64) error
}

// Span is where a page lies in a list, as of one moment. The items of a list are
// numbered as they come, and the deleted ones keep their numbers.
type Span struct {
	Total int64 // how many items the whole list has
	Count int64 // how many of them are in the page
	// High is the number of the page's newest item, Low that of its oldest; both
	// are 0 where Count is.
	High, Low int64
}

// Revision is all that the appearance of an item of a list depends on.
type Revision struct {
	Number     int64 // Seq or Slot
	Rev        int64
	ContextRev int64   // of a record; 0 for an event, whose Rev rises with it
	Event      EventID // of an event; empty for a record
}

// Records are the records of a tenant's events.
type Records interface {
	// InsertRecord stores a new record with Seq one more than the highest of its sub-collection (tombstones included)
	// and returns it with that Seq. It returns ErrDuplicateReference or ErrDuplicate if its RefKey or its id is
	// taken.
	InsertRecord(ctx context.Context, org OrgID, r Record) (Record, error)
	// InsertRecords stores new records of one sub-collection, in their order, under consecutive Seqs (with an engine
	// that separates processes only by an index, another process may insert in between; there are never gaps). It
	// returns them with their Seqs. If refused has an error at an index, ErrDuplicateReference or ErrDuplicate as of
	// InsertRecord, that record was not stored and has no number. If err is not nil, some of them may have been
	// stored.
	InsertRecords(ctx context.Context, org OrgID, sub Sub, records []Record) (stored []Record, refused []error, err error)
	// Record reads a record that is not deleted; ErrNotFound.
	Record(ctx context.Context, org OrgID, key Key) (Record, error)
	// FindRecord reads a record of the event by its id alone, whatever its type;
	// ErrNotFound.
	FindRecord(ctx context.Context, org OrgID, event EventID, id ID) (Record, error)
	// RecordByReference reads the record of the sub-collection that is not deleted
	// and has this external reference; ErrNotFound.
	RecordByReference(ctx context.Context, org OrgID, sub Sub, reference string) (Record, error)
	// DeletedByReference reads the deleted records of the sub-collection that had this external reference last. Its
	// cost grows with the number of deleted records.
	DeletedByReference(ctx context.Context, org OrgID, sub Sub, reference string) ([]Record, error)
	// ReplaceRecord stores r if the stored Rev is prevRev, the stored Fence is r.Fence and the record is not deleted;
	// else it returns ErrConflict. Seq and the fields of creation never change. The stored Mark is kept if r.Mark is
	// empty: only ClearRecordMarks removes one. It returns ErrDuplicateReference if another record has r's RefKey.
	ReplaceRecord(ctx context.Context, org OrgID, r Record, prevRev int64) error
}

// RangeBytes is the number of stored bytes after which EventRange and VisibleRange end:
// ordinary pages are far shorter, a hundred of the longest events have hundreds of megabytes.
const RangeBytes = 1 << 20

// Pages are the lists of a tenant, page by page.
type Pages interface {
	// EventSpan returns where the page of at most limit events after the newest skip ones lies in the slots of the
	// organization, at one point in time. Its cost does not depend on the number of events.
	EventSpan(ctx context.Context, org OrgID, skip, limit int64) (Span, error)
	// EventRange reads the events from ≤ Slot ≤ to that are not deleted, highest
	// Slot first. It ends after the event with which it has read more than RangeBytes;
	// the rest is for another call, so that who reads a long page can wait before
	// holding all of it.
	EventRange(ctx context.Context, org OrgID, from, to int64) ([]Event, error)
	// EventRevisions is EventRange without the events.
	EventRevisions(ctx context.Context, org OrgID, from, to int64) ([]Revision, error)
	// RecordSpan returns where the page of at most limit records after the newest skip ones lies in the
	// sub-collection, at one point in time. Its cost depends neither on the position of the page nor on the number of
	// deleted records.
	RecordSpan(ctx context.Context, org OrgID, sub Sub, skip, limit int64) (Span, error)
	// RecordRange reads the records from ≤ Seq ≤ to that are not deleted,
	// highest Seq first.
	RecordRange(ctx context.Context, org OrgID, sub Sub, from, to int64) ([]Record, error)
	// ApprovedPage reads the approved records of the sub-collection that are not
	// deleted, highest Seq first, skipping skip and at most limit of them, and counts
	// them all.
	ApprovedPage(ctx context.Context, org OrgID, sub Sub, skip, limit int64) ([]Record, int64, error)
	// RecordRevisions is RecordRange without the records, at a fraction of its cost.
	RecordRevisions(ctx context.Context, org OrgID, sub Sub, from, to int64) ([]Revision, error)
}

// TeamPages are the events that a member of the organization sees: those without a
// team, and those whose team the member is in. The cost of a span is that of the
// numbers of these events; where no event has a team, it is that of EventSpan.
type TeamPages interface {
	// VisibleSpan is EventSpan of these events.
	VisibleSpan(ctx context.Context, org OrgID, member string, skip, limit int64) (Span, error)
	// VisibleRange is EventRange of these events.
	VisibleRange(ctx context.Context, org OrgID, member string, from, to int64) ([]Event, error)
	// VisibleRevisions is EventRevisions of these events.
	VisibleRevisions(ctx context.Context, org OrgID, member string, from, to int64) ([]Revision, error)
}

// ReviewQueue is what waits for a decision.
type ReviewQueue interface {
	// CountByStatus counts the records of an event that are not deleted. States
	// without records may be absent.
	CountByStatus(ctx context.Context, org OrgID, event EventID) (map[Status]int64, error)
	// ReviewQueue reads records that are submitted or in_review and not
	// deleted, newest first (CreatedAt, then ID, descending), skipping skip and
	// at most limit of them, and counts them all. An empty event means all
	// events of the organization but the deleted ones.
	ReviewQueue(ctx context.Context, org OrgID, event EventID, skip, limit int64) ([]Record, int64, error)
	// ReviewQueueOf is ReviewQueue of the events without a team and of those that
	// the member reviews.
	ReviewQueueOf(ctx context.Context, org OrgID, member string, skip, limit int64) ([]Record, int64, error)
	// Waiting reads at most limit records of an event's review queue after a place in its order, so that reading the
	// whole queue in parts costs as much as its length.
	Waiting(ctx context.Context, org OrgID, event EventID, after QueuePlace, limit int64) ([]Record, error)
}

// Drafts are the records that have not been submitted, or not again.
type Drafts interface {
	// EachDraft calls f for every record of an event that is unsubmitted or of
	// which changes were requested, in no order, without holding all of them in
	// memory. An error of f ends it and is returned.
	EachDraft(ctx context.Context, org OrgID, event EventID, f func(Record) error) error
}

// Entries are the histories of a tenant's records.
type Entries interface {
	// InsertEntry stores a history entry under (record, Rev). It succeeds if the entry exists, so that it can be
	// retried after a crash.
	InsertEntry(ctx context.Context, org OrgID, event EventID, id ID, e Entry) error
	// Entries reads the stored entries of a record, oldest first. The newest
	// one is not among them: it is in the record.
	Entries(ctx context.Context, org OrgID, id ID) ([]Entry, error)
	// EntryRange reads those of them with from ≤ Rev ≤ to, newest first.
	EntryRange(ctx context.Context, org OrgID, id ID, from, to int64) ([]Entry, error)
}

// QueuePlace is the position of a record in the review queue, ordered by the time of its
// creation, then its id, both descending. The zero value precedes the first.
type QueuePlace struct {
	CreatedAt time.Time
	ID        ID
}

// QueuePlaceOf returns the place of a record.
func QueuePlaceOf(r Record) QueuePlace { return QueuePlace{r.CreatedAt, r.ID} }

// MarkedRecord is a record whose mark is set.
type MarkedRecord struct {
	Type string
	ID   ID
	Seq  int64
	Mark string
}

// MarkedEvent is an event for which some mark is set, its own or a record's.
type MarkedEvent struct {
	Org   OrgID
	Event EventID
	Mark  string // the oldest of its marks found
}

// Counted is what the calculation needs of an approved record.
type Counted struct {
	ID           ID
	Seq          int64
	Rev          int64
	Type         string
	Fields       json.RawMessage
	Contribution json.RawMessage
	ContextRev   int64
	CreatedAt    int64 // Unix milliseconds, for display order only
}

// Input is of an approved record what the hash over inputs is of, but for its type, and
// the revision that it was read from.
type Input struct {
	ID     ID
	Seq    int64
	Rev    int64
	Fields string
}

// Recalculated is what a record counts under a newer context of its event.
type Recalculated struct {
	ID           ID
	Rev          int64 // of the record it was calculated from
	ContextRev   int64
	Preview      json.RawMessage
	Contribution json.RawMessage
}

// Gates protects signed figures, and stores the history of changes.
type Gates interface {
	// CurrentEvent is Event, read so that no write acknowledged before the call is missed, also after a failover: a
	// closed event is never read as open.
	CurrentEvent(ctx context.Context, org OrgID, id EventID) (Event, error)
	// SetEverApproved sets EverApproved of an event; it returns ErrNotFound if there is none. The revision is
	// unchanged. A ReplaceEvent of a state read before it conflicts.
	SetEverApproved(ctx context.Context, org OrgID, id EventID) error
	// Fence sets the Fence of the records with from ≤ Seq ≤ to and a lower Fence to epoch, tombstones included.
	// Their revision is unchanged.
	Fence(ctx context.Context, org OrgID, sub Sub, from, to, epoch int64) error
	// ClosingEvents lists up to limit events of all organizations whose gate is closing, for the sweeper.
	ClosingEvents(ctx context.Context, limit int) ([]EventRef, error)
	// InsertEventEntry stores an entry of an event's history under (event, Rev). It succeeds if the entry exists.
	InsertEventEntry(ctx context.Context, org OrgID, id EventID, e EventEntry) error
	// EventEntries reads the stored entries of an event with from ≤ Rev ≤ to, oldest first. The newest entry is
	// in the event; one stored under its revision is left from a failed attempt.
	EventEntries(ctx context.Context, org OrgID, id EventID, from, to int64) ([]EventEntry, error)
}

// EventRef names an event of any organization.
type EventRef struct {
	Org   OrgID
	Event EventID
}

// Marks say which results are due.
type Marks interface {
	// MarkedRecords reads up to limit marked records of the event, tombstones included, in the order of their marks.
	MarkedRecords(ctx context.Context, org OrgID, event EventID, limit int) ([]MarkedRecord, error)
	// ClearRecordMarks clears the mark of each record if it is still the given one. It changes nothing else,
	// including Rev.
	ClearRecordMarks(ctx context.Context, org OrgID, event EventID, marked []MarkedRecord) error
	// ClearEventMark clears the event's own mark if it is still the given one.
	ClearEventMark(ctx context.Context, org OrgID, id EventID, mark string) error
	// HasMarks reports whether the event or any of its records is marked.
	HasMarks(ctx context.Context, org OrgID, event EventID) (bool, error)
	// HasMarkedRecords is HasMarks without the event's own mark, for a caller that has read
	// the event.
	HasMarkedRecords(ctx context.Context, org OrgID, event EventID) (bool, error)
	// MarkedEvents lists up to limit events of all organizations that have a
	// mark, those with the oldest mark first as far as the engine can. It is
	// the sweeper's, and the only read without a tenant.
	MarkedEvents(ctx context.Context, limit int) ([]MarkedEvent, error)
}

// Counting is what a result is calculated from.
type Counting interface {
	// EventContext reads an event, deleted or not, for the calculation; ErrNotFound.
	EventContext(ctx context.Context, org OrgID, id EventID) (Event, error)
	// MaxSeqs returns the highest Seq of each sub-collection of the event.
	MaxSeqs(ctx context.Context, org OrgID, event EventID) (map[string]int64, error)
	// RecordsNumbered returns the sum of the highest Seqs of all sub-collections of the organization: the number of
	// records ever created. It costs one scan of an index of all records.
	RecordsNumbered(ctx context.Context, org OrgID) (int64, error)
	// Approved reads the approved records from ≤ Seq ≤ to, by rising Seq.
	Approved(ctx context.Context, org OrgID, sub Sub, from, to int64) ([]Counted, error)
	// Inputs reads only the inputs of the same records, in the same order.
	Inputs(ctx context.Context, org OrgID, sub Sub, from, to int64) ([]Input, error)
	// StoreContributions stores recalculated contributions and previews with those records whose Rev is still the
	// given one and whose ContextRev is not higher than the given one (an equal one is of another engine); it does
	// not change the others. Rev is unchanged. all has no record twice. After an error some of them may have been
	// stored.
	StoreContributions(ctx context.Context, org OrgID, all []Recalculated) error
}
