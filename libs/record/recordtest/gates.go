package recordtest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func someGovernance() record.Governance {
	boss := record.Actor{ID: "u2", Name: "Bob", Role: identity.Admin}
	return record.Governance{
		UpdatedBy: boss,
		Last: record.EventEntry{
			Rev: 1, Action: record.EventChanged, By: boss, At: start, Comment: "Why.", ContextRev: 1, FourEyes: true, PolicyRev: 3,
			Changed: []record.FieldChange{{Field: "title", Before: json.RawMessage(`"a"`), After: json.RawMessage(`null`)}},
			Change:  "p1", State: "s", Salt: "salt", Prev: "p", Hash: "h",
		},
		Gate: record.Gate{Epoch: 3, State: record.GateClosing, Pending: &record.PendingSignOff{
			Revision: 7, Statement: "Final.", By: boss, At: start, FourEyes: true, Open: json.RawMessage(`{"waiting":2}`), Until: start.Add(time.Minute),
		}},
		Editions: []record.Edition{{
			Edition: 1, Revision: 5, Root: "r", Statement: "First.", By: boss, At: start, FourEyes: true, Open: json.RawMessage(`{}`),
			Withdrawn: &record.Withdrawal{By: boss, At: start, Comment: "Late invoice."},
		}},
		Proposals: []record.Proposal{{
			ID: "p2", Kind: record.EventChanged, By: boss, At: start, Comment: "c", Body: json.RawMessage(`{"country":"FR"}`),
			Changed: []record.FieldChange{{Field: "country", Before: json.RawMessage(`"DE"`), After: json.RawMessage(`"FR"`)}},
			Effect:  json.RawMessage(`{"kg":1}`), ContextRev: 2, ResultRevision: 6,
		}},
		Large: record.LargeChanges{Since: start, Bytes: 5000},
	}
}

