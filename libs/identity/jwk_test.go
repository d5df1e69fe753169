package identity_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TestThumbprintOfTheRFC verifies the example of RFC 8037, appendix A.3.
func TestThumbprintOfTheRFC(t *testing.T) {
	t.Parallel()
	key, err := identity.JWK{KeyType: "OKP", Curve: "Ed25519", X: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	j, err := identity.NewJWK(key)
	if err != nil {
		t.Fatal(err)
	}
	if want := "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"; j.KeyID != want {
		t.Errorf("thumbprint %s, want %s", j.KeyID, want)
	}
}

// TestOtherKeysAreRefused: a key is of one of the two kinds in both of its members, and whole.
func TestOtherKeysAreRefused(t *testing.T) {
	t.Parallel()
	const (
		octets = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
		// RFC 7515, appendix A.3.
		x, y = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
	)
	for name, c := range map[string]struct {
		key identity.JWK
		ok  bool
	}{
		"Ed25519":               {identity.JWK{KeyType: "OKP", Curve: "Ed25519", X: octets}, true},
		"P-256":                 {identity.JWK{KeyType: "EC", Curve: "P-256", X: x, Y: y}, true},
		"X25519":                {identity.JWK{KeyType: "OKP", Curve: "X25519", X: octets}, false},
		"secp256k1":             {identity.JWK{KeyType: "EC", Curve: "secp256k1", X: x, Y: y}, false},
		"Ed25519 of EC":         {identity.JWK{KeyType: "EC", Curve: "Ed25519", X: octets}, false},
		"P-256 of OKP":          {identity.JWK{KeyType: "OKP", Curve: "P-256", X: x, Y: y}, false},
		"a symmetric key":       {identity.JWK{KeyType: "oct", X: octets}, false},
		"nothing":               {identity.JWK{}, false},
		"x is too short":        {identity.JWK{KeyType: "OKP", Curve: "Ed25519", X: octets[:40]}, false},
		"x is not base64url":    {identity.JWK{KeyType: "OKP", Curve: "Ed25519", X: "+" + octets[1:]}, false},
		"y is missing":          {identity.JWK{KeyType: "EC", Curve: "P-256", X: x}, false},
		"y is not base64url":    {identity.JWK{KeyType: "EC", Curve: "P-256", X: x, Y: y[:42] + "="}, false},
		"a point off the curve": {identity.JWK{KeyType: "EC", Curve: "P-256", X: x, Y: x}, false},
	} {
		if key, err := c.key.PublicKey(); (err == nil) != c.ok {
			t.Errorf("%s: %v, %v", name, key, err)
		}
	}
}

func TestJWKRoundTrip(t *testing.T) {
	t.Parallel()
	ed, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	j, err := identity.NewJWK(ed)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := j.PublicKey(); err != nil || !ed.Equal(back) {
		t.Errorf("Ed25519 came back as %v, %v", back, err)
	}
	j, err = identity.NewJWK(&ec.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := j.PublicKey(); err != nil || !ec.PublicKey.Equal(back) {
		t.Errorf("P-256 came back as %v, %v", back, err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := identity.NewJWK(&p384.PublicKey); err == nil {
		t.Error("a P-384 key was described")
	}
	for name, bad := range map[string]identity.JWK{
		"RSA":       {KeyType: "RSA"},
		"short":     {KeyType: "OKP", Curve: "Ed25519", X: "AAAA"},
		"off curve": {KeyType: "EC", Curve: "P-256", X: j.X, Y: j.X},
		"symmetric": {KeyType: "oct", X: j.X},
	} {
		if _, err := bad.PublicKey(); err == nil {
			t.Errorf("%s: a key was made", name)
		}
	}
}

// publisher serves a JWKS that can change and fail, and counts the requests.
type publisher struct {
	mu    sync.Mutex
	set   identity.JWKS
	fail  bool
	reads atomic.Int64
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.reads.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail {
		http.Error(w, "no", http.StatusServiceUnavailable)
		return
	}
	_ = json.NewEncoder(w).Encode(p.set)
}

func (p *publisher) publish(t *testing.T) string {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	j, err := identity.NewJWK(public)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set.Keys = append(p.set.Keys, j)
	return j.KeyID
}

func (p *publisher) setFail(fail bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = fail
}

type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// TestRemoteKeysOfOtherUses: a key is taken from the document only for signatures, and for the algorithm of its kind.
func TestRemoteKeysOfOtherUses(t *testing.T) {
	t.Parallel()
	p := &publisher{}
	good := p.publish(t)
	for name, change := range map[string]func(j *identity.JWK){
		"for encryption":      func(j *identity.JWK) { j.Use = "enc" },
		"for anything":        func(j *identity.JWK) { j.Use = "" },
		"another algorithm":   func(j *identity.JWK) { j.Algorithm = identity.AlgES256 },
		"no algorithm":        func(j *identity.JWK) { j.Algorithm = "" },
		"of an unknown curve": func(j *identity.JWK) { j.Curve = "Ed448" },
	} {
		p.publish(t)
		last := &p.set.Keys[len(p.set.Keys)-1]
		last.KeyID = name
		change(last)
	}
	server := httptest.NewServer(p)
	defer server.Close()
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL})
	for _, j := range p.set.Keys {
		if _, err := keys.Key(t.Context(), j.KeyID); (err == nil) != (j.KeyID == good) {
			t.Errorf("the key %s: %v", j.KeyID, err)
		}
	}
}

func TestRemoteKeysFollowTheDocument(t *testing.T) {
	t.Parallel()
	p := &publisher{}
	first := p.publish(t)
	server := httptest.NewServer(p)
	defer server.Close()
	var c clock
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL, Now: c.now})

	if _, err := keys.Key(t.Context(), first); err != nil {
		t.Fatalf("the first key: %v", err)
	}
	// Anybody can invent key ids: they cause at most one fetch a second.
	c.advance(time.Second)
	before := p.reads.Load()
	for range 200 {
		if _, err := keys.Key(t.Context(), "made up"); !errors.Is(err, identity.ErrUnknownKey) {
			t.Fatalf("a made-up id: %v", err)
		}
	}
	if n := p.reads.Load() - before; n != 1 {
		t.Errorf("200 made-up ids caused %d readings, want 1", n)
	}
	// A new key is found without a restart.
	second := p.publish(t)
	c.advance(time.Second)
	if _, err := keys.Key(t.Context(), second); err != nil {
		t.Errorf("a key published later: %v", err)
	}
	// A revoked key is rejected after RefreshEvery, without an unknown id.
	p.mu.Lock()
	p.set.Keys = p.set.Keys[1:]
	p.mu.Unlock()
	c.advance(30 * time.Second)
	deadline := time.Now().Add(5 * time.Second)
	for {
		_, err := keys.Key(t.Context(), first)
		if errors.Is(err, identity.ErrUnknownKey) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the key taken back is still given")
		}
	}
}

