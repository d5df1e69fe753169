package auth_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// askedStore records the reads about people.
type askedStore struct {
	account.Store
	mu    sync.Mutex
	calls []string
}

func (s *askedStore) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
}

// during returns the reads while f runs.
func (s *askedStore) during(f func()) []string {
	s.mu.Lock()
	s.calls = nil
	s.mu.Unlock()
	f()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *askedStore) UserByEmail(ctx context.Context, key string) (account.User, error) {
	s.note("UserByEmail")
	return s.Store.UserByEmail(ctx, key)
}

func (s *askedStore) User(ctx context.Context, org, id string) (account.User, error) {
	s.note("User")
	return s.Store.User(ctx, org, id)
}

func (s *askedStore) Person(ctx context.Context, id string) (account.User, error) {
	s.note("Person")
	return s.Store.Person(ctx, id)
}

func (s *askedStore) Memberships(ctx context.Context, person string) ([]account.User, error) {
	s.note("Memberships")
	return s.Store.Memberships(ctx, person)
}

func (s *askedStore) Former(ctx context.Context, org, former string) (account.User, error) {
	s.note("Former")
	return s.Store.Former(ctx, org, former)
}

func (s *askedStore) TakeInvitation(ctx context.Context, org string, now, since time.Time, limit int) (bool, error) {
	s.note("TakeInvitation")
	return s.Store.TakeInvitation(ctx, org, now, since, limit)
}

func (s *askedStore) InsertUser(ctx context.Context, u account.User) error {
	s.note("InsertUser")
	return s.Store.InsertUser(ctx, u)
}

func (s *askedStore) ReplaceUser(ctx context.Context, org string, u account.User, prevRev int64) error {
	s.note("ReplaceUser")
	return s.Store.ReplaceUser(ctx, org, u, prevRev)
}

func (s *askedStore) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	s.note("AppendAudit")
	return s.Store.AppendAudit(ctx, e)
}

// TestAnInvitationAsksTheSame verifies that whether an address has an account elsewhere
// does not affect the work of an invitation, which its duration would reveal;
// TestAnInvitationTellsNothing verifies the response.
func TestAnInvitationAsksTheSame(t *testing.T) {
	t.Parallel()
	store := &askedStore{Store: openSQLite(t)}
	b := setup(t, store)
	root := b.signIn("root@example.com").access
	b.invite(root, "first@example.net", "user") // cache what is cached of root
	for name, headers := range map[string][]string{"rehearsed": {"X-Dry-Run", "true"}, "made": nil, "with a key": {"Idempotency-Key", "one"}} {
		ask := func(email string) []string {
			return store.during(func() {
				a := b.do("POST", "/api/v2/users", root, `{"email":`+quoted(email)+`,"role":"user"}`, headers...)
				b.want(a, http.StatusCreated, "")
				if token := a.text("setupToken"); token != "" {
					b.secrets = append(b.secrets, token)
				}
			})
		}
		elsewhere, nowhere := name[:2]+"-there@example.org", name[:2]+"-nowhere@example.org"
		b.user("o2", elsewhere, "Somebody", identity.User)
		known, unknown := ask(elsewhere), ask(nowhere)
		if !slices.Equal(known, unknown) || !slices.Contains(known, "Memberships") {
			t.Errorf("%s: %v for who has an account, %v for who has none", name, known, unknown)
		}
	}
}
