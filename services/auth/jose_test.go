package auth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// jose is a Node process that verifies tokens with the package jose.
type jose struct {
	t       *testing.T
	in      io.Writer
	answers *bufio.Scanner
}

// joseLimit is the lifetime of the process, so that a test does not wait for ever.
const joseLimit = 2 * time.Minute

func startJose(t *testing.T) *jose {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), joseLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", "client.mjs")
	cmd.Dir = testkit.NPM(t, "testdata/jose")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends the process
		_ = cmd.Wait() // a relevant error has shown as a missing response
	})
	return &jose{t: t, in: in, answers: bufio.NewScanner(out)}
}

// ask sends one question; refused is jose's error code.
func (j *jose) ask(question map[string]any, answer any) (refused string) {
	j.t.Helper()
	line, err := json.Marshal(question)
	if err != nil {
		j.t.Fatal(err)
	}
	if _, err := j.in.Write(append(line, '\n')); err != nil {
		j.t.Fatal(err)
	}
	if !j.answers.Scan() {
		j.t.Fatalf("jose has no answer to %v: %v", question["ask"], j.answers.Err())
	}
	var failed struct{ Refused string }
	if err := json.Unmarshal(j.answers.Bytes(), &failed); err != nil {
		j.t.Fatal(err)
	}
	if failed.Refused == "" {
		if err := json.Unmarshal(j.answers.Bytes(), answer); err != nil {
			j.t.Fatal(err)
		}
	}
	return failed.Refused
}

// verified is the content of a token as jose returns it.
type verified struct {
	Header  struct{ Alg, Kid, Typ string }
	Payload map[string]any
}

// accessToken and idToken return the jwtVerify options of a resource server and of a
// client.
func accessToken(issuer string) map[string]any {
	return map[string]any{"ask": "verify", "issuer": issuer, "audience": identity.Audience, "typ": identity.TypeAccess, "requiredClaims": []string{"exp", "iat", "jti", "sub", "client_id"}}
}

func idToken(issuer string) map[string]any {
	return map[string]any{"ask": "verify", "issuer": issuer, "audience": identity.ClientID, "requiredClaims": []string{"exp", "iat", "sub"}}
}

func (j *jose) verify(options map[string]any, url, set, token string, now time.Time) (v verified, refused string) {
	j.t.Helper()
	options["url"], options["set"], options["token"] = url, set, token
	if !now.IsZero() {
		options["now"] = now.Format(time.RFC3339Nano)
	}
	refused = j.ask(options, &v)
	return v, refused
}

// TestJoseTakesTheTokens verifies that jose accepts the discovery document, the key set
// and both tokens, and neither token in place of the other (statement 9).
func TestJoseTakesTheTokens(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{identity.AlgEdDSA, identity.AlgES256} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			j := startJose(t)
			addr := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
			uri, name := testkit.MongoDB(t)
			base, e := process(t, map[string]string{
				"ECF_MONGODB_AUTH_URI": withDatabase(uri, name),
				"ECF_ADDR":             addr, "ECF_ISSUER": "http://" + addr, "ECF_DATA_DIR": t.TempDir(), "ECF_SIGNING_ALGORITHM": algorithm,
			})
			operator(t, e)
			in := (&bundle{t: t, base: base}).signIn("ada@example.com")

			var found identity.Discovery
			if refused := j.ask(map[string]any{"ask": "discover", "issuer": base}, &found); refused != "" {
				t.Fatal(refused)
			}
			if found.Issuer != base || !slices.Equal(found.IDTokenAlgsSupported, []string{algorithm}) {
				t.Errorf("%+v", found)
			}
			access, refused := j.verify(accessToken(base), found.JWKSURI, "kept", in.access, time.Time{})
			if refused != "" || access.Header.Alg != algorithm || access.Header.Kid == "" || access.Header.Typ != "at+jwt" || access.Payload["org"] != "o1" {
				t.Errorf("access token: %s, %+v", refused, access)
			}
			id, refused := j.verify(idToken(base), found.JWKSURI, "kept", in.id, time.Time{})
			if refused != "" || id.Header.Alg != algorithm || id.Payload["email"] != "ada@example.com" || id.Payload["sub"] != access.Payload["sub"] {
				t.Errorf("ID token: %s, %+v", refused, id)
			}

			turned := "A"
			signature := strings.LastIndexByte(in.access, '.') + 1
			if in.access[signature:signature+1] == turned {
				turned = "B"
			}
			changed := in.access[:signature] + turned + in.access[signature+1:]
			for what, c := range map[string]struct {
				options map[string]any
				token   string
				want    string
			}{
				"the ID token as access token":      {accessToken(base), in.id, "ERR_JWT_CLAIM_VALIDATION_FAILED"},
				"the access token as ID token":      {idToken(base), in.access, "ERR_JWT_CLAIM_VALIDATION_FAILED"},
				"the access token of another":       {accessToken("https://other.test"), in.access, "ERR_JWT_CLAIM_VALIDATION_FAILED"},
				"a token with one character turned": {accessToken(base), changed, "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"},
			} {
				if _, refused := j.verify(c.options, found.JWKSURI, "kept", c.token, time.Time{}); refused != c.want {
					t.Errorf("%s: %q, want %s", what, refused, c.want)
				}
			}
		})
	}
}

// TestJoseFollowsARotation verifies that jose, which caches the key set, accepts a next
// key of another algorithm, and that once the former key has retired its tokens are
// rejected by clients that fetch the set (statement 11).
func TestJoseFollowsARotation(t *testing.T) {
	t.Parallel()
	j := startJose(t)
	b := setup(t, openSQLite(t))
	b.follow()
	url := b.base + "/.well-known/jwks.json"
	in := b.signIn("ada@example.com")
	first, refused := j.verify(accessToken(issuer), url, "kept", in.access, b.clock.Now())
	if refused != "" || first.Header.Alg != identity.AlgEdDSA {
		t.Fatalf("%s, %+v", refused, first)
	}

	ring, err := keyring.Open(keyring.Options{Dir: b.keysDir, Algorithm: identity.AlgES256, TokenLife: time.Hour, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	next, from, err := b.service.RotateKeys(t.Context(), ring)
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Set(from.Add(time.Second))
	var fresh answer
	testkit.Eventually(t, 20*time.Second, func() error {
		fresh = b.refresh(in.refresh)
		b.want(fresh, http.StatusOK, "")
		second, refused := j.verify(accessToken(issuer), url, "kept", fresh.text("accessToken"), b.clock.Now())
		if refused != "" {
			t.Fatalf("a token of the rotation: %s", refused)
		}
		if second.Header.Kid != next || second.Header.Alg != identity.AlgES256 {
			return fmt.Errorf("%+v signs, want %s", second.Header, next)
		}
		return nil
	})
	if _, refused := j.verify(accessToken(issuer), url, "kept", in.access, b.clock.Now()); refused != "" {
		t.Errorf("a token of the former key in its time: %s", refused)
	}
	// jose verifies as of a time at which the token had not expired, so that only the
	// missing key can be the reason.
	b.clock.Advance(time.Hour + 10*time.Minute)
	fetched := 0
	testkit.Eventually(t, 20*time.Second, func() error {
		fetched++
		_, refused := j.verify(accessToken(issuer), url, fmt.Sprint("fresh ", fetched), in.access, from)
		if refused != "ERR_JWKS_NO_MATCHING_KEY" {
			return fmt.Errorf("a token of the retired key: %q", refused)
		}
		return nil
	})
}
