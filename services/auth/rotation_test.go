package auth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// Statement 11: the next key is published before it signs, the former one
// verifies until its last token has expired, and then it is gone; the server
// follows without a restart and refuses no good token in between.
func TestServerFollowsARotation(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	b.follow()
	kidOf := func(token string) string {
		parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Header["kid"].(string)
	}
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
