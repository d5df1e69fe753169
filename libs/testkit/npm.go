package testkit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// npmLimit bounds the installation of the packages of a test.
const npmLimit = 3 * time.Minute

// npmUnreachable matches the output of npm if the registry cannot be reached, as
// opposed to faulty packages.
var npmUnreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|E40[37]|E50\d|FETCH_ERROR`)

// NPM returns a copy of a directory that has a package.json and a lockfile, with
// exactly the packages of that lockfile in its node_modules. No package runs scripts.
// Packages are fetched once per machine and lockfile; nothing in node_modules may be
// changed. dir is relative to the directory of the test.
//
// The test is skipped, with the reason, if npm is not installed or its registry cannot
// be reached. Any other failure of the installation fails the test.
func NPM(t testing.TB, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("NOT TESTED: npm is not installed, so the packages of %s cannot be used", dir)
	}
	modules, unreachable, err := npmModules(t.Context(), dir)
	switch {
	case unreachable:
		t.Skipf("NOT TESTED: the packages of %s cannot be fetched: %v", dir, err)
	case err != nil:
		t.Fatal(err)
	}
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return work
}

// npmModules installs the packages of the lockfile in dir, unless this machine has
// installed them, and returns the node_modules directory.
func npmModules(ctx context.Context, dir string) (modules string, unreachable bool, err error) {
	hash := sha256.New()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", false, err
		}
		fmt.Fprintf(hash, "%s %d\n%s", name, len(content), content)
		files[name] = content
	}
	root, err := findRoot()
	if err != nil {
		return "", false, err
	}
	cache, unlock, err := lockedCache(root)
	if err != nil {
		return "", false, err
	}
	defer unlock()
	home := filepath.Join(cache, "npm-"+hex.EncodeToString(hash.Sum(nil)[:8]))
	modules = filepath.Join(home, "node_modules")
	if _, err := os.Stat(home); err == nil {
		return modules, false, nil
	}
	partial := home + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", false, err
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return "", false, err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(partial, name), content, 0o644); err != nil {
			return "", false, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, npmLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000")
	cmd.Dir = partial
	if output, err := cmd.CombinedOutput(); err != nil {
		err = fmt.Errorf("npm ci for %s: %w\n%s", dir, err, strings.TrimSpace(string(output)))
		return "", ctx.Err() != nil || npmUnreachable.Match(output), err
	}
	return modules, false, os.Rename(partial, home)
}
