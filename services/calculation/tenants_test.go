package calculation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// careless is a store that reads events regardless of the organization.
type careless struct{ resulttree.Records }

func (c careless) EventContext(ctx context.Context, _ record.OrgID, id record.EventID) (record.Event, error) {
	return c.Records.EventContext(ctx, org, id)
}

// Statement 19: a task names the organization of its event, and the worker verifies it. A task with another
// organization calculates, clears and writes nothing, even if the store finds the event.
func TestATaskOfAnotherOrganizationDoesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	marks := func() string {
		t.Helper()
		marked, err := s.records.MarkedRecords(t.Context(), org, s.event.ID, 100)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range marked {
			all = append(all, m.Mark)
		}
		return strings.Join(all, " ")
	}
	before := marks()
	if before == "" {
		t.Fatal("nothing is due")
	}
	unwritten := func(when string) {
		t.Helper()
		if after := marks(); after != before {
			t.Errorf("%s the marks are %q, were %q", when, after, before)
		}
		for _, o := range []record.OrgID{org, other} {
			if r, err := s.results.Result(t.Context(), o, s.event.ID); !errors.Is(err, resulttree.ErrNotFound) {
				t.Errorf("%s %s has a result: %+v %v", when, o, r, err)
			}
			if nodes, err := s.results.Nodes(t.Context(), o, s.event.ID, "waste", 0, 0, 1<<40); err != nil || len(nodes) > 0 {
				t.Errorf("%s %s has nodes: %+v %v", when, o, nodes, err)
			}
		}
	}
	if err := s.worker.Recalculate(t.Context(), other, s.event.ID); err != nil {
		t.Errorf("a task for an event that is not there: %v", err)
	}
	unwritten("after a task of another organization")

	blind := s.worker
	blind.Records = careless{s.worker.Records}
	if err := blind.Recalculate(t.Context(), other, s.event.ID); err == nil || !strings.Contains(err.Error(), "another organization's") {
		t.Errorf("a task for another organization's event: %v", err)
	}
	unwritten("after one that found the event")

	if err := s.worker.Recalculate(t.Context(), org, s.event.ID); err != nil {
		t.Fatal(err)
	}
	if r, err := s.results.Result(t.Context(), org, s.event.ID); err != nil || r.Org != org || marks() != "" {
		t.Errorf("the organization's own task: %+v %v, marks %q", r, err, marks())
	}
}