func TestRemoteKeysWhenThePublisherIsDown(t *testing.T) {
	t.Parallel()
	p := &publisher{fail: true}
	kid := p.publish(t)
	server := httptest.NewServer(p)
	defer server.Close()
	var c clock
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL, Now: c.now})
	if _, err := keys.Key(t.Context(), kid); err == nil || errors.Is(err, identity.ErrUnknownKey) {
		t.Errorf("with nothing read yet: %v, want a failure that is ours", err)
	}
	p.setFail(false)
	c.advance(time.Second)
	if _, err := keys.Key(t.Context(), kid); err != nil {
		t.Fatalf("after the publisher came up: %v", err)
	}
	p.setFail(true)
	c.advance(time.Hour)
	if _, err := keys.Key(t.Context(), kid); err != nil {
		t.Errorf("a key read before the publisher went down: %v", err)
	}
	if _, err := keys.Key(t.Context(), "other"); err == nil || errors.Is(err, identity.ErrUnknownKey) {
		t.Errorf("an unknown key while the publisher is down: %v, want a failure that is ours", err)
	}
	c.advance(time.Hour)
	if err := keys.Ready(t.Context()); err != nil {
		t.Errorf("what has keys is not ready while the publisher is down: %v", err)
	}
}

// TestRemoteKeysAreReadyOnceTheyWereRead: readiness begins with the first document, and does not need the publisher again.
func TestRemoteKeysAreReadyOnceTheyWereRead(t *testing.T) {
	t.Parallel()
	p := &publisher{fail: true}
	p.publish(t)
	server := httptest.NewServer(p)
	defer server.Close()
	var c clock
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL, Now: c.now})
	if err := keys.Ready(t.Context()); err == nil {
		t.Error("ready without keys")
	}
	if err := keys.Ready(t.Context()); err == nil {
		t.Error("ready without keys, asked again at once")
	}
	p.setFail(false)
	c.advance(time.Second)
	for range 2 {
		if err := keys.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		c.advance(time.Hour)
	}
	if n := p.reads.Load(); n != 2 {
		t.Errorf("the document was read %d times, want once without success and once with it", n)
	}
}

