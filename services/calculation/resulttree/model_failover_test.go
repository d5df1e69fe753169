package resulttree

import (
	"errors"
	"maps"
	"slices"
)

// The part of the model that is a replica set: a write is on the primary first, is acknowledged when a majority has
// it, and is rolled back if the primary changes before. Reads without majority concern see it meanwhile.

// errLost is the error of a write during a change of the primary: its outcome is unknown.
var errLost = errors.New("the primary has changed")

// replicaSet is the primary's state and that of the majority.
type replicaSet struct {
	primary    *modelStore
	committed  *modelStore
	term       int
	localReads bool
}

// commit replicates everything on the primary to a majority: members apply writes in order.
func (r *replicaSet) commit() {
	if r != nil {
		r.committed = r.primary.clone()
	}
}

// failover makes a member with the state of the majority the primary.
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

// read returns the state that a read sees.
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
