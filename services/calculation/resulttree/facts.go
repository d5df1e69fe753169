package resulttree

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// The facts of a segment are the data of its records for cross-record checks, derived where those are read anyway: a
// request for a result then reads some twenty values instead of ten thousand records. They are derived data: each
// knows its inputs, and missing or outdated ones are derived by the reader.

// NodeFacts are the stored facts of a segment, as findings.Segment writes them.
type NodeFacts struct {
	NodeID
	Facts []byte
}

// FactsState is the form in which the facts of a segment are stored, and how many of its
// children have changed since.
type FactsState struct {
	Form   int   `json:"form"`
	Behind int64 `json:"behind,omitempty"`
}

const (
	// FactSegments bounds the segments of a type whose facts are stored: records of larger events are not
	// cross-checked.
	FactSegments = 40
	// factsBehind is the fraction of the children (one in so many) that may have changed before facts are stored
	// again, and fewBehind a number that always may. Storing all of them with each approval would write some 70 kB
	// for one line.
	factsBehind = 8
	fewBehind   = 16
)

// factsDue reports whether the facts of a segment must be stored again after another number of its children have
// changed.
func factsDue(stored Node, changed int64) bool {
	s := stored.Detail.Facts
	return stored.Index < FactSegments && (s == nil || s.Form != findings.Form || s.Behind+changed > max(fewBehind, int64(len(stored.Detail.Children))/factsBehind))
}

// factsAfter returns the state of the facts for the next version of a segment if the stored ones still suffice, and
// whether they do not.
func factsAfter(stored, node Node) (state *FactsState, due bool) {
	if node.Index >= FactSegments {
		return nil, false
	}
	s := stored.Detail.Facts
	if s == nil || s.Form != findings.Form || stored.ContextRev != node.ContextRev || engineOf(stored.Contribution) != engineOf(node.Contribution) {
		return nil, true
	}
	behind := s.Behind + int64(len(node.Detail.Changed))
	if behind > max(fewBehind, int64(len(node.Detail.Children))/factsBehind) {
		return nil, true
	}
	return &FactsState{findings.Form, behind}, false
}

// keepFacts sets the facts to store with a segment: none while the stored ones suffice.
func (r Recalculator) keepFacts(ctx context.Context, stored Node, node *Node, counted []record.Counted, parts []part) {
	var due bool
	if node.Detail.Facts, due = factsAfter(stored, *node); !due {
		return
	}
	contribution := make(map[string]json.RawMessage, len(parts))
	for _, p := range parts {
		contribution[p.key] = p.contribution
	}
	summed := make([]record.Counted, 0, len(parts))
	for _, c := range counted {
		if part, ok := contribution[string(c.ID)]; ok {
			c.Contribution = part
			summed = append(summed, c)
		}
	}
	known := ""
	if stored.Detail.Facts != nil {
		// Without them all are derived again.
		if all, err := r.Results.Facts(ctx, node.Org, node.Event, node.Type, node.Index, node.Index); err == nil && len(all) == 1 {
			known = string(all[0].Facts)
		}
	}
	segment, _ := MakeFacts(*node, summed, known)
	if node.Facts = segment.Compact(); node.Facts != nil {
		node.Detail.Facts = &FactsState{Form: findings.Form}
	}
}

// MakeFacts returns the facts of the records that a segment is summed from, under its
// context: those that known, which may be empty, has of the same inputs, and made of the
// others.
func MakeFacts(n Node, summed []record.Counted, known string) (s findings.Segment, made int) {
	s = findings.Segment{ContextRev: n.ContextRev, Engine: engineOf(n.Contribution), Hash: n.Hash,
		Inputs: make([]string, len(summed)), Facts: make([]findings.Fact, len(summed))}
	type of struct {
		id     record.ID
		inputs string
	}
	had := map[of]*findings.Fact{}
	if old, ok := findings.ReadSegment(known); ok && old.ContextRev == s.ContextRev && old.Engine == s.Engine {
		for i := range old.Facts {
			had[of{old.Facts[i].ID, old.Inputs[i]}] = &old.Facts[i]
		}
	}
	var input []byte
	for i, c := range summed {
		input = inputOf(input[:0], c)
		s.Inputs[i] = shortHash(input)
		if f := had[of{c.ID, s.Inputs[i]}]; f != nil {
			s.Facts[i] = *f
			continue
		}
		s.Facts[i] = findings.FactOf(c)
		made++
	}
	return s, made
}

// FactsFit reports whether stored facts are those of a segment: of all its records, under
// its context.
func FactsFit(n Node, stored string) bool {
	s, ok := findings.Under(stored)
	return ok && s.ContextRev == n.ContextRev && s.Engine == engineOf(n.Contribution) && s.Hash == n.Hash
}

// engineOf returns the engine of a contribution; empty for none.
func engineOf(contribution json.RawMessage) string {
	rest, found := bytes.CutPrefix(contribution, []byte(`{"engine":"`))
	name, _, ended := strings.Cut(string(rest[:min(len(rest), 40)]), `"`)
	if !found || !ended {
		return ""
	}
	return name
}
