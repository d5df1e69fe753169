package resulttree

import (
	"context"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
)

// History reads the revisions of results consistently during pruning: a revision is never
// returned together with one into which it was merged, or without what was merged into it.
type History struct {
	Results interface {
		Retention(ctx context.Context, org record.OrgID, event record.EventID) (Retention, error)
		Result(ctx context.Context, org record.OrgID, event record.EventID) (Result, error)
		Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]Result, error)
	}
}

// Page returns a page of the kept revisions of an event, newest first, with the newest of
// all and what is kept; ErrNotFound where the event has no result.
func (h History) Page(ctx context.Context, org record.OrgID, event record.EventID, offset, limit int64) (page []Result, newest Result, kept Retention, err error) {
	kept, err = h.Results.Retention(ctx, org, event)
	for err == nil {
		// The newest is read after the retained ones: one read before may have been replaced and merged with older
		// ones.
		if newest, err = h.Results.Result(ctx, org, event); err != nil {
			break
		}
		if page, err = h.page(ctx, kept, newest, offset, limit); err != nil {
			break
		}
		// Retention may drop half of the page meanwhile.
		var now Retention
		if now, err = h.Results.Retention(ctx, org, event); err == nil && now.Version == kept.Version {
			return page, newest, kept, nil
		}
		kept = now
	}
	return nil, newest, kept, err
}

func (h History) page(ctx context.Context, kept Retention, newest Result, offset, limit int64) ([]Result, error) {
	from, to, signed := kept.Page(newest.Revision, offset, limit)
	var page []Result
	if from <= to && to == newest.Revision {
		page, to = append(page, newest), to-1
	}
	if from <= to {
		found, err := h.Results.Revisions(ctx, newest.Org, newest.Event, from, to)
		if err != nil {
			return nil, err
		}
		page = append(page, found...)
	}
	for _, revision := range signed {
		found, err := h.Results.Revisions(ctx, newest.Org, newest.Event, revision, revision)
		if err != nil {
			return nil, err
		}
		page = append(page, found...)
	}
	for i, r := range page {
		var err error
		if page[i], err = h.Whole(ctx, kept, r); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// Whole returns a kept revision with the causes merged into it, even if they have
// not been written yet.
func (h History) Whole(ctx context.Context, kept Retention, r Result) (Result, error) {
	if kept.Pending == 0 || r.Revision <= kept.Pending || r.Revision > kept.Floor {
		return r, nil
	}
	older := int64(0)
	for _, s := range kept.Signed {
		if s < r.Revision {
			older = s
		}
	}
	return h.withOlder(ctx, r, older+1)
}

// withOlder returns a revision with the causes of those from first on. It does nothing if they are already included.
func (h History) withOlder(ctx context.Context, r Result, first int64) (Result, error) {
	if first >= r.Revision || r.Since == first {
		return r, nil
	}
	between, err := h.Results.Revisions(ctx, r.Org, r.Event, first, r.Revision-1)
	if err != nil {
		return r, err
	}
	// They are removed after it was replaced, so they are all of them if it has not been.
	found, err := h.Results.Revisions(ctx, r.Org, r.Event, r.Revision, r.Revision)
	if err != nil {
		return r, err
	}
	if len(found) == 1 && found[0].Since == first {
		return found[0], nil
	}
	slices.Reverse(between)
	var causes []Cause
	for _, one := range append(between, r) {
		if len(one.Causes) == 0 {
			causes = MergeCauses(causes, Cause{Action: ActionUnknown})
		}
		causes = MergeCauses(causes, one.Causes...)
	}
	r.Since, r.Causes = first, orderedCauses(causes)
	return r, nil
}

// mostReadings bounds how often Span rereads revisions dropped meanwhile. Between two retained revisions one more
// read finds the merged one.
const mostReadings = 3

// Span returns the revisions of an event from ≤ revision ≤ to, newest first, each once:
// those that a later one includes are left out.
func (h History) Span(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]Result, error) {
	for reading := 1; ; reading++ {
		found, err := h.Results.Revisions(ctx, org, event, from, to)
		if err != nil {
			return nil, err
		}
		list, next := found[:0:0], to
		whole := true
		for _, r := range found {
			if r.Revision > next {
				continue
			}
			whole = whole && r.Revision == next
			list = append(list, r)
			next = r.first() - 1
		}
		if whole && next < from || reading == mostReadings {
			return list, nil
		}
	}
}

// first returns the first revision that the causes of a result are of.
func (r Result) first() int64 {
	if r.Since > 0 {
		return r.Since
	}
	return r.Revision
}
