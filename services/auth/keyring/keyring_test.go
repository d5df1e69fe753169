package keyring_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

var start = time.Now().UTC().Truncate(time.Second)

func open(t *testing.T, dir string, clock *testkit.Clock) *keyring.Keyring {
	t.Helper()
	k, err := keyring.Open(keyring.Options{Dir: dir, TokenLife: time.Hour, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func kids(k *keyring.Keyring) (ids []string) {
	for _, j := range k.JWKS().Keys {
		ids = append(ids, j.KeyID)
	}
	return ids
}

// announced is the announcement of a key that nobody is told of.
func announced(string, time.Time) error { return nil }

func signer(t *testing.T, k *keyring.Keyring) string {
	t.Helper()
	token, err := k.Sign(identity.TypeID, jwt.RegisteredClaims{Subject: "x"})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jwt.Parse(token, func(tok *jwt.Token) (any, error) { return k.Key(t.Context(), tok.Header["kid"].(string)) })
	if err != nil || parsed.Header["typ"] != identity.TypeID || len(parsed.Header) != 3 {
		t.Fatalf("%+v, %v", parsed, err)
	}
	return parsed.Header["kid"].(string)
}

func TestFirstStartMakesOneKeyWithTightModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data", "keys")
	clock := testkit.NewClock(start)
	k := open(t, dir, clock)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	if info, _ := entries[0].Info(); info.Mode().Perm() != 0o600 || entries[0].Name() != "000001.pem" {
		t.Errorf("%s has mode %v", entries[0].Name(), info.Mode())
	}
	text, err := json.Marshal(k.JWKS())
	if err != nil || strings.Contains(string(text), `"d"`) || !strings.Contains(string(text), `"kty":"OKP"`) {
		t.Errorf("published: %s, %v", text, err)
	}
	if again := open(t, dir, clock); fmt.Sprint(kids(again)) != fmt.Sprint(kids(k)) {
		t.Error("a second start has other keys")
	}
	if kid := signer(t, k); kid != kids(k)[0] {
		t.Error("the key that signs is not published first")
	}
}

func TestManyFirstStartsAtOnceMakeOneKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := testkit.NewClock(start)
	rings := make([]*keyring.Keyring, 8)
	var wg sync.WaitGroup
	for i := range rings {
		wg.Go(func() { rings[i] = open(t, dir, clock) })
	}
	wg.Wait()
	for _, k := range rings {
		if fmt.Sprint(kids(k)) != fmt.Sprint(kids(rings[0])) {
			t.Errorf("keys %v and %v", kids(k), kids(rings[0]))
		}
	}
}

func TestES256(t *testing.T) {
	t.Parallel()
	k, err := keyring.Open(keyring.Options{Dir: t.TempDir(), Algorithm: identity.AlgES256, TokenLife: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	signer(t, k)
	if j := k.JWKS().Keys[0]; j.Algorithm != "ES256" || j.Y == "" {
		t.Errorf("%+v", j)
	}
}

// TestRotation verifies that a new key is published before it signs, that the former
// one verifies until its last token has expired and is then removed, and that no valid
// token is ever rejected (statement 11).
func TestRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := testkit.NewClock(start)
	k, replica := open(t, dir, clock), open(t, dir, clock)
	first := signer(t, k)
	second, from, err := k.Rotate(announced)
	if err != nil || !from.Equal(start.Add(keyring.PublishAhead)) {
		t.Fatalf("Rotate: %v, %v", from, err)
	}
	if err := replica.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		after  time.Duration
		signs  string
		valid  []string
		remain int
	}{
		{0, first, []string{first, second}, 2},
		{keyring.PublishAhead - time.Second, first, []string{first, second}, 2},
		{keyring.PublishAhead, second, []string{first, second}, 2},
		// The last token of the first key was signed a moment before and lives an hour.
		{keyring.PublishAhead + time.Hour, second, []string{first, second}, 2},
		// Clocks differ.
		{keyring.PublishAhead + time.Hour + time.Minute, second, []string{first, second}, 2},
		{keyring.PublishAhead + time.Hour + 2*time.Minute, second, []string{second}, 1},
	} {
		clock.Set(start.Add(at.after))
		for name, ring := range map[string]*keyring.Keyring{"the one that rotated": k, "its replica": replica} {
			if got := signer(t, ring); got != at.signs {
				t.Errorf("%v after: %s signs with %s, want %s", at.after, name, got, at.signs)
			}
			if len(ring.JWKS().Keys) != at.remain {
				t.Errorf("%v after: %s publishes %d keys, want %d", at.after, name, len(ring.JWKS().Keys), at.remain)
			}
			for _, kid := range at.valid {
				if _, err := ring.Key(t.Context(), kid); err != nil {
					t.Errorf("%v after: %s: %v", at.after, name, err)
				}
			}
		}
	}
	if _, err := k.Key(t.Context(), first); !errors.Is(err, identity.ErrUnknownKey) {
		t.Errorf("the retired key: %v", err)
	}
	// The next rotation removes the retired key's file.
	if _, _, err := k.Rotate(announced); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "000001.pem")); !os.IsNotExist(err) {
		t.Errorf("the retired key's file: %v", err)
	}
	if err := replica.Reload(); err != nil || len(kids(replica)) != 2 {
		t.Errorf("the replica has %v, %v", kids(replica), err)
	}
}

