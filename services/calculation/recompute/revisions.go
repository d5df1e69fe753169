package recompute

import (
	"context"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// revisionsAtOnce is how many revisions of a result are read at a time.
const revisionsAtOnce = 128

// revisions returns the faults of the earlier revisions of a result: missing ones that retention has not dropped, and
// those that do not match the next one's reference.
func (v Verifier) revisions(ctx context.Context, m moment) (faults []error, err error) {
	kept, err := v.Results.Retention(ctx, m.Org, m.ID)
	if record.IsDamage(err) {
		return []error{fmt.Errorf("what is kept of its revisions cannot be read: %w", err)}, nil
	}
	if err != nil {
		return nil, err
	}
	next := m.stored
	for to := m.stored.Revision - 1; to >= 1; to -= revisionsAtOnce {
		from := max(1, to-revisionsAtOnce+1)
		page, err := v.Results.Revisions(ctx, m.Org, m.ID, from, to)
		if record.IsDamage(err) {
			faults = append(faults, fmt.Errorf("of the revisions %d to %d before it one cannot be read: %w", from, to, err))
			continue
		}
		if err != nil {
			return nil, err
		}
		found := make(map[int64]resulttree.Result, len(page))
		for _, r := range page {
			found[r.Revision] = r
		}
		for n := to; n >= from; n-- {
			r, there := found[n]
			switch {
			case !there && kept.Dropped(n):
			case !there:
				// Retention may have dropped it since.
				if kept, err = v.Results.Retention(ctx, m.Org, m.ID); err != nil {
					return nil, err
				}
				if !kept.Dropped(n) {
					faults = append(faults, fmt.Errorf("revision %d before it is missing", n))
				}
			default:
				if fault := m.revision(r, next); fault != nil {
					faults = append(faults, fmt.Errorf("revision %d before it: %w", n, fault))
				}
				next = r
			}
		}
	}
	return faults, nil
}

// revision returns the fault of a revision that is followed by next.
func (s subject) revision(r, next resulttree.Result) error {
	if _, err := r.Sum(); err != nil && footprint.KnownEngine(r.EngineVersion) {
		return fmt.Errorf("its figures cannot be read: %w", err)
	}
	if !s.had(r.ContextRev) || r.ContextRev > next.ContextRev {
		return fmt.Errorf("it is of state %d of its event", r.ContextRev)
	}
	if err := s.made(r); err != nil && !errors.Is(err, errOtherEngine) {
		return err
	}
	if next.Revision == r.Revision+1 && next.Previous != "" && next.Previous != r.Digest() {
		return errors.New("it is not the one that the next revision followed")
	}
	return nil
}
