package record

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Visible reports whether a role may read a record: one below user reads approved
// records only. Any other one is answered as one that does not exist.
func (r Record) Visible(to identity.Role) bool {
	return to.Holds(identity.User) || r.Status == Approved
}

// WithoutComments returns the record as a viewer sees it.
func (r Record) WithoutComments() Record {
	r.ReviewComment = ""
	return r
}

// WithoutComments returns the event as a viewer sees it.
func (e Event) WithoutComments() Event {
	e.Editions = slices.Clone(e.Editions)
	for i, edition := range e.Editions {
		if edition.Withdrawn != nil {
			w := *edition.Withdrawn
			w.Comment = ""
			e.Editions[i].Withdrawn = &w
		}
	}
	return e
}
