package records

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

// histories has entries of one size for every event.
type histories struct {
	record.Store
	size int
	most int // entries read at a time
}

func (h *histories) EventEntries(_ context.Context, _ record.OrgID, _ record.EventID, from, to int64) (entries []record.EventEntry, err error) {
	for rev := from; rev <= to; rev++ {
		entries = append(entries, record.EventEntry{Rev: rev, Changed: []record.FieldChange{{After: json.RawMessage(bytes.Repeat([]byte(" "), h.size))}}})
	}
	h.most = max(h.most, len(entries))
	return entries, nil
}

// TestLongHistoriesWaitForOneAnother: of the pages of histories that take much memory one organization has one at a
// time; short ones, and those of others, do not wait.
func TestLongHistoriesWaitForOneAnother(t *testing.T) {
	t.Parallel()
	store := &histories{size: longPage / 4}
	s := &server{Deps: Deps{Store: store}, longPages: newLongPageTurns()}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	read := func(ctx context.Context, org record.OrgID) (func(), error) {
		t.Helper()
		turn := s.longPages.of(org)
		entries, err := s.olderEntries(ctx, turn, record.Event{Org: org, ID: "e"}, 3, 60)
		if err == nil && (len(entries) != 58 || entries[0].Rev != 60 || entries[57].Rev != 3) {
			t.Errorf("%d entries", len(entries))
		}
		return turn.end, err
	}
	first, err := read(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(ended, "one"); err == nil {
		t.Error("a second long page is in memory at the same time")
	}
	other, err := read(t.Context(), "two")
	if err != nil {
		t.Fatal(err)
	}
	store.size = 100
	if _, err := read(ended, "one"); err != nil {
		t.Errorf("a short page waited: %v", err)
	}
	store.size = longPage / 4
	first()
	again, err := read(t.Context(), "one")
	if err != nil {
		t.Error(err)
	}
	again()
	other()
	if store.most > historyAtOnce {
		t.Errorf("%d entries were read before the page waited", store.most)
	}
	deadline, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	held, err := read(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer held()
	if _, err := read(deadline, "one"); apperr.CodeOf(err) != apperr.Unavailable {
		t.Errorf("a page whose time ran out: %v", err)
	}
}

// TestLongListsOfEventsWaitForOneAnother: so do lists of events, before they hold more than one read of the store returns.
func TestLongListsOfEventsWaitForOneAnother(t *testing.T) {
	t.Parallel()
	turns, perRead := newLongPageTurns(), int64(10)
	visible := visibleEvents{items: func(_ context.Context, from, to int64) (events []record.Event, err error) {
		for slot := to; slot >= from && slot > to-perRead; slot-- {
			if slot != 5 { // deleted
				events = append(events, record.Event{Slot: slot})
			}
		}
		return events, nil
	}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	read := func(ctx context.Context, org record.OrgID) (*pageTurn, error) {
		t.Helper()
		turn := turns.of(org)
		events, err := visible.wholeRange(ctx, turn, 3, 60)
		if err == nil && (len(events) != 57 || events[0].Slot != 60 || events[56].Slot != 3) {
			t.Errorf("%d events", len(events))
		}
		return turn, err
	}
	first, err := read(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(ended, "one"); err == nil {
		t.Error("a second long list is in memory at the same time")
	}
	other, err := read(t.Context(), "two")
	if err != nil {
		t.Fatal(err)
	}
	defer other.end()
	perRead = 60
	if _, err := read(ended, "one"); err != nil {
		t.Errorf("a short list waited: %v", err)
	}
	perRead = 10
	first.end()
	again, err := read(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	again.end()
}
