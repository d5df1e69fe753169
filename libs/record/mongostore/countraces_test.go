package mongostore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
)

// TestCountsHaveOnesOwnWriteWhoeverElseReads lets a writer read the counts after its write, while others read them,
// or change another record, before each command of that read: it always includes its own write.
func TestCountsHaveOnesOwnWriteWhoeverElseReads(t *testing.T) {
	t.Parallel()
	read := map[string]func(ctx context.Context, s *mongostore.Store) (record.Counts, error){
		"of the result": func(ctx context.Context, s *mongostore.Store) (record.Counts, error) {
			counts, err := s.CountByStatus(ctx, org, sub.Event)
			return record.CountsOf(counts), err
		},
		"of the event": func(ctx context.Context, s *mongostore.Store) (record.Counts, error) {
			all, err := s.Summaries(ctx, org, []record.EventID{sub.Event})
			return all[sub.Event].Counts, err
		},
	}
	move := func(s *mongostore.Store, r record.Record, between ...record.Status) record.Record {
		t.Helper()
		next := r
		next.Rev, next.Status = r.Rev+1, between[r.Rev%2]
		must(t, s.ReplaceRecord(t.Context(), org, next, r.Rev))
		return next
	}
	for name, counts := range read {
		for _, others := range []string{"read", "write and read"} {
			t.Run(fmt.Sprint(name, ", others ", others), func(t *testing.T) {
				t.Parallel()
				ours, theirs, in := two(t)
				_, err := theirs.InsertEvent(t.Context(), org, record.Event{ID: sub.Event, Rev: 1}, record.Unlimited)
				must(t, err)
				mine, other := mustInsert(t, theirs, sample(sub, "mine")), mustInsert(t, theirs, sample(sub, "other"))
				other = move(theirs, other, record.Rejected, record.InReview)
				_, err = counts(t.Context(), theirs)
				must(t, err)
				for n, happened := 1, true; happened; n++ {
					mine = move(ours, mine, record.Submitted, record.Approved)
					happened = false
					in.n, in.then = n, func() {
						happened = true
						if others != "read" {
							other = move(theirs, other, record.Rejected, record.InReview)
						}
						_, err := counts(t.Context(), theirs)
						must(t, err)
					}
					got, err := counts(t.Context(), ours)
					must(t, err)
					in.n = 0
					want := map[record.Status]record.Counts{record.Approved: {Approved: 1}, record.Submitted: {Submitted: 1}}[mine.Status]
					want.InReview, want.Rejected = got.InReview, got.Rejected // theirs may be counted yet or not
					if got != want || got.InReview+got.Rejected != 1 {
						t.Errorf("others came before command %d: %+v are counted, and the writer's own record is %s", n, got, mine.Status)
					}
				}
			})
		}
	}
}
