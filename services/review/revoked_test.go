package review_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/review"
)

// TestDecisionsOfManyEndWithTheRight: decisions on many records end when the session of the caller ends, however long
// each takes.
func TestDecisionsOfManyEndWithTheRight(t *testing.T) {
	t.Parallel()
	const records = 60
	h := start(t, record.Policy{})
	ids := make([]record.ID, records)
	for i := range ids {
		ids[i] = h.submitted("ada").ID
	}
	text, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		t.Fatal(err)
	}
	var verifier webtest.Sessions
	var decided, now atomic.Int64
	store := recordtest.Replaced{Store: h.store, After: func() {
		now.Add(int64(time.Second)) // each takes a second
		if decided.Add(1) == 10 {
			verifier.End()
		}
	}}
	h.app, err = review.New(review.Deps{Store: store, Notifier: h, Verifier: &verifier, Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return h.now().Add(time.Duration(now.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	if a := h.post(planck, "/review/approve", string(text)); a.status != http.StatusUnauthorized {
		t.Errorf("%d %s", a.status, a.code)
	}
	// Those that are decided concurrently with the revocation end.
	if n := decided.Load(); n < 10 || n > 30 {
		t.Errorf("%d of %d were decided", n, records)
	}
}
