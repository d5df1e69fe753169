package client

import (
	"encoding/json"
)

// Governed is the answer to a change of an event: what it made or, where a second
// manager has to decide, the proposal. One of the two is nil.
type Governed[T any] struct {
	// Done is what the change made.
	Done *T
	// Proposed is the change that waits for a second manager; nothing of it applies
	// before.
	Proposed *EventChange
}

// UnmarshalJSON reads the data of an answer: a proposal has the member change, and
// nothing else has.
func (g *Governed[T]) UnmarshalJSON(text []byte) error {
	var proposal struct {
		Change *EventChange `json:"change"`
	}
	if err := json.Unmarshal(text, &proposal); err != nil {
		return err
	}
	*g = Governed[T]{Proposed: proposal.Change}
	if g.Proposed != nil {
		return nil
	}
	g.Done = new(T)
	return json.Unmarshal(text, g.Done)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (g Governed[T]) MarshalJSON() ([]byte, error) {
	if g.Proposed != nil {
		return json.Marshal(map[string]any{"change": g.Proposed})
	}
	return json.Marshal(g.Done)
}