// TestRotationsByAClockThatWasAhead: keys are rotated, and the first one retired, while the clock is a day ahead. Once it is
// right the server signs with the first of those that are left, and starts.
func TestRotationsByAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := testkit.NewClock(start)
	k := open(t, dir, clock)
	clock.Advance(24 * time.Hour)
	second, _, err := k.Rotate(announced)
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Hour)
	third, _, err := k.Rotate(announced)
	if err != nil {
		t.Fatal(err)
	}
	clock.Set(start.Add(2 * time.Hour))
	for name, ring := range map[string]*keyring.Keyring{"running": k, "started": open(t, dir, clock)} {
		if got := signer(t, ring); got != second {
			t.Errorf("%s: it signs with %s, want %s, not %s", name, got, second, third)
		}
		if got := fmt.Sprint(kids(ring)); got != fmt.Sprint([]string{second, third}) {
			t.Errorf("%s: published are %s", name, got)
		}
	}
	clock.Advance(25 * time.Hour)
	if got := signer(t, k); got != third {
		t.Errorf("later it signs with %s, want %s", got, third)
	}
}

func TestRotationsAtOnceEachAddAKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := testkit.NewClock(start)
	k := open(t, dir, clock)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, err := k.Rotate(announced); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := k.Reload(); err != nil || len(kids(k)) != 5 {
		t.Errorf("%d keys, %v", len(kids(k)), err)
	}
}

func write(t *testing.T, dir, name string, key any, mode os.FileMode) {
	t.Helper()
	writeBlock(t, dir, name, "PRIVATE KEY", key, mode)
}

// writeBlock writes a key as a PEM block of any type; the mode is exact, whatever the umask.
func writeBlock(t *testing.T, dir, name, block string, key any, mode os.FileMode) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name)
	if err := errors.Join(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: block, Bytes: der}), mode), os.Chmod(file, mode)); err != nil {
		t.Fatal(err)
	}
}

func appendTo(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0) //nolint:gosec // a file of the test
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// TestKeysOfAnOperator verifies keys without a header, made with other tools and
// mounted by an operator.
func TestKeysOfAnOperator(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, first, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "0-first.pem", first, 0o640)
	clock := testkit.NewClock(time.Now())
	k := open(t, dir, clock)
	before := signer(t, k)
	write(t, dir, "0-second.pem", second, 0o600)
	if err := k.Reload(); err != nil {
		t.Fatal(err)
	}
	if signer(t, k) == before || len(kids(k)) != 2 {
		t.Errorf("keys %v", kids(k))
	}
	clock.Advance(2 * time.Hour)
	if len(kids(k)) != 1 {
		t.Errorf("the former key is published two hours later")
	}
	if _, _, err := k.Rotate(announced); err != nil {
		t.Error(err)
	}
	if err := os.Rename(filepath.Join(dir, "0-second.pem"), filepath.Join(dir, "second.pem")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.Rotate(announced); err == nil {
		t.Error("a rotation whose key would not come last succeeded")
	}
}

