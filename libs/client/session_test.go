package client_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/client"
)

// tokens is a server that takes one access token and returns it for a refresh.
func tokens(t *testing.T, refreshed http.HandlerFunc) (*server, *atomic.Int64) {
	t.Helper()
	var refreshes atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/auth/refresh"):
			refreshes.Add(1)
			refreshed(w, r)
		case strings.HasSuffix(r.URL.Path, "/auth/login"):
			success(w, `{"accessToken":"new","refreshToken":"again","expiresIn":60,"tokenType":"Bearer"}`)
		case r.Header.Get("Authorization") != "Bearer new":
			refuse(w, http.StatusUnauthorized, client.CodeUnauthenticated)
		default:
			success(w, `{"_id":"u"}`)
		}
	})
	return s, &refreshes
}

func fresh(w http.ResponseWriter, _ *http.Request) { success(w, `{"accessToken":"new"}`) }

// Many calls that find their token expired refresh it once.
func TestOneRefreshForAll(t *testing.T) {
	t.Parallel()
	s, refreshes := tokens(t, fresh)
	c, _ := connect(t, s.URL, nil)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := c.Me(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if refreshes.Load() != 1 {
		t.Errorf("%d refreshes", refreshes.Load())
	}
	if got := c.Tokens(); got.AccessToken != "new" || got.RefreshToken != "again" {
		t.Errorf("tokens %+v", got)
	}
}

// A creation whose token has expired keeps its key.
func TestRefreshKeepsTheKey(t *testing.T) {
	t.Parallel()
	s, _ := tokens(t, fresh)
	c, _ := connect(t, s.URL, nil)
	if _, err := c.CreateEvent(t.Context(), client.EventInput{Title: "x"}); err != nil {
		t.Fatal(err)
	}
	if got := s.requests(); len(got) != 3 || got[0].key == "" || got[0].key != got[2].key || got[1].key != "" || got[1].token != "" {
		t.Errorf("%+v", got)
	}
}

// A token that is refused although it is new is not refreshed again and again,
// and a refresh token that is refused is not tried again.
func TestRefreshDoesNotLoop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		refreshed           http.HandlerFunc
		requests, refreshes int
	}{
		"a new token that is refused": {func(w http.ResponseWriter, _ *http.Request) { success(w, `{"accessToken":"bad"}`) }, 6, 2},
		"a refresh token that is refused": {func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusUnauthorized, client.CodeUnauthenticated)
		}, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, refreshes := tokens(t, tt.refreshed)
			c, _ := connect(t, s.URL, nil)
			for range 2 {
				if _, err := c.Me(t.Context()); client.CodeOf(err) != client.CodeUnauthenticated {
					t.Errorf("%v", err)
				}
			}
			if got := len(s.requests()); got != tt.requests || int(refreshes.Load()) != tt.refreshes {
				t.Errorf("%d requests, %d refreshes, want %d and %d", got, refreshes.Load(), tt.requests, tt.refreshes)
			}
			if err := c.Login(t.Context(), "a@b.test", "secret"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Me(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLogoutForgetsTheTokens(t *testing.T) {
	t.Parallel()
	s, _ := tokens(t, fresh)
	c, _ := connect(t, s.URL, nil)
	if err := c.Logout(t.Context(), client.DryRun()); err != nil || c.Tokens().AccessToken != "new" {
		t.Errorf("%v, %+v", err, c.Tokens())
	}
	if err := c.Logout(t.Context()); err != nil || c.Tokens() != (client.TokenBundle{}) {
		t.Errorf("%v, %+v", err, c.Tokens())
	}
}

// A client that has switched stays in the organization when its token expires.
func TestSwitchedClientsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s, _ := tokens(t, fresh)
	c, _ := connect(t, s.URL, nil)
	if err := c.SwitchTo(t.Context(), "org-2"); err != nil {
		t.Fatal(err)
	}
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.requests() {
		if !strings.Contains(r.body, `"organization":"org-2"`) {
			t.Errorf("asked for %s", r.body)
		}
	}
	if len(s.requests()) != 2 || c.Tokens().RefreshToken != "again" {
		t.Errorf("%d requests, tokens %+v", len(s.requests()), c.Tokens())
	}
}
