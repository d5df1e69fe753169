package auth_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/services/auth/account"
)

// meanwhileStore runs a function once, before a person is replaced.
type meanwhileStore struct {
	account.Store
	once   sync.Once
	during func()
}

func (s *meanwhileStore) ReplaceUser(ctx context.Context, org string, u account.User, prevRev int64) error {
	if s.during != nil && u.PasswordHash != "" && u.SetupHash == "" {
		s.once.Do(s.during)
	}
	return s.Store.ReplaceUser(ctx, org, u, prevRev)
}

// TestALinkDoesNotOutrunAMembership verifies that the link of an organization sets no password of a person who became a
// member of another one after the link was checked: whoever issued it would gain access there.
func TestALinkDoesNotOutrunAMembership(t *testing.T) {
	t.Parallel()
	store := &meanwhileStore{Store: openSQLite(t)}
	b := setup(t, store)
	root, eve := b.signIn("root@example.com").access, b.signIn("eve@example.org").access
	bob := b.signIn("bob@example.com").access
	link := b.do("POST", "/api/v2/users/"+b.bob.ID+"/setup-link", root, "").text("setupToken")
	_, elsewhere := b.invite(eve, "bob@example.com", "user")
	b.secrets = append(b.secrets, link)
	store.during = func() { b.want(b.accept(bob, elsewhere), http.StatusOK, "") }

	const taken = "purple elephants dance softly"
	b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(link)+`,"password":`+quoted(taken)+`}`), http.StatusUnauthorized, "UNAUTHENTICATED")
	for _, org := range []string{"o1", "o2"} {
		body := `{"email":"bob@example.com","organization":` + quoted(org) + `,"password":`
		b.want(b.do("POST", "/api/v2/auth/login", "", body+quoted(taken)+`}`), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.do("POST", "/api/v2/auth/login", "", body+quoted(goodPass)+`}`), http.StatusOK, "")
	}
	b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(link)+`,"password":`+quoted(taken)+`}`), http.StatusUnauthorized, "UNAUTHENTICATED")
}