// TestRemoteKeysAfterTheClockWasSetBack: a new key is found at once, not only when the clock has caught up.
func TestRemoteKeysAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	p := &publisher{}
	kid := p.publish(t)
	server := httptest.NewServer(p)
	defer server.Close()
	var c clock
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL, Now: c.now})
	if _, err := keys.Key(t.Context(), kid); err != nil {
		t.Fatal(err)
	}
	c.advance(-time.Hour)
	if _, err := keys.Key(t.Context(), p.publish(t)); err != nil {
		t.Error(err)
	}
}

// TestASlowPublisherIsAskedOnce: while a fetch lasts, further callers wait for it instead of beginning others.
func TestASlowPublisherIsAskedOnce(t *testing.T) {
	t.Parallel()
	p := &publisher{}
	kid := p.publish(t)
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answer
		p.ServeHTTP(w, r)
	}))
	defer server.Close()
	var c clock
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL, Now: c.now, Client: &http.Client{}})
	var all sync.WaitGroup
	find := func() {
		if _, err := keys.Key(context.Background(), kid); err != nil {
			t.Error(err)
		}
	}
	all.Go(find)
	<-asked
	c.advance(2 * time.Second) // more than the time between two fetches
	// A caller waits no longer than until its own deadline.
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := keys.Key(short, kid); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	close(answer)
	all.Wait()
	find()
	if n := p.reads.Load(); n != 1 {
		t.Errorf("the publisher was asked %d times", n)
	}
}

func TestRemoteKeysUnderConcurrentUse(t *testing.T) {
	t.Parallel()
	p := &publisher{}
	kid := p.publish(t)
	server := httptest.NewServer(p)
	defer server.Close()
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := keys.Key(context.Background(), kid); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := p.reads.Load(); n != 1 {
		t.Errorf("50 callers at once caused %d readings, want 1", n)
	}
}

// TestRemoteKeysKnowAtOnceWhatIsFresh verifies that keys are cached until they have to be
// fetched again, and not after the clock was set back.
func TestRemoteKeysKnowAtOnceWhatIsFresh(t *testing.T) {
	t.Parallel()
	p := &publisher{}
	kid := p.publish(t)
	server := httptest.NewServer(p)
	defer server.Close()
	var c clock
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: server.URL, Now: c.now, RefreshEvery: time.Minute})
	if _, ok := keys.KeyAt(kid, c.now()); ok {
		t.Error("a key is known before any was read")
	}
	want, err := keys.Key(t.Context(), kid)
	if err != nil {
		t.Fatal(err)
	}
	for after, fresh := range map[time.Duration]bool{0: true, time.Minute - 1: true, time.Minute: false, -1: false} {
		if key, ok := keys.KeyAt(kid, c.now().Add(after)); ok != fresh || ok && !key.(ed25519.PublicKey).Equal(want) {
			t.Errorf("after %v: known %t, want %t", after, ok, fresh)
		}
	}
	if _, ok := keys.KeyAt("made up", c.now()); ok {
		t.Error("a made-up id is known")
	}
}
