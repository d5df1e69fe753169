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
