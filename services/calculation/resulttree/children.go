package resulttree

import (
	"errors"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

// Child is one input of a node or a result: a record or another node.
type Child struct {
	// Key is the id of a record, the index of a node, or "type/index" of a top node. It contains no |.
	Key string
	// Hash distinguishes the inputs of a record's revisions; empty for a node.
	Hash string
	// Value is the contribution of a record, as returned by Arithmetic.Total, or the version of a node.
	Value string
}

var errChild = errors.New("resulttree: malformed entry of a node")

// MarshalText writes the stored form. One text per entry is a fifth of the cost
// of reading an object.
func (h Child) MarshalText() ([]byte, error) {
	return []byte(h.Key + "|" + h.Hash + "|" + h.Value), nil
}

// UnmarshalText reads the stored form.
func (h *Child) UnmarshalText(text []byte) error {
	key, rest, ok := strings.Cut(string(text), "|")
	hash, value, both := strings.Cut(rest, "|")
	if !ok || !both {
		return errChild
	}
	h.Key, h.Hash, h.Value = key, hash, value
	return nil
}

// Detail is the part of a node with its inputs and changes.
type Detail struct {
	// Children is ordered by Key.
	Children []Child `json:"holds,omitempty"`
	// Changed is how Children differs from that of the previous version.
	Changed []Change `json:"changed,omitempty"`
	// Causes are those of its records, for a segment, and of its children, for a node above it.
	Causes []Cause `json:"causes,omitempty"`
	// Facts states which facts are stored with a segment; nil: unknown.
	Facts *FactsState `json:"facts,omitempty"`
}

// Change is an entry of a node before and after. An added or removed one has no
// key on the other side.
type Change struct {
	Before Child `json:"before"`
	After  Child `json:"after"`
}

// key returns the key of the entry that changed.
func (c Change) key() string { return max(c.Before.Key, c.After.Key) }

// NodeChanges is what one version of a node changed. A version has one content: once
// it is stored, it is only replaced by a sum that includes it.
type NodeChanges struct {
	Org   record.OrgID
	Event record.EventID
	NodeID
	Version    int64
	ContextRev int64
	Changed    []Change
	Causes     []Cause `json:",omitempty"`
	// Since is the first included version, if retention has merged
	// several; 0 for a single one.
	Since int64 `json:",omitempty"`
}

// compareChildren compares entries by key.
func compareChildren(a, b Child) int { return strings.Compare(a.Key, b.Key) }

// changesBetween compares two ordered lists.
func changesBetween(before, after []Child) []Change {
	var changed []Change
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Key < after[0].Key:
			changed, before = append(changed, Change{Before: before[0]}), before[1:]
		case len(before) == 0 || after[0].Key < before[0].Key:
			changed, after = append(changed, Change{After: after[0]}), after[1:]
		default:
			if before[0] != after[0] {
				changed = append(changed, Change{Before: before[0], After: after[0]})
			}
			before, after = before[1:], after[1:]
		}
	}
	return changed
}
