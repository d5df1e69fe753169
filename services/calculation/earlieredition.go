package calculation

import (
	"context"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// maxRevisionsBetween bounds the revisions whose causes a report names since the edition before it.
const maxRevisionsBetween = 200

// sinceEdition returns the newest edition that was signed before a result, and the causes of all revisions since; nil
// and the causes of the result alone if there is none.
func (s *server) sinceEdition(ctx context.Context, ev record.Event, result resulttree.Result) (*report.Earlier, []resulttree.Cause, error) {
	var before *record.Edition
	for i, e := range ev.Editions {
		if e.Revision < result.Revision {
			before = &ev.Editions[i]
		}
	}
	if before == nil {
		return nil, result.Causes, nil
	}
	earlier := &report.Earlier{Edition: before.Edition, Revision: before.Revision, SignedAt: before.At}
	to := result.Revision - 1
	if to-before.Revision > maxRevisionsBetween {
		to = before.Revision
	}
	found, err := s.Results.Revisions(ctx, ev.Org, ev.ID, before.Revision, to) // newest first
	if err != nil {
		return nil, nil, err
	}
	var causes []resulttree.Cause
	for _, revision := range slices.Backward(found) {
		if revision.Revision == before.Revision {
			sum, err := revision.Sum()
			if err != nil {
				return nil, nil, err
			}
			earlier.Total = new(sum.Total())
			continue
		}
		causes = resulttree.MergeCauses(causes, revision.Causes...)
	}
	earlier.AllCauses = to == result.Revision-1
	return earlier, resulttree.MergeCauses(causes, result.Causes...), nil
}
