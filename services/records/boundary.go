package records

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/spelling"
)

type boundary struct {
	Included []string   `json:"included"`
	Excluded []excluded `json:"excluded"`
}

type excluded struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

func readBoundary(r *fields.Reader, event *record.Event) {
	b, ok := r.Object("boundary")
	if !ok {
		return
	}
	read := boundary{Included: []string{}, Excluded: []excluded{}}
	if included, ok := b.Strings("included", maxBoundaryList, 64); ok {
		read.Included = included
	}
	list, _ := b.Objects("excluded", maxBoundaryList)
	for _, x := range list {
		x.Require("type", "reason")
		typ, _ := x.String("type", 1, 64)
		reason, _ := x.String("reason", 1, maxReason)
		read.Excluded = append(read.Excluded, excluded{typ, reason})
	}
	text, err := json.Marshal(read)
	if err != nil {
		return // strings always marshal
	}
	event.Boundary = text
}

// boundaryUnclear is the code of a notice.
const boundaryUnclear = "BOUNDARY_UNCLEAR"

// eventNotices returns what a client is to know of a body with an event.
func eventNotices(r *fields.Reader, event record.Event) []fields.Notice {
	return append(placeNotices(r, event), boundaryNotices(r, event)...)
}

// boundaryNotices returns notices about types in the boundary of a body that do not exist or occur twice. It is stored all the
// same: a boundary is descriptive, and may be about what no record can be made of. Findings compare it with the records.
func boundaryNotices(r *fields.Reader, event record.Event) (notices []fields.Notice) {
	var b boundary
	if !r.Has("boundary") || json.Unmarshal(event.Boundary, &b) != nil {
		return nil
	}
	note := func(path, format string, suggestions []string, args ...any) {
		notices = append(notices, fields.Notice{Code: boundaryUnclear, Field: "boundary." + path, Message: fmt.Sprintf(format, args...), Suggestions: suggestions})
	}
	check := func(typ, path string, before []string) {
		if !slices.Contains(footprint.Types(), typ) {
			note(path, "There is no record type %q, so that no record counts in it; the text is kept.", spelling.Related(typ, footprint.Types(), 2), typ)
		}
		if slices.Contains(before, typ) {
			note(path, "%q is named above in the same list.", nil, typ)
		}
	}
	for i, typ := range b.Included {
		check(typ, fmt.Sprintf("included[%d]", i), b.Included[:i])
	}
	var left []string
	for i, x := range b.Excluded {
		path := fmt.Sprintf("excluded[%d].type", i)
		check(x.Type, path, left)
		if left = append(left, x.Type); slices.Contains(b.Included, x.Type) {
			note(path, "%q is both included and excluded. Leave it out of one of the two.", nil, x.Type)
		}
	}
	return notices
}
