package sessions_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
)

type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// store is an authority that writes the copy, as auth does.
type store struct {
	mu    sync.Mutex
	facts map[string]sessions.Facts
	copy  *sessions.Copy
	fail  error
	asked atomic.Int64
}

func (s *store) Facts(ctx context.Context, sid string) (sessions.Facts, error) {
	s.asked.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return sessions.Facts{}, s.fail
	}
	f, ok := s.facts[sid]
	if !ok {
		return sessions.Unknown(sid), nil
	}
	if s.copy != nil {
		_ = s.copy.PutSession(ctx, f.Session)
		_ = s.copy.PutUser(ctx, f.User)
	}
	return f, nil
}

func (s *store) set(f sessions.Facts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts[f.Session.ID] = f
}

type bundle struct {
	clock   *clock
	redis   *miniredis.Miniredis
	copy    *sessions.Copy
	store   *store
	checker *sessions.Checker
	facts   sessions.Facts
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{clock: &clock{}, redis: miniredis.RunT(t)}
	client := redis.NewClient(&redis.Options{Addr: b.redis.Addr(), MaxRetries: -1, DialTimeout: 200 * time.Millisecond})
	t.Cleanup(func() { _ = client.Close() })
	b.copy = sessions.NewCopy(client)
	b.facts = sessions.Facts{
		Session: sessions.Session{ID: "s1", User: "u1", Org: "o1", Epoch: 1, Expires: b.clock.now().Add(time.Hour), Rev: 1},
		User:    sessions.User{ID: "u1", Org: "o1", Role: identity.Manager, Epoch: 1, Rev: 1},
	}
	b.store = &store{facts: map[string]sessions.Facts{}, copy: b.copy}
	b.store.set(b.facts)
	b.checker = sessions.NewChecker(sessions.Options{Copy: b.copy, Authority: b.store, Now: b.clock.now})
	return b
}

func (b *bundle) check(t *testing.T, sid string) identity.State {
	t.Helper()
	s, err := b.checker.Check(t.Context(), sid)
	if err != nil {
		t.Fatalf("check %s: %v", sid, err)
	}
	return s
}

var principal = identity.Principal{UserID: "u1", Org: "o1", Role: identity.Manager, Session: "s1"}

func TestCheckAsksAuthOnceAndThenTheCopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		if s := b.check(t, "s1"); !s.Admits(principal) {
			t.Fatalf("state %+v does not admit %+v", s, principal)
		}
	}
	b.clock.advance(time.Second)
	b.check(t, "s1")
	if n := b.store.asked.Load(); n != 1 {
		t.Errorf("auth was asked %d times, want 1", n)
	}
	// Flushed: nothing is lost, auth is queried again.
	b.redis.FlushAll()
	b.clock.advance(time.Second)
	if s := b.check(t, "s1"); !s.Active || b.store.asked.Load() != 2 {
		t.Errorf("after a flush: %+v, asked %d", s, b.store.asked.Load())
	}
}

func TestAbsentMeansUnknownNotValid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if s := b.check(t, "never"); s.Active {
		t.Errorf("a session nobody knows is %+v", s)
	}
	b.store.fail = errors.New("connection refused")
	_, err := b.checker.Check(t.Context(), "s1")
	if err == nil {
		t.Error("a session was called known though neither the copy nor auth knew")
	}
	if err := identity.Admit(t.Context(), b.checker, principal); apperr.CodeOf(err) != apperr.Unavailable {
		t.Errorf("Admit = %v, want UNAVAILABLE", err)
	}
}

