package resulttree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

// The part of the model that compares results.

func (s *modelStore) InsertChanges(_ context.Context, c NodeChanges) error {
	key := nodeKey(c.NodeID)
	if s.changes[key] == nil {
		s.changes[key] = map[int64]NodeChanges{}
	}
	if kept, ok := s.changes[key][c.Version]; ok {
		if !slices.Equal(kept.Changed, c.Changed) {
			s.fault = fmt.Errorf("version %d of node %s made two different changes", c.Version, key)
		}
		return nil
	}
	if !s.broken.notKept {
		s.changes[key][c.Version] = c
	}
	return nil
}

func (s *modelStore) Changes(_ context.Context, _ record.OrgID, _ record.EventID, id NodeID, after, to int64) ([]NodeChanges, error) {
	var kept []NodeChanges
	for _, version := range slices.Sorted(maps.Keys(s.changes[nodeKey(id)])) {
		if after < version && version <= to {
			kept = append(kept, s.changes[nodeKey(id)][version])
		}
	}
	return kept, nil
}

// leadsTo checks that the changes found between two results lead from the one
// to the other.
func leadsTo(results interface {
	Node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error)
	Changes(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) ([]NodeChanges, error)
}, older, newer Result) error {
	changed, err := Comparer{Results: results}.Between(context.Background(), older, newer)
	if err != nil {
		return err
	}
	states := map[string]string{}
	if err := json.Unmarshal(older.Contribution, &states); err != nil {
		return err
	}
	for _, c := range changed {
		id := c.key()
		if was, _ := json.Marshal(map[string]string{id: states[id]}); c.Before.Key != "" && c.Before.Value != string(was) {
			return fmt.Errorf("from result %d to %d: %s was %s, the change says %s", older.Revision, newer.Revision, id, was, c.Before.Value)
		}
		delete(states, id)
		if c.After.Key != "" {
			if err := json.Unmarshal([]byte(c.After.Value), &states); err != nil {
				return err
			}
		}
	}
	if got, _ := json.Marshal(states); string(got) != string(newer.Contribution) {
		return fmt.Errorf("the changes from result %d to %d lead to %s, not to %s", older.Revision, newer.Revision, got, newer.Contribution)
	}
	return nil
}

func (g gated) InsertChanges(ctx context.Context, c NodeChanges) error {
	return g.write(func() error { return g.modelStore.InsertChanges(ctx, c) })
}
func (g gated) Changes(ctx context.Context, o record.OrgID, e record.EventID, id NodeID, after, to int64) ([]NodeChanges, error) {
	g.turn()
	return g.read().Changes(ctx, o, e, id, after, to)
}

// checkChanges compares each result that was with the next one and the last.
func (s *modelStore) checkChanges() error {
	if s.result == nil {
		return nil
	}
	revisions := slices.Sorted(maps.Keys(s.kept))
	for i, revision := range revisions {
		next := *s.result
		if i+1 < len(revisions) {
			next = s.kept[revisions[i+1]]
		}
		if err := errors.Join(leadsTo(s, s.kept[revision], next), leadsTo(s, s.kept[revision], *s.result)); err != nil {
			return err
		}
	}
	return nil
}

// checkCauses verifies the causes of a new revision: each record with a changed count is named with its move, and so
// is a change of the event.
func (s *modelStore) checkCauses(next Result) {
	before := Result{Contribution: json.RawMessage("{}")}
	if s.result != nil {
		before = *s.result
	}
	if next.Revision == before.Revision {
		return
	}
	var was, is map[string]string
	if err := errors.Join(json.Unmarshal(s.counted(before.Contribution), &was), json.Unmarshal(s.counted(next.Contribution), &is)); err != nil {
		s.fault = err
		return
	}
	named := func(id, action string) bool {
		return slices.ContainsFunc(next.Causes, func(c Cause) bool {
			return c.Action == action && c.By.ID == "m" && slices.Contains(c.RecordIDs, record.ID(id))
		})
	}
	for id, now := range is {
		if rev, _, _ := strings.Cut(now, "/"); was[id] == "" || !strings.HasPrefix(was[id], rev+"/") {
			if !named(id, string(record.Approve)) {
				s.fault = fmt.Errorf("revision %d counts %s, and no cause names its approval: %+v", next.Revision, id, next.Causes)
			}
		}
	}
	for id := range was {
		// The model has the current state of a removed record, which may be submitted again.
		if is[id] == "" && !named(id, string(record.Reopen)) && !named(id, string(record.Submit)) {
			s.fault = fmt.Errorf("revision %d no longer counts %s, and no cause names its reopening: %+v", next.Revision, id, next.Causes)
		}
	}
	event := slices.ContainsFunc(next.Causes, func(c Cause) bool { return c.Action == ActionEvent })
	if moved := before.Version > 0 && before.ContextRev != next.ContextRev; moved != event {
		s.fault = fmt.Errorf("revision %d: the event changed: %t, a cause says so: %t", next.Revision, moved, event)
	}
}