func TestBadKeyFilesAreRefusedWithoutQuotingThem(t *testing.T) {
	t.Parallel()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, good, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(dir string){
		"readable by everybody": func(dir string) { write(t, dir, "1.pem", good, 0o644) },
		"writable by everybody": func(dir string) { write(t, dir, "1.pem", good, 0o602) },
		"longer than a key": func(dir string) {
			write(t, dir, "1.pem", good, 0o600)
			if err := appendTo(filepath.Join(dir, "1.pem"), make([]byte, 16<<10)); err != nil {
				t.Fatal(err)
			}
		},
		"another block": func(dir string) { writeBlock(t, dir, "1.pem", "PUBLIC KEY", good, 0o600) },
		"RSA":           func(dir string) { write(t, dir, "1.pem", rsaKey, 0o600) },
		"P-384":         func(dir string) { write(t, dir, "1.pem", p384, 0o600) },
		"same key":      func(dir string) { write(t, dir, "1.pem", good, 0o600); write(t, dir, "2.pem", good, 0o600) },
		"no PEM":        func(dir string) { _ = os.WriteFile(filepath.Join(dir, "1.pem"), []byte("hush-hush"), 0o600) },
		"empty":         func(dir string) { _ = os.WriteFile(filepath.Join(dir, "1.pem"), nil, 0o600) },
		"too large":     func(dir string) { _ = os.WriteFile(filepath.Join(dir, "1.pem"), make([]byte, 1<<20), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(dir)
			_, err := keyring.Open(keyring.Options{Dir: dir, TokenLife: time.Hour})
			if err == nil || strings.Contains(err.Error(), "hush") {
				t.Errorf("Open: %v", err)
			}
		})
	}
	// A running replica keeps its keys when an invalid file is added or all are
	// removed.
	dir := t.TempDir()
	k := open(t, dir, testkit.NewClock(start))
	if err := os.WriteFile(filepath.Join(dir, "2.pem"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := k.Reload(); err == nil {
		t.Error("a bad file was read without an error")
	}
	signer(t, k)
	if err := errors.Join(os.Remove(filepath.Join(dir, "2.pem")), os.Remove(filepath.Join(dir, "000001.pem"))); err != nil {
		t.Fatal(err)
	}
	if err := k.Reload(); err == nil {
		t.Error("an empty folder was read without an error")
	}
	signer(t, k)
}

// TestAKeyIsAnnouncedBeforeItIsThere: a key that cannot be announced is not added.
func TestAKeyIsAnnouncedBeforeItIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := keyring.Open(keyring.Options{Dir: dir, TokenLife: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	before := len(k.JWKS().Keys)
	refused := errors.New("refused")
	if _, _, err := k.Rotate(func(string, time.Time) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a key was added unannounced: %v", err)
	}
	told := ""
	kid, _, err := k.Rotate(func(kid string, _ time.Time) error {
		told = kid
		if err := k.Reload(); err != nil || len(k.JWKS().Keys) != before {
			t.Errorf("there are %d keys before the announcement, want %d: %v", len(k.JWKS().Keys), before, err)
		}
		return nil
	})
	if err != nil || kid != told || len(k.JWKS().Keys) != before+1 {
		t.Errorf("%q was announced, %q was added, of %d: %v", told, kid, len(k.JWKS().Keys), err)
	}
}

// TestAnUnfinishedKeyIsRemoved: what a killed process left beside the keys is a private key that nothing needs.
func TestAnUnfinishedKeyIsRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, ".abcdefghijklmnopqrstuvwxyz.partial")
	if err := os.WriteFile(left, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Open(keyring.Options{Dir: dir, TokenLife: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
}

// TestOtherFilesBesideKeysAreNoKeys verifies that what lies beside keys is not read as one: a note of the operator, and the
// hidden file that an editor, or a key that is being written, leaves.
func TestOtherFilesBesideKeysAreNoKeys(t *testing.T) {
	t.Parallel()
	dir, clock := filepath.Join(t.TempDir(), "keys"), testkit.NewClock(start)
	k := open(t, dir, clock)
	want := kids(k)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	another := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	for name, text := range map[string][]byte{"README": []byte("keys of production"), "000002.pem.orig": another, ".000002.pem": another, ".000003.pem.swp": []byte("b0VIM")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Reload(); err != nil || fmt.Sprint(kids(k)) != fmt.Sprint(want) {
		t.Errorf("keys %v, %v; want %v", kids(k), err, want)
	}
}
