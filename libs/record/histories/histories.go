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
	// EntryMissing: an entry, or several in a row, was taken away.
	EntryMissing Kind = "missing"
	// EntryMoved: an entry is valid but does not follow the previous one, so one
	// of the two was substituted.
	EntryMoved Kind = "moved"
	// EntrySurplus: an entry without a transition.
	EntrySurplus Kind = "surplus"
	// RecordAltered: after this entry the record was changed without a transition.
	RecordAltered Kind = "altered"
	// NotEntitled: a decision was made by a role that may not make it.
	NotEntitled Kind = "not entitled"
	// Unreadable: the record cannot be decoded; Why has the reason.
	Unreadable Kind = "unreadable"
	// Untold: the record's actors and times differ from its history;
	// Why names the fields.
	Untold Kind = "untold"
	// RecordMissing: a number was taken by a record that is not there. Deleted
	// records are; they are tombstones.
	RecordMissing Kind = "record missing"
	// CountWrong: there are From records of the state Type, and the store has counted
	// To as they came.
	CountWrong Kind = "count wrong"
	// EventMissing: there are From records of an event that is not there.
	EventMissing Kind = "event missing"
)

// Fault is one thing that is wrong with the histories of a tenant.
type Fault struct {
	Kind  Kind
	Org   record.OrgID
	Event record.EventID
	Type  string // empty where the record is not there to tell
	// Record is empty for RecordMissing.
	Record record.ID
	// From and To are the first and last revision concerned, or for
	// RecordMissing the numbers.
	From, To int64
	// Why has details of Unreadable and Untold.
	Why string
}

// String says it in one line.
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
	next   int64        // the revision that comes next
	prev   record.Entry // the one before
	known  bool         // whether prev is what it was, so that next can be held to it

	touched record.Touched
	partial bool // whether an entry was left out of touched

	policyRev int64 // the newest that a decision names
}

func newChain(r record.Record, fault func(Fault)) *chain {
	return &chain{record: r, fault: fault, next: 1, known: true}
}

func (c *chain) say(kind Kind, from, to int64) {
	r := c.record
	c.fault(Fault{Kind: kind, Org: r.Org, Event: r.Event, Type: r.Type, Record: r.ID, From: from, To: to})
}

// add takes the next stored entry, by rising revision.
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
		// A move keeps the newest entry apart before it is made; one that was
		// then not made leaves a copy.
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

// follows reports whether an entry goes on where the one before it ended.
func (c *chain) follows(e record.Entry) {
	switch {
	case !c.known:
	case e.Prev != c.prev.Hash:
		c.say(EntryMoved, e.Rev, e.Rev)
	case e.From != c.prev.To || e.Move != record.Edit && c.prev.Input != "" && e.Input != c.prev.Input:
		c.say(RecordAltered, c.prev.Rev, c.prev.Rev)
	}
}

// decided reports a decision of somebody who may not make it. Entries of a program
// that did not keep the role prove nothing.
func (c *chain) decided(e record.Entry) {
	c.policyRev = max(c.policyRev, e.PolicyRev)
	if e.By.Role != identity.RoleNone && !record.Entitled(e.Move, e.By.Role) {
		c.say(NotEntitled, e.Rev, e.Rev)
	}
}

// skipTo says what is missing before a revision.
func (c *chain) skipTo(rev int64) {
	if rev > c.next {
		c.say(EntryMissing, c.next, rev-1)
		c.next, c.known, c.partial = rev, false, true
	}
}

// end takes the newest entry, which is in the record.
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
