package resulttree

import (
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// TestWhenFactsAreStoredAgain: those of another form, context or engine are of no use to readers, who would derive all of
// them again for each request.
func TestWhenFactsAreStoredAgain(t *testing.T) {
	t.Parallel()
	segment := func(state *FactsState) Node {
		n := Node{ContextRev: 1, Contribution: json.RawMessage(`{"engine":"2.3.0"}`)}
		n.Detail.Facts = state
		return n
	}
	for name, c := range map[string]struct {
		state   *FactsState
		change  func(next *Node)
		changed int
		due     bool
	}{
		"none":               {state: nil, due: true},
		"of this form":       {state: &FactsState{Form: findings.Form}},
		"of another form":    {state: &FactsState{Form: findings.Form - 1}, due: true},
		"of another context": {state: &FactsState{Form: findings.Form}, change: func(n *Node) { n.ContextRev = 2 }, due: true},
		"of another engine":  {state: &FactsState{Form: findings.Form}, change: func(n *Node) { n.Contribution = json.RawMessage(`{"engine":"2.4.0"}`) }, due: true},
		"a little behind":    {state: &FactsState{Form: findings.Form, Behind: fewBehind - 1}, changed: 1},
		"too far behind":     {state: &FactsState{Form: findings.Form, Behind: fewBehind}, changed: 1, due: true},
		"of a large event":   {state: nil, change: func(n *Node) { n.Index = FactSegments }},
	} {
		stored := segment(c.state)
		next := segment(nil)
		if c.change != nil {
			c.change(&next)
			stored.Index = next.Index
		}
		for range c.changed {
			next.Detail.Changed = append(next.Detail.Changed, Change{})
		}
		state, due := factsAfter(stored, next)
		if due != c.due {
			t.Errorf("%s: stored again: %t, want %t", name, due, c.due)
		}
		if kept := !c.due && next.Index < FactSegments; kept != (state != nil) || kept && *state != (FactsState{findings.Form, c.state.Behind + int64(c.changed)}) {
			t.Errorf("%s: then %+v", name, state)
		}
		if c.change != nil && next.Index == stored.Index && next.Index == 0 {
			continue // factsDue is asked within one context and engine
		}
		if got := factsDue(stored, int64(c.changed)); got != c.due {
			t.Errorf("%s: due before the write: %t, want %t", name, got, c.due)
		}
	}
}
