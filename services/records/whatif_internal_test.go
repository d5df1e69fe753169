package records

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// manyCounted is a store of an event in which many records count.
type manyCounted struct {
	record.Store
	of map[string]int64
}

func (m manyCounted) CountByStatus(context.Context, record.OrgID, record.EventID) (map[record.Status]int64, error) {
	return map[record.Status]int64{record.Approved: 1}, nil
}

func (m manyCounted) Approved(ctx context.Context, _ record.OrgID, sub record.Sub, from, to int64) (all []record.Counted, err error) {
	for n := from; n <= min(to, m.of[sub.Type]); n++ {
		all = append(all, record.Counted{Type: sub.Type, Seq: n, Fields: json.RawMessage(`{"treatment":"landfill","weightKg":1}`)})
	}
	return all, ctx.Err()
}

// TestRehearsalsLetOthersGo: a dry run reads and calculates in parts, yields to other organizations between them, and
// ends when its request is cancelled.
func TestRehearsalsLetOthersGo(t *testing.T) {
	t.Parallel()
	highest := map[string]int64{"waste": 1500, footprint.AttendeeTravel: 600}
	s := &server{Deps: Deps{Store: manyCounted{of: highest}}}
	ev := record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 1}
	turns, most := 0, 1<<30
	gone := errors.New("gone")
	ctx := fairshare.Yielding(t.Context(), func(context.Context) error {
		if turns++; turns > most {
			return gone
		}
		return nil
	})
	_, travel, ok, err := s.counted(ctx, ev, highest)
	if err != nil || !ok || len(travel) != 600 || turns < 1500/whatIfStep {
		t.Errorf("%d of attendee travel, %t, %v, in %d turns", len(travel), ok, err, turns)
	}
	turns = 0
	if err := each(ctx, travel, func(record.Counted) error { return nil }); err != nil || turns < 600/whatIfStep {
		t.Errorf("%v in %d turns", err, turns)
	}
	turns, most = 0, 3
	if _, _, _, err := s.counted(ctx, ev, highest); !errors.Is(err, gone) || turns != 4 {
		t.Errorf("%v after %d turns", err, turns)
	}
}
