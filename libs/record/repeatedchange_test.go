package record_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

// Adding a proposal repeatedly under its id stores it once.
func TestAProposalIsAddedOnce(t *testing.T) {
	t.Parallel()
	var g record.Governance
	if err := g.AddProposal(record.Proposal{ID: "p1"}); err != nil {
		t.Fatal(err)
	}
	if err := g.AddProposal(record.Proposal{ID: "p1", Comment: "again"}); !errors.Is(err, record.ErrUnchanged) || len(g.Proposals) != 1 || g.Proposals[0].Comment != "" {
		t.Errorf("%v, %+v", err, g.Proposals)
	}
}

// The longest change of an event can be proposed, beside others; the others together are bounded.
func TestTheLongestProposalFits(t *testing.T) {
	t.Parallel()
	list, err := json.Marshal(slices.Repeat([]string{strings.Repeat("\u2028", 1400)}, 50))
	if err != nil {
		t.Fatal(err)
	}
	longest := record.Proposal{ID: "longest", Changed: []record.FieldChange{{Field: "compensation", Before: list, After: list}}}
	short := record.Proposal{ID: "short", Changed: []record.FieldChange{{Field: "attendees", After: json.RawMessage("1")}}}
	for _, order := range [][]record.Proposal{{longest, short}, {short, longest}} {
		var g record.Governance
		for _, p := range order {
			if err := g.AddProposal(p); err != nil {
				t.Errorf("%s after %d others: %v", p.ID, len(g.Proposals), err)
			}
		}
		another := longest
		another.ID = "another"
		if err := g.AddProposal(another); apperr.CodeOf(err) != apperr.ProposalLimit || len(g.Proposals) != 2 {
			t.Errorf("another long one: %v", err)
		}
	}
}

// A change with a name is made once: a repetition is recognized before any other check, whatever its Change would
// return.
func TestAChangeOfAnEventIsMadeOnce(t *testing.T) {
	t.Parallel()
	by := record.Actor{ID: "u1"}
	e := record.NewEvent("acme", "e1", record.Event{Method: record.DefaultMethod}, by, time.Unix(0, 0))
	flow := record.EventFlow{Store: oneEvent{&e}, Now: func() time.Time { return time.Unix(1, 0) }, Once: "the request"}
	change := func() error {
		_, err := flow.Apply(t.Context(), record.EventRequest{Org: "acme", ID: "e1", Action: record.EventChanged, By: by, Gate: record.GateOpen,
			Change: func(e *record.Event) error { e.Title += "x"; e.Gate.State = record.GateSigned; return nil }})
		return err
	}
	if err := change(); err != nil {
		t.Fatal(err)
	}
	if err := change(); !errors.Is(err, record.ErrMade) || e.Title != "x" {
		t.Errorf("%v, title %q", err, e.Title)
	}
	if flow.Once = "another"; errors.Is(change(), record.ErrMade) {
		t.Error("another request is taken for the first")
	}
}

// A method that predates engines is written without one.
func TestAMethodIsSetAsAWhole(t *testing.T) {
	t.Parallel()
	old := record.Event{Method: record.DefaultMethod}
	pinned := old
	pinned.Method.Engine = "2.3.0"
	e := pinned
	if err := e.ApplyChanges(record.EventChanges(pinned, old)); err != nil || e.Method != old.Method {
		t.Errorf("%+v, %v", e.Method, err)
	}
}

// A proposal is repeated only by the same person, for the same change of the same context and for the same reason.
func TestAnotherProposalIsNotARepetition(t *testing.T) {
	t.Parallel()
	first := record.Proposal{ID: "p1", Kind: record.EventChanged, By: record.Actor{ID: "ann"}, Comment: "counted", ContextRev: 3,
		Changed: []record.FieldChange{{Field: "attendees", Before: []byte("20"), After: []byte("21")}}}
	g := record.Governance{Proposals: []record.Proposal{{ID: "p0"}, first}}
	for name, change := range map[string]func(p *record.Proposal){
		"":        func(p *record.Proposal) { p.By.Name, p.Effect, p.ResultRevision = "Ann", []byte("{}"), 9 },
		"person":  func(p *record.Proposal) { p.By.ID = "bob" },
		"kind":    func(p *record.Proposal) { p.Kind = record.EventDeleted },
		"reason":  func(p *record.Proposal) { p.Comment = "" },
		"context": func(p *record.Proposal) { p.ContextRev = 4 },
		"before": func(p *record.Proposal) {
			p.Changed = []record.FieldChange{{Field: "attendees", Before: []byte("19"), After: []byte("21")}}
		},
		"after": func(p *record.Proposal) {
			p.Changed = []record.FieldChange{{Field: "attendees", Before: []byte("20"), After: []byte("22")}}
		},
		"field": func(p *record.Proposal) {
			p.Changed = []record.FieldChange{{Field: "title", Before: []byte("20"), After: []byte("21")}}
		},
		"fields": func(p *record.Proposal) { p.Changed = append(p.Changed[:1:1], record.FieldChange{Field: "title"}) },
	} {
		p := first
		p.ID = "p2"
		change(&p)
		if open, ok := g.Pending(p); ok != (name == "") || ok && open.ID != "p1" {
			t.Errorf("another %s: %s, %t", name, open.ID, ok)
		}
	}
	signing := record.Proposal{ID: "p3", Kind: record.SignedOff, ResultRevision: 4}
	g = record.Governance{Proposals: []record.Proposal{signing}}
	if _, ok := g.Pending(signing); !ok {
		t.Error("a sign-off is not found again")
	}
	signing.ResultRevision = 5
	if _, ok := g.Pending(signing); ok {
		t.Error("a sign-off of another revision is a repetition")
	}
}
