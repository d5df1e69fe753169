package resulttree

import (
	"errors"
	"maps"
	"slices"
)

// The part of the model that is a replica set: a write is on the primary first,
// is acknowledged when a majority has it too, and is taken back when the primary
// changes before that. Who reads without asking for a majority sees it meanwhile.

// errLost is what a client gets whose write was under way when the primary
// changed: it cannot know what became of it.
var errLost = errors.New("the primary has changed")

// replicaSet is the primary's state and what a majority has of it.
type replicaSet struct {
	primary    *modelStore
	committed  *modelStore
	term       int
	localReads bool
}

// commit makes everything that is on the primary known to a majority: members
// take writes over in their order.
func (r *replicaSet) commit() {
	if r != nil {
		r.committed = r.primary.clone()
	}
}

// failover makes a member the primary that has what a majority has.
func (r *replicaSet) failover() {
	r.term++
	fault := r.primary.fault
	*r.primary = *r.committed.clone()
	r.primary.fault = fault
}

// clone copies everything that writes change in place.
func (s *modelStore) clone() *modelStore {
	c := *s
	c.records, c.nodes, c.kept = maps.Clone(s.records), maps.Clone(s.nodes), maps.Clone(s.kept)
	c.entries, c.changes, c.versions = maps.Clone(s.entries), maps.Clone(s.changes), slices.Clone(s.versions)
	for id, entries := range c.entries {
		c.entries[id] = maps.Clone(entries)
	}
	for id, changes := range c.changes {
		c.changes[id] = maps.Clone(changes)
	}
	return &c
}

// read returns what a read sees.
func (g gated) read() *modelStore {
	if g.set == nil || g.set.localReads {
		return g.modelStore
	}
	return g.set.committed
}

// write makes a write and waits until a majority has it.
func (g gated) write(do func() error) error {
	if g.unit != nil && g.unit.open {
		g.unit.writes = append(g.unit.writes, do)
		return nil
	}
	g.turn()
	if g.set == nil {
		return do()
	}
	term := g.set.term
	if err := do(); err != nil {
		return err
	}
	g.turn()
	if g.set.term != term {
		return errLost
	}
	g.set.commit()
	return nil
}
