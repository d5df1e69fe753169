// Package histories verifies the hash chains of all records of a tenant: that
// no entry was changed, removed, moved or added, and that each record matches
// its latest entry.
package histories

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// Kind is what is wrong with a history.
type Kind string

// What can be wrong.
const (
	// EntryChanged: an entry is not what was sealed.
	EntryChanged Kind = "changed"
	// EntryMissing: an entry, or several consecutive ones, was removed.
	EntryMissing Kind = "missing"
	// EntryMoved: an entry is valid but does not follow the previous one, so one
	// of the two was substituted.
	EntryMoved Kind = "moved"
	// EntrySurplus: an entry without a transition.
	EntrySurplus Kind = "surplus"
	// RecordAltered: after this entry the record was changed without a transition.
	RecordAltered Kind = "altered"
	// NotEntitled: a decision was made by a role without the permission.
	NotEntitled Kind = "not entitled"
	// Unreadable: the record cannot be decoded; Why has the reason.
	Unreadable Kind = "unreadable"
	// Untold: the record's actors and times differ from its history;
	// Why names the fields.
	Untold Kind = "untold"
	// RecordMissing: a number belongs to a record that is missing. Deleted records are not missing; they are
	// tombstones.
	RecordMissing Kind = "record missing"
	// CountWrong: From records have the state Type; the store's count is To.
	CountWrong Kind = "count wrong"
	// EventMissing: From records belong to a missing event.
	EventMissing Kind = "event missing"
)

// Fault is one thing that is wrong with the histories of a tenant.
type Fault struct {
	Kind  Kind
	Org   record.OrgID
	Event record.EventID
	Type  string // empty if the record is missing
	// Record is empty for RecordMissing.
	Record record.ID
	// From and To are the first and last revision concerned, or for
	// RecordMissing the numbers.
	From, To int64
	// Why has details of Unreadable and Untold.
	Why string
}

// String describes it in one line.
func (f Fault) String() string {
	revisions, is, was := fmt.Sprintf("revision %d", f.From), "is", "was"
	if f.To > f.From {
		revisions, is, was = fmt.Sprintf("revisions %d to %d", f.From, f.To), "are", "were"
	}
	what := map[Kind]string{
		EntryChanged:  revisions + " " + was + " changed",
		EntryMissing:  revisions + " " + is + " missing",
		EntryMoved:    fmt.Sprintf("revision %d does not follow revision %d", f.From, f.From-1),
		EntrySurplus:  revisions + " " + is + " nobody's move",
		NotEntitled:   fmt.Sprintf("revision %d was decided by a role that may not", f.From),
		RecordAltered: fmt.Sprintf("the record was changed after revision %d, by no move", f.From),
		Unreadable:    "it cannot be read: " + f.Why,
		Untold:        "its " + f.Why + " is not what its history says",
		RecordMissing: fmt.Sprintf("the records with the numbers %d to %d are missing", f.From, f.To),
	}[f.Kind]
	switch {
	case f.Kind == CountWrong:
		return fmt.Sprintf("event %s: %d records are %s, and %d were counted as they came", f.Event, f.From, f.Type, f.To)
	case f.Kind == EventMissing:
		return fmt.Sprintf("event %s, which is not there: it has %d records", f.Event, f.From)
	case f.Kind == RecordMissing:
		return fmt.Sprintf("event %s, %s: %s", f.Event, f.Type, what)
	case f.Type == "":
		return fmt.Sprintf("event %s, record %s, which is not there: %s", f.Event, f.Record, what)
	}
	return fmt.Sprintf("event %s, %s, record %s: %s", f.Event, f.Type, f.Record, what)
}

// chain verifies one record's history, entry by entry.
type chain struct {
	record record.Record
	fault  func(Fault)
	next   int64        // next expected revision
	prev   record.Entry // the one before
	known  bool         // whether prev can be trusted, so that next can be compared with it

	touched record.Touched
	partial bool // whether an entry was missing from touched

	policyRev int64 // the newest that a decision names
}

func newChain(r record.Record, fault func(Fault)) *chain {
	return &chain{record: r, fault: fault, next: 1, known: true}
}

func (c *chain) say(kind Kind, from, to int64) {
	r := c.record
	c.fault(Fault{Kind: kind, Org: r.Org, Event: r.Event, Type: r.Type, Record: r.ID, From: from, To: to})
}

// add verifies the next stored entry, in ascending order of revision.
func (c *chain) add(e record.StoredEntry) {
	r, rev := c.record, e.Entry.Rev
	newest := max(r.Rev, r.Last.Rev)
	if rev < c.next || rev > newest {
		c.say(EntrySurplus, rev, rev)
		return
	}
	c.skipTo(rev)
	whole := e.Damage == nil && e.Entry.Intact(r.Org, r.ID)
	switch {
	case !whole || e.Event != r.Event:
		c.say(EntryChanged, rev, rev)
	case rev == r.Last.Rev && e.Entry.Hash != r.Last.Hash:
		// A move stores the newest entry separately before it is made; if it fails, a copy remains.
		c.say(EntryChanged, rev, rev)
	}
	if rev == r.Last.Rev {
		return // the record's own copy is the one that counts
	}
	if whole {
		c.follows(e.Entry)
		c.decided(e.Entry)
		c.touched.Take(e.Entry)
	}
	c.partial = c.partial || !whole
	c.next, c.prev, c.known = rev+1, e.Entry, whole
}

// follows verifies that an entry continues the previous one.
func (c *chain) follows(e record.Entry) {
	switch {
	case !c.known:
	case e.Prev != c.prev.Hash:
		c.say(EntryMoved, e.Rev, e.Rev)
	case e.From != c.prev.To || e.Move != record.Edit && c.prev.Input != "" && e.Input != c.prev.Input:
		c.say(RecordAltered, c.prev.Rev, c.prev.Rev)
	}
}

// decided reports a decision by somebody without the permission. Entries of versions that did not store the role
// prove nothing.
func (c *chain) decided(e record.Entry) {
	c.policyRev = max(c.policyRev, e.PolicyRev)
	if e.By.Role != identity.RoleNone && !record.Entitled(e.Move, e.By.Role) {
		c.say(NotEntitled, e.Rev, e.Rev)
	}
}

// skipTo reports the revisions missing before a revision.
func (c *chain) skipTo(rev int64) {
	if rev > c.next {
		c.say(EntryMissing, c.next, rev-1)
		c.next, c.known, c.partial = rev, false, true
	}
}

// end verifies the newest entry, which is in the record.
func (c *chain) end() {
	r, last := c.record, c.record.Last
	c.skipTo(last.Rev)
	if last.Rev < r.Rev {
		c.say(EntryMissing, last.Rev+1, r.Rev)
		return
	}
	if !last.Intact(r.Org, r.ID) {
		c.say(EntryChanged, last.Rev, last.Rev)
		c.partial = true
	} else {
		c.follows(last)
		c.decided(last)
		c.touched.Take(last)
	}
	if !last.Describes(r) {
		c.say(RecordAltered, last.Rev, last.Rev)
	}
	if fields := c.touched.Differs(r); !c.partial && len(fields) > 0 {
		c.fault(Fault{Kind: Untold, Org: r.Org, Event: r.Event, Type: r.Type, Record: r.ID, Why: strings.Join(fields, ", ")})
	}
}
