package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReleaseIsChecked verifies that a version can be released only if number,
// changelog, tag and the reference OpenAPI document are consistent.
func TestReleaseIsChecked(t *testing.T) {
	t.Parallel()
	if text := source(t, "Makefile"); !strings.Contains(text, `deploy/release/check.sh "$(VERSION)"`) {
		t.Error("make check-release does not run the check")
	}
	const notes = "# Changelog\n\n## 9.1.0\n- more\n\n## 9.0.0\n- first\n"
	for name, c := range map[string]struct {
		version, changelog, kept, says string
		tag                            string // of an earlier commit
	}{
		"all is well":            {version: "9.1.0", changelog: notes},
		"no version":             {version: "9.1", changelog: notes, says: "is no version"},
		"nothing said":           {version: "9.2.0", changelog: notes, says: "says nothing about 9.2.0"},
		"unreleased changes":     {version: "9.1.0", changelog: "## Unreleased\n- new\n\n" + notes, says: "unreleased changes"},
		"an older version":       {version: "9.0.0", changelog: notes, says: "newest version of CHANGELOG.md is 9.1.0"},
		"a lower number":         {version: "8.9.0", changelog: "## 8.9.0\n- less\n\n" + notes, says: "does not come after 9.1.0"},
		"tagged elsewhere":       {version: "9.1.0", changelog: notes, tag: "v9.1.0", says: "tag of another commit"},
		"a document not kept":    {version: "9.1.0", changelog: notes, kept: "none", says: "make release-spec"},
		"another document kept":  {version: "9.1.0", changelog: notes, kept: "info:\n  version: 9.0.0\npaths: {}\n", says: "make release-spec"},
		"the tag of this commit": {version: "9.1.0", changelog: notes, tag: "v9.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git := func(args ...string) {
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			document := "info:\n  version: 9.0.0\n"
			files := map[string]string{"CHANGELOG.md": c.changelog, "libs/spec/openapi.yaml": document, "libs/spec/released/openapi-9.0.0.yaml": document}
			switch c.kept {
			case "":
			case "none":
				delete(files, "libs/spec/released/openapi-9.0.0.yaml")
			default:
				files["libs/spec/released/openapi-9.0.0.yaml"] = c.kept
			}
			for path, text := range files {
				path = filepath.Join(dir, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.CopyFS(filepath.Join(dir, "deploy/release"), os.DirFS(filepath.Join(root, "deploy/release"))); err != nil {
				t.Fatal(err)
			}
			git("init", "-q")
			git("commit", "-q", "--allow-empty", "-m", "before")
			if c.tag != "" {
				git("tag", c.tag)
			}
			git("commit", "-q", "--allow-empty", "-m", "this")
			if c.says == "" {
				git("tag", "v"+c.version)
			}
			out, err := run(t, nil, "", filepath.Join(dir, "deploy/release/check.sh"), c.version)
			if (err != nil) != (c.says != "") || !strings.Contains(out, c.says) {
				t.Errorf("%v: %q, want %q", err, out, c.says)
			}
		})
	}
}

// TestLastReleaseIsOfThisHistory verifies that the revision of the last release is an
// ancestor of this commit.
func TestLastReleaseIsOfThisHistory(t *testing.T) {
	t.Parallel()
	revision := strings.TrimSpace(source(t, "deploy/release/last"))
	if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(revision) {
		t.Fatalf("deploy/release/last contains %q", revision)
	}
	if out, err := run(t, nil, "", "git", "cat-file", "-e", revision); err != nil {
		t.Skipf("NOT TESTED: this clone has no history: %s", out)
	}
	if out, err := run(t, nil, "", "git", "merge-base", "--is-ancestor", revision, "HEAD"); err != nil {
		t.Errorf("%s is not an ancestor of this commit: %v %s", revision, err, out)
	}
}
