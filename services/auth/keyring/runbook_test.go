package keyring_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// TestKeysOfTheRunbook runs the commands of the runbook that make keys for the secret of a cluster, with kubectl replaced
// by nothing: the first key signs, the second is published and signs later.
func TestKeysOfTheRunbook(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"openssl", "base64"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	text, err := os.ReadFile("../../../docs/runbooks/accounts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "- **Rotate the signing keys**")
	section, _, _ = strings.Cut(section, "\n- **")
	commands := regexp.MustCompile(`(?m)^      .*$`).FindAllString(section, -1)
	if len(commands) < 4 {
		t.Fatalf("the section has the commands %q", commands)
	}
	dir := t.TempDir()
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "kubectl() { :; }\n"+strings.Join(commands, "\n")) //nolint:gosec // of this repository
	shell.Dir = dir
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the commands made %v: %v", files, err)
	}
	now := time.Now()
	ring, err := keyring.Open(keyring.Options{Dir: dir, TokenLife: time.Hour, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ring.JWKS().Keys); n != 2 {
		t.Errorf("%d keys are published", n)
	}
	first := signer(t, ring)
	now = now.Add(9 * time.Minute)
	if got := signer(t, ring); got != first {
		t.Error("the second key signs before its time")
	}
	now = now.Add(2 * time.Minute)
	if got := signer(t, ring); got == first {
		t.Error("the second key does not sign")
	}
}
