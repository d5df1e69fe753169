package calculation_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation"
)

// ending are tokens whose sessions can end.
type ending struct {
	tokens

	ended atomic.Bool
}

func (e *ending) Verify(ctx context.Context, token string) (identity.Principal, error) {
	if e.ended.Load() {
		return identity.Principal{}, identity.NotAdmitted()
	}
	return e.tokens.Verify(ctx, token)
}

// TestDecisionsEndWithTheRight: a decision whose figures took so long to calculate that the session of the caller, or
// the caller's place in the team, has ended meanwhile changes nothing.
func TestDecisionsEndWithTheRight(t *testing.T) {
	t.Parallel()
	const change = "/events/e1/changes/p1"
	for path, body := range map[string]any{
		"/events/e1/factor-set": map[string]any{"engine": footprint.Engine5},
		"/events/e1/sign-off":   map[string]any{"revision": 2, "statement": "So it is."},
		change + "/approve":     nil,
		change + "/assess":      nil,
	} {
		for name, revoke := range map[string]struct {
			do     func(s *service, sessions *ending)
			status int
			code   string
		}{
			"session": {func(_ *service, sessions *ending) { sessions.ended.Store(true) }, http.StatusUnauthorized, "UNAUTHENTICATED"},
			"team": {func(s *service, _ *ending) {
				ev := s.eventNow()
				ev.Team = []record.TeamMember{{ID: "u-other", Role: record.TeamReviewer}}
				ev.Rev++
				if err := s.records.ReplaceEvent(s.t.Context(), org, ev, ev.Rev-1); err != nil {
					s.t.Error(err)
				}
			}, http.StatusNotFound, "EVENT_NOT_FOUND"},
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
				s.settle()
				s.propose("p1", record.EventChanged, func(e *record.Event) { e.Attendees = new(int64(999)) })
				var sessions ending
				s.deps.Verifier = &sessions
				var err error
				if s.app, err = calculation.New(s.deps); err != nil {
					t.Fatal(err)
				}
				began := false
				s.records.reading = func() {
					if !began {
						began = true
						revoke.do(s, &sessions)
					}
				}
				s.call(http.MethodPost, "/api/v2"+path, manager, body).wantError(revoke.status, revoke.code)
				ev := s.eventNow()
				if !began || ev.Gate.State != record.GateOpen || len(ev.Proposals) != 1 || len(ev.Proposals[0].Effect) > 0 || ev.Context().EngineVersion() == footprint.Engine5 {
					t.Errorf("began %t, the event is %+v", began, ev)
				}
			})
		}
	}
}
