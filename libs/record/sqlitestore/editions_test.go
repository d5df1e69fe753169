package sqlitestore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
)

// An event has at most fifty editions: the fiftieth is signed, and a sign-off for another one does not close the
// gate.
func TestAnEventHasFiftyEditions(t *testing.T) {
	t.Parallel()
	_, store := open(t, filepath.Join(t.TempDir(), "ecf.db"))
	boss := record.Actor{ID: "u2", Name: "Bob", Role: identity.Manager}
	now := time.Now().UTC().Truncate(time.Millisecond)
	signing := signoff.Service{Store: store, Results: signedResults{}, Now: time.Now}
	for had, refused := range map[int]bool{49: false, 50: true} {
		id := record.EventID("after-" + string(rune('A'+had)))
		ev := record.NewEvent("org", id, record.Event{Title: "Gala", Method: record.DefaultMethod}, boss, now)
		for n := range had {
			ev.Editions = append(ev.Editions, record.Edition{Edition: int64(n + 1), Revision: 1})
		}
		if _, err := store.InsertEvent(t.Context(), "org", ev, record.Unlimited); err != nil {
			t.Fatal(err)
		}
		closing, err := signing.Begin(t.Context(), signoff.Request{Org: "org", Event: id, Revision: 1, Statement: "Final.", By: boss})
		if refused {
			if apperr.CodeOf(err) != apperr.EditionLimit {
				t.Errorf("edition %d: %v, want EDITION_LIMIT", had+1, err)
			}
		} else if _, err = signing.Finish(t.Context(), closing); err != nil {
			t.Errorf("edition %d: %v", had+1, err)
		}
		stored, err := store.Event(t.Context(), "org", id)
		if err != nil || len(stored.Editions) != 50 || (stored.Gate.State == record.GateOpen) != refused {
			t.Errorf("after %d editions there are %d, and the gate is %v: %v", had, len(stored.Editions), stored.Gate.State, err)
		}
	}
}
