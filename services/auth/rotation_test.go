package auth_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// TestServerFollowsARotation verifies that the next key is published before it signs,
// that the former one verifies until its last token has expired and is then removed,
// and that the server follows without a restart or rejecting a valid token (statement
// 11).
func TestServerFollowsARotation(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	b.follow()
	kidOf := func(token string) string { return keyOf(t, token) }
	published := func(kid string) bool {
		return strings.Contains(b.do("GET", "/.well-known/jwks.json", "", "").body, `"`+kid+`"`)
	}
	in := b.signIn("ada@example.com")
	former := kidOf(in.access)

	// A command in another process, with the same clock.
	ring, err := keyring.Open(keyring.Options{Dir: b.keysDir, TokenLife: time.Hour, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	next, from, err := b.service.RotateKeys(t.Context(), ring)
	if err != nil || !from.After(b.clock.Now()) {
		t.Fatalf("signs from %v, %v", from, err)
	}
	testkit.Eventually(t, 20*time.Second, func() error {
		if !published(next) {
			return fmt.Errorf("%s is not published", next)
		}
		return nil
	})
	if kid := kidOf(b.signIn("ada@example.com").access); kid != former {
		t.Errorf("%s signs before its time", kid)
	}
	b.clock.Advance(keyring.PublishAhead + time.Second)
	last := b.refresh(in.refresh)
	b.want(last, http.StatusOK, "")
	if kid := kidOf(last.text("accessToken")); kid != next {
		t.Errorf("%s signs after its time", kid)
	}
	for _, token := range []string{in.access, last.text("accessToken")} {
		b.want(b.do("GET", "/api/v2/auth/me", token, ""), http.StatusOK, "")
	}
	b.clock.Advance(time.Hour - keyring.PublishAhead - 10*time.Second)
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "") // its last seconds
	b.clock.Advance(2*time.Minute + keyring.PublishAhead)
	if published(former) || !published(next) {
		t.Error("the former key is published after its last token has expired")
	}
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
	b.signIn("ada@example.com")
}

// TestNobodyIsRefusedWhileKeysRotate verifies under load that during two rotations no
// valid token, new or old, is rejected by auth or by a service that reads the published
// keys (statement 11).
func TestNobodyIsRefusedWhileKeysRotate(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	b.follow()
	service := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Now: b.clock.Now,
		Keys: identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: b.base + keys.Path, Now: b.clock.Now})})
	in := b.signIn("ada@example.com")

	var asked atomic.Int64
	var mu sync.Mutex
	signers := map[string]bool{}
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 6 {
		load.Go(func() {
			former := in.access
			for {
				select {
				case <-stop:
					return
				default:
				}
				renewed := b.refresh(in.refresh)
				token := renewed.text("accessToken")
				if renewed.status != http.StatusOK {
					t.Errorf("refresh: %d %s", renewed.status, renewed.body)
					return
				}
				kid := keyOf(t, token)
				for what, token := range map[string]string{"just now": token, "before": former} {
					if a := b.do("GET", "/api/v2/auth/me", token, ""); a.status != http.StatusOK {
						t.Errorf("auth refuses a token of %s, signed by %s: %d %s", what, keyOf(t, token), a.status, a.body)
					}
					if _, err := service.Verify(t.Context(), token); err != nil {
						t.Errorf("a service refuses a token of %s, signed by %s: %v", what, keyOf(t, token), err)
					}
				}
				mu.Lock()
				if !signers[kid] {
					signers[kid], former = true, token // the first of a new key, kept for long
				}
				mu.Unlock()
				asked.Add(1)
			}
		})
	}
	more := func() {
		t.Helper()
		before := asked.Load()
		testkit.Eventually(t, time.Minute, func() error {
			if n := asked.Load() - before; n < 12 && !t.Failed() {
				return fmt.Errorf("%d of 12 rounds have been asked", n)
			}
			return nil
		})
	}
	ring, err := keyring.Open(keyring.Options{Dir: b.keysDir, TokenLife: time.Hour, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		more()
		next, _, err := b.service.RotateKeys(t.Context(), ring)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, 20*time.Second, func() error {
			if !strings.Contains(b.do("GET", keys.Path, "", "").body, `"`+next+`"`) {
				return fmt.Errorf("%s is not published", next)
			}
			return nil
		})
		for passed := time.Duration(0); passed <= keyring.PublishAhead && !t.Failed(); passed += keyring.PublishAhead / 5 {
			more()
			b.clock.Advance(keyring.PublishAhead / 5)
		}
		more()
	}
	close(stop)
	load.Wait()
	if len(signers) != 3 {
		t.Errorf("%d keys have signed, want 3", len(signers))
	}
}

// keyOf returns the id of the key that signed a token.
func keyOf(t *testing.T, token string) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Error(err)
		return ""
	}
	kid, _ := parsed.Header["kid"].(string)
	return kid
}
