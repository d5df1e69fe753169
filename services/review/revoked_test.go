package review_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/review"
)

// admitting is a verifier whose sessions can end.
type admitting struct {
	webtest.Tokens

	ended atomic.Bool
}

func (a *admitting) Verify(ctx context.Context, token string) (identity.Principal, error) {
	if a.ended.Load() {
		return identity.Principal{}, identity.NotAdmitted()
	}
	return a.Tokens.Verify(ctx, token)
}

// counting calls replaced after each record that is replaced.
type counting struct {
	review.Store

	replaced func()
}

func (s counting) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	err := s.Store.ReplaceRecord(ctx, org, r, prevRev)
	if err == nil {
		s.replaced()
	}
	return err
}

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
	var verifier admitting
	var decided, now atomic.Int64
	store := counting{h.store, func() {
		now.Add(int64(time.Second)) // each takes a second
		if decided.Add(1) == 10 {
			verifier.ended.Store(true)
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
