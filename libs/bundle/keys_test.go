package bundle_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
)

func TestKeysAreMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "keys", "reports")
	if _, err := bundle.OpenKeys(dir, false); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("no key: %v", err)
	}
	var group sync.WaitGroup
	kids := make([]string, 8)
	for i := range kids {
		group.Go(func() {
			k, err := bundle.OpenKeys(dir, true)
			if err != nil {
				t.Error(err)
				return
			}
			kids[i] = k.Public().Keys[0].KeyID
		})
	}
	group.Wait()
	for _, kid := range kids {
		if kid == "" || kid != kids[0] {
			t.Fatalf("several keys: %v", kids)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("left behind: %v %v", entries, err)
	}
	if info, _ := entries[0].Info(); info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v", info.Mode())
	}

	// A later file takes over; the earlier key stays published.
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	later := filepath.Join(dir, "000002.pem")
	if err := os.WriteFile(later, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := bundle.OpenKeys(dir, true)
	if err != nil || len(k.Public().Keys) != 2 || k.Public().Keys[1].KeyID != kids[0] {
		t.Fatalf("%v %+v", err, k)
	}
	built, err := bundle.Build(source(t))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := k.Sign(built.Bundle)
	if err != nil || signed.Signature.KeyID != k.Public().Keys[0].KeyID || signed.Signature.Key != k.Public().Keys[0].X {
		t.Fatalf("%v %+v", err, signed.Signature)
	}

	if err := os.Chmod(later, 0o644); err != nil { //nolint:gosec // what is refused
		t.Fatal(err)
	}
	if _, err := bundle.OpenKeys(dir, true); err == nil || !strings.Contains(err.Error(), "0600") {
		t.Fatalf("a key for everybody: %v", err)
	}
	if err := os.WriteFile(later, []byte("secret text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.OpenKeys(dir, true); err == nil || strings.Contains(err.Error(), "secret") {
		t.Fatalf("no key: %v", err)
	}
}

// TestAReportKeyIsAnnouncedBeforeItIsThere: a key that cannot be announced is not added, and what a killed process left
// beside the keys is removed.
func TestAReportKeyIsAnnouncedBeforeItIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, ".abcdefghijklmnopqrstuvwxyz.partial")
	if err := os.WriteFile(left, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := bundle.OpenKeys(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished key is there: %v", err)
	}
	first, refused := keys.Public().Keys[0].KeyID, errors.New("refused")
	if _, err := bundle.AddKey(dir, func(string) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a key was added unannounced: %v", err)
	}
	told := ""
	kid, err := bundle.AddKey(dir, func(kid string) error {
		told = kid
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if keys, err = bundle.OpenKeys(dir, false); err != nil {
		t.Fatal(err)
	}
	if now := keys.Public().Keys; len(now) != 2 || now[0].KeyID != kid || kid != told || now[1].KeyID != first {
		t.Errorf("%q was announced and %q added: %+v", told, kid, now)
	}
}
