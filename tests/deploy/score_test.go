package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exemption is a row of the table in docs/runbooks/kubernetes.md: a check of kube-score
// and the workloads exempt from it, as patterns of OVERLAY/NAME.
type exemption struct {
	check string
	of    []string
	used  map[string]bool
}

func exemptions(t *testing.T) []exemption {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/runbooks/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## kube-score\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| ([^|]+) \\| [^|]{20,} \\|$").FindAllStringSubmatch(section, -1)
	if !found || len(rows) == 0 {
		t.Fatal("docs/runbooks/kubernetes.md has no exemptions of kube-score")
	}
	var list []exemption
	for _, row := range rows {
		e := exemption{check: row[1], used: map[string]bool{}}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			e.of = append(e.of, m[1])
		}
		list = append(list, e)
	}
	return list
}

// TestClusterScores (make test-k8s) verifies that kube-score finds exactly what the
// runbook exempts.
func TestClusterScores(t *testing.T) {
	folder := os.Getenv("ECF_KUBERNETES")
	if folder == "" {
		t.Skip("NOT TESTED: kube-score was not built; run make test-k8s")
	}
	allowed := exemptions(t)
	exempt := func(check, of string) bool {
		known := false
		for _, e := range allowed {
			for _, pattern := range e.of {
				if ok, err := path.Match(pattern, of); err != nil {
					t.Fatal(err)
				} else if ok && e.check == check {
					known, e.used[pattern] = true, true
				}
			}
		}
		return known
	}
	for _, overlay := range []string{dev, prod, operators} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "kube-score"), "score", "--output-format", "json", "-") //nolint:gosec // a test's own command
		cmd.Stdin = strings.NewReader(yamlOf(t, overlay))
		var problems bytes.Buffer
		cmd.Stderr = &problems
		out, _ := cmd.Output() // its exit code says that it has found something
		var objects []struct {
			Object string `json:"object_name"`
			Checks []struct {
				Check    struct{ ID string }
				Grade    int
				Skipped  bool
				Comments []struct{ Summary, Path string }
			}
		}
		if err := json.Unmarshal(out, &objects); err != nil || len(objects) < 40 {
			t.Fatalf("%s: kube-score looked at %d objects: %v\n%s", overlay, len(objects), err, problems.String())
		}
		for _, o := range objects {
			for _, c := range o.Checks {
				if c.Skipped || c.Grade == 10 || exempt(c.Check.ID, overlay+"/"+path.Base(o.Object)) {
					continue
				}
				t.Errorf("%s: %s: %s %v", overlay, o.Object, c.Check.ID, c.Comments)
			}
		}
	}
	for _, e := range allowed {
		for _, pattern := range e.of {
			if !e.used[pattern] {
				t.Errorf("%s is exempt from %s, where it is no longer found", pattern, e.check)
			}
		}
	}
}