func TestChangesCountWithinASecond(t *testing.T) {
	t.Parallel()
	changes := map[string]func(f *sessions.Facts){
		"session ended":    func(f *sessions.Facts) { f.Session.Ended, f.Session.Rev = true, 2 },
		"user disabled":    func(f *sessions.Facts) { f.User.Disabled, f.User.Rev = true, 2 },
		"role changed":     func(f *sessions.Facts) { f.User.Role, f.User.Rev = identity.User, 2 },
		"password changed": func(f *sessions.Facts) { f.User.Epoch, f.User.Kept, f.User.Rev = 2, "other", 2 },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if err := identity.Admit(t.Context(), b.checker, principal); err != nil {
				t.Fatal(err)
			}
			f := b.facts
			change(&f)
			if err := errors.Join(b.copy.PutSession(t.Context(), f.Session), b.copy.PutUser(t.Context(), f.User)); err != nil {
				t.Fatal(err)
			}
			b.clock.advance(time.Second - sessions.PollEvery)
			if err := identity.Admit(t.Context(), b.checker, principal); apperr.CodeOf(err) != apperr.Unauthenticated {
				t.Errorf("Admit = %v, want UNAUTHENTICATED", err)
			}
		})
	}
}

func TestTheKeptSessionSurvivesItsOwnPasswordChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.facts
	f.User.Epoch, f.User.Kept = 2, "s1"
	if !f.State(b.clock.now()).Active {
		t.Error("the session in which the password was changed has ended")
	}
	f.User.Disabled = true
	if f.State(b.clock.now()).Active {
		t.Error("a disabled user's kept session is active")
	}
}

func TestExpiryNeedsNoWrite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.check(t, "s1")
	b.clock.advance(time.Hour)
	if s := b.check(t, "s1"); s.Active {
		t.Errorf("at its expiry: %+v", s)
	}
}

// TestASlowRefillDoesNotOverwriteTheNewer verifies that a refill that read the store before a
// session was ended does not make it valid again.
func TestASlowRefillDoesNotOverwriteTheNewer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	ended := b.facts.Session
	ended.Ended, ended.Rev = true, 2
	demoted := b.facts.User
	demoted.Role, demoted.Rev = identity.User, 12
	for _, put := range []error{
		b.copy.PutSession(ctx, ended), b.copy.PutSession(ctx, b.facts.Session),
		b.copy.PutUser(ctx, demoted), b.copy.PutUser(ctx, b.facts.User),
	} {
		if put != nil {
			t.Fatal(put)
		}
	}
	f, ok, err := b.copy.Facts(ctx, "s1")
	if err != nil || !ok || !f.Session.Ended || f.User.Role != identity.User {
		t.Errorf("copy = %+v, %v, %v", f, ok, err)
	}
}

// TestTheClockIsPutBack verifies that setting the clock back extends neither the cache nor the
// pause of the copy.
func TestTheClockIsPutBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if s := b.check(t, "s1"); !s.Active {
		t.Fatalf("%+v", s)
	}
	f := b.facts
	f.Session.Ended, f.Session.Rev = true, 2
	if err := b.copy.PutSession(t.Context(), f.Session); err != nil {
		t.Fatal(err)
	}
	b.clock.advance(-time.Hour)
	if s := b.check(t, "s1"); s.Active {
		t.Error("an ended session is active after the clock was put back")
	}
}

func TestRedisDownAsksAuth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.check(t, "s1")
	b.redis.Close()
	for range 5 {
		b.clock.advance(600 * time.Millisecond)
		if s := b.check(t, "s1"); !s.Active {
			t.Fatalf("with Redis down: %+v", s)
		}
	}
	f := b.facts
	f.Session.Ended = true
	b.store.set(f)
	b.clock.advance(600 * time.Millisecond)
	if s := b.check(t, "s1"); s.Active {
		t.Error("an ended session is active with Redis down")
	}
}

func TestACopyInAnotherFormIsAsGoodAsAbsent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, bad := range []string{"", "garbage", "1:", "1:[]", "x:{}", `1:{"role":"root"}`} {
		b.redis.FlushAll()
		if err := b.redis.Set("ecf:session:s1", bad); err != nil {
			t.Fatal(err)
		}
		b.clock.advance(time.Second)
		before := b.store.asked.Load()
		if s := b.check(t, "s1"); !s.Active || b.store.asked.Load() != before+1 {
			t.Errorf("copy %q: %+v, auth asked %d times", bad, s, b.store.asked.Load()-before)
		}
	}
}

func TestManyRequestsOfOneSessionAskOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	slow := authorityFunc(func(ctx context.Context, sid string) (sessions.Facts, error) {
		<-release
		return b.store.Facts(ctx, sid)
	})
	c := sessions.NewChecker(sessions.Options{Authority: slow, Now: b.clock.now})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if s, err := c.Check(context.Background(), "s1"); err != nil || !s.Active {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Check(ctx, "s1"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has left: %v", err)
	}
	close(release)
	wg.Wait()
	if n := b.store.asked.Load(); n > 2 {
		t.Errorf("auth was asked %d times by 50 requests at once", n)
	}
}

type authorityFunc func(context.Context, string) (sessions.Facts, error)

func (f authorityFunc) Facts(ctx context.Context, sid string) (sessions.Facts, error) {
	return f(ctx, sid)
}

func TestRemote(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case sessions.Path + "s1":
			_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": b.facts})
		case sessions.Path + "mixed-up":
			_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": b.facts})
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	r := sessions.NewRemote(server.URL+"/", nil)
	got, err := r.Facts(t.Context(), "s1")
	if err != nil || got.User != b.facts.User || !got.Session.Expires.Equal(b.facts.Session.Expires) {
		t.Errorf("Facts = %+v, %v", got, err)
	}
	// A response that is not from auth is an error, never a state.
	for _, sid := range []string{"mixed-up", "other", "../s1"} {
		if got, err := r.Facts(t.Context(), sid); err == nil {
			t.Errorf("%s: %+v without an error", sid, got)
		}
	}
}

// TestACachedStateEndsInTime verifies that a cached state is inactive from the moment at which its session expires, and
// that it is not used longer because the clock was set back.
func TestACachedStateEndsInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.facts.Session.ID, b.facts.Session.Expires = "short", b.clock.now().Add(200*time.Millisecond)
	b.store.set(b.facts)
	b.check(t, "s1")
	if s := b.check(t, "short"); !s.Active {
		t.Fatalf("before its end: %+v", s)
	}
	b.clock.advance(200 * time.Millisecond)
	if s, ok := b.checker.Recent("short"); !ok || s.Active {
		t.Errorf("at its end: %+v, %v, want a cached state that is not active", s, ok)
	}
	b.clock.advance(-10 * time.Minute)
	if s, ok := b.checker.Recent("s1"); ok {
		t.Errorf("with a clock that was set back: %+v", s)
	}
}

// TestTheAgeOfAStateCountsFromItsReading: a state that took long to read is not used as if it had been read when it came.
func TestTheAgeOfAStateCountsFromItsReading(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slow := authorityFunc(func(ctx context.Context, sid string) (sessions.Facts, error) {
		f, err := b.store.Facts(ctx, sid)
		b.clock.advance(400 * time.Millisecond)
		return f, err
	})
	c := sessions.NewChecker(sessions.Options{Authority: slow, Now: b.clock.now})
	if s, err := c.Check(t.Context(), "s1"); err != nil || !s.Active {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, ok := c.Recent("s1"); !ok {
		t.Error("400 ms after it was read it is not used")
	}
	b.clock.advance(200 * time.Millisecond)
	if s, ok := c.Recent("s1"); ok {
		t.Errorf("600 ms after it was read it is used: %+v", s)
	}
}

// TestACopyThatFailsIsLeftAlone: a Redis that fails is not asked again for a second, so that one that hangs delays one request.
func TestACopyThatFailsIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.check(t, "s1")
	for _, step := range []struct {
		name, failure string
		asked         int64
	}{
		{"it fails", "LOADING", 1}, {"it works, and is not asked yet", "", 1}, {"it is asked again", "", 0},
	} {
		b.redis.SetError(step.failure)
		b.clock.advance(600 * time.Millisecond)
		before := b.store.asked.Load()
		if s := b.check(t, "s1"); !s.Active || b.store.asked.Load() != before+step.asked {
			t.Errorf("%s: %+v, auth asked %d times", step.name, s, b.store.asked.Load()-before)
		}
	}
}
