package record_test

import (
	"errors"
	"testing"
	"time"

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
}
