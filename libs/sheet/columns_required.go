package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
)

// branch is a way to state a record, with the fields that it requires.
type branch struct {
	Required []string `json:"required"`
	AnyOf    []branch `json:"anyOf"`
}

// neededBy returns the fields that a schema requires, or that one of the ways to state a record requires. The
// distance of a flight is not among them: airports suffice.
func neededBy(schema json.RawMessage) ([]string, error) {
	var all branch
	if err := json.Unmarshal(schema, &all); err != nil {
		return nil, fmt.Errorf("sheet: schema: %w", err)
	}
	needed := slices.Clone(all.Required)
	for i, b := range all.AnyOf {
		if !slices.ContainsFunc(all.AnyOf[:i], func(other branch) bool { return other.enough(b) }) {
			needed = append(needed, b.fields()...)
		}
	}
	return needed, nil
}

// enough reports whether another branch requires more than this one.
func (b branch) enough(other branch) bool {
	return len(b.Required) > 0 && len(b.AnyOf) == 0 && len(other.Required) > len(b.Required) &&
		!slices.ContainsFunc(b.Required, func(name string) bool { return !slices.Contains(other.Required, name) })
}

// fields returns the fields that a branch requires, at any depth.
func (b branch) fields() []string {
	out := slices.Clone(b.Required)
	for _, each := range b.AnyOf {
		out = append(out, each.fields()...)
	}
	return out
}