func gateTests() []test {
	return []test{
		{"what governs an event is read as it was stored", func(b *bench) {
			e := someEvent(gala)
			e.Governance = someGovernance()
			stored, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)
			e.Slot = stored.Slot
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "inserted", got, e)
			e.Rev, e.Gate, e.Proposals = 2, record.Gate{Epoch: 4}, nil
			e.Editions = append(e.Editions, record.Edition{Edition: 2, Revision: 9, Root: "q", By: e.UpdatedBy, At: start})
			b.must(b.ReplaceEvent(b.Context(), acme, e, 1))
			for name, read := range map[string]func() (record.Event, error){
				"Event":        func() (record.Event, error) { return b.Event(b.Context(), acme, gala) },
				"CurrentEvent": func() (record.Event, error) { return b.CurrentEvent(b.Context(), acme, gala) },
				"EventContext": func() (record.Event, error) { return b.EventContext(b.Context(), acme, gala) },
			} {
				got, err := read()
				b.must(err)
				equal(b, name, got, e)
			}
			_, err = b.CurrentEvent(b.Context(), other, gala)
			b.want(record.ErrNotFound, err)
		}},
		{"the closing events of all organizations are found, and no others", func(b *bench) {
			for i, state := range []record.GateState{record.GateOpen, record.GateClosing, record.GateSigned, record.GateClosing} {
				org := []record.OrgID{acme, other}[i%2]
				e := someEvent(record.EventID(fmt.Sprint("e", i)))
				e.Gate = record.Gate{Epoch: int64(i), State: state}
				_, err := b.InsertEvent(b.Context(), org, e, record.Unlimited)
				b.must(err)
			}
			all, err := b.ClosingEvents(b.Context(), 10)
			b.must(err)
			equal(b, "closing", all, []record.EventRef{{Org: other, Event: "e1"}, {Org: other, Event: "e3"}})
			one, err := b.ClosingEvents(b.Context(), 1)
			b.must(err)
			equal(b, "limited", len(one), 1)
			none, err := b.ClosingEvents(b.Context(), 0)
			b.must(err)
			equal(b, "none", len(none), 0)
			e, err := b.Event(b.Context(), other, "e1")
			b.must(err)
			e.Rev, e.Gate = 2, record.Gate{Epoch: 2}
			b.must(b.ReplaceEvent(b.Context(), other, e, 1))
			all, err = b.ClosingEvents(b.Context(), 10)
			b.must(err)
			equal(b, "after one was opened", all, []record.EventRef{{Org: other, Event: "e3"}})
		}},
		{"a fence rises, keeps the revision, and stops who has read the record before", func(b *bench) {
			records := b.fill(acme, flights, "r", 4)
			b.delete(acme, records[3])
			foreign := b.insert(other, draft(flights, "foreign"))
			b.must(b.Fence(b.Context(), acme, flights, 1, 3, 5))
			b.must(b.Fence(b.Context(), acme, flights, 2, 2, 3)) // lower: no effect
			b.must(b.Fence(b.Context(), acme, flights, 3, 3, 7))
			for i, want := range []int64{5, 5, 7} {
				got := b.read(acme, records[i].Key())
				equal(b, "fence", got.Fence, want)
				equal(b, "revision", got.Rev, int64(1))
			}
			equal(b, "another organization's fence", b.read(other, foreign.Key()).Fence, int64(0))
			stale := next(records[0])
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, stale, 1))
			fresh := next(b.read(acme, records[0].Key()))
			b.replace(acme, fresh)
			equal(b, "after the write", b.read(acme, records[0].Key()).Fence, int64(5))
			ahead := next(b.read(acme, records[1].Key()))
			ahead.Fence = 6
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, ahead, 1))
			b.wantFailure(b.Fence(b.ended(), acme, flights, 1, 3, 9))
		}},
		{"an event keeps that a record of it was approved, and what was decided before conflicts", func(b *bench) {
			read, err := b.InsertEvent(b.Context(), acme, someEvent(gala), record.Unlimited)
			b.must(err)
			unapproved, err := b.EventContext(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event before", unapproved, read)
			b.must(b.SetEverApproved(b.Context(), acme, gala))
			b.must(b.SetEverApproved(b.Context(), acme, gala))
			now, err := b.CurrentEvent(b.Context(), acme, gala)
			b.must(err)
			before := read
			before.EverApproved = true
			equal(b, "event", now, before)
			// A store may remember the event of its last reading.
			again, err := b.EventContext(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event read again", again, before)
			late := read
			late.Rev, late.Title = read.Rev+1, "Decided before"
			b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), acme, late, read.Rev))
			now.Rev, now.Title = read.Rev+1, "Decided after"
			b.must(b.ReplaceEvent(b.Context(), acme, now, read.Rev))
			after, err := b.EventContext(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event after a change", after, now)
			b.want(record.ErrNotFound, b.SetEverApproved(b.Context(), other, gala))
			b.want(record.ErrNotFound, b.SetEverApproved(b.Context(), acme, "event-none"))
			b.wantFailure(b.SetEverApproved(b.ended(), acme, gala))
			// An event from another store keeps it.
			moved := someEvent("moved")
			moved.EverApproved = true
			_, err = b.InsertEvent(b.Context(), acme, moved, record.Unlimited)
			b.must(err)
			got, err := b.Event(b.Context(), acme, "moved")
			b.must(err)
			equal(b, "inserted", got.EverApproved, true)
		}},
		{"entries of events are kept once each and read in their order", func(b *bench) {
			entry := func(rev int64, hash string) record.EventEntry {
				e := someGovernance().Last
				e.Rev, e.Hash = rev, hash
				return e
			}
			for _, rev := range []int64{3, 1, 2} {
				b.must(b.InsertEventEntry(b.Context(), acme, gala, entry(rev, "h")))
			}
			b.must(b.InsertEventEntry(b.Context(), acme, gala, entry(2, "another attempt")))
			b.must(b.InsertEventEntry(b.Context(), acme, fair, entry(1, "fair")))
			b.must(b.InsertEventEntry(b.Context(), other, gala, entry(1, "other")))
			all, err := b.EventEntries(b.Context(), acme, gala, 1, 9)
			b.must(err)
			equal(b, "all", all, []record.EventEntry{entry(1, "h"), entry(2, "h"), entry(3, "h")})
			some, err := b.EventEntries(b.Context(), acme, gala, 2, 2)
			b.must(err)
			equal(b, "some", some, []record.EventEntry{entry(2, "h")})
			none, err := b.EventEntries(b.Context(), acme, gala, 4, 3)
			b.must(err)
			equal(b, "none", len(none), 0)
		}},
		{"a policy keeps its history and what waits for a second administrator", func(b *bench) {
			o := someOrganization(acme)
			b.must(b.InsertOrganization(b.Context(), o))
			by := record.Actor{ID: "u2", Name: "Bob", Role: identity.Admin}
			policy := o.Policy
			policy.RequireReason = true
			o.SetPolicy(policy, 2, by, nil, start)
			o.Pending = &record.PolicyProposal{By: by, At: start}
			o.Rev = 2
			b.must(b.ReplaceOrganization(b.Context(), o, 1))
			got, err := b.Organization(b.Context(), acme)
			b.must(err)
			equal(b, "organization", got, o)
			if len(got.Policies) != 2 || !got.Policy.RequireReason || got.Policy.Rev != 2 {
				b.Errorf("policy %+v, history %+v", got.Policy, got.Policies)
			}
		}},
		{"older states of a policy are stored once, and listed by revision", func(b *bench) {
			state := func(rev int64) record.PolicyEntry {
				return record.PolicyEntry{Rev: rev, At: start.Add(time.Duration(rev) * time.Hour), By: record.Actor{ID: "u2", Name: "Bob", Role: identity.Admin},
					FourEyes: rev%2 == 0, AutoApproveBelowKg: "12.50", SpotCheckOneIn: rev, ConfirmedBy: &record.Actor{ID: "u3", Role: identity.Admin}}
			}
			b.must(b.InsertPolicies(b.Context(), acme, []record.PolicyEntry{state(2), state(0)}))
			b.must(b.InsertPolicies(b.Context(), acme, []record.PolicyEntry{state(0), state(7), state(2)}))
			b.must(b.InsertPolicies(b.Context(), other, []record.PolicyEntry{state(3)}))
			b.must(b.InsertPolicies(b.Context(), acme, nil))
			for _, c := range []struct {
				after int64
				limit int
				want  []record.PolicyEntry
			}{
				{-1, 9, []record.PolicyEntry{state(0), state(2), state(7)}}, {-1, 2, []record.PolicyEntry{state(0), state(2)}},
				{0, 9, []record.PolicyEntry{state(2), state(7)}}, {2, 1, []record.PolicyEntry{state(7)}}, {7, 9, nil}, {-1, 0, nil},
			} {
				got, err := b.PoliciesAfter(b.Context(), acme, c.after, c.limit)
				b.must(err)
				equal(b, "states", got, c.want)
			}
		}},
	}
}
