package spec

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// linted is what the linter says of a document.
type linted struct {
	Totals   struct{ Errors, Warnings, Ignored int }
	Problems []problem
}

type problem struct {
	RuleID   string `json:"ruleId"`
	Severity string
	Message  string
	Location []struct{ Pointer string }
}

// lint runs the linter over a document. The test is skipped if it is not installed.
func lint(t *testing.T, document []byte) linted {
	t.Helper()
	const oldest = 20 // what the linter asks of node
	version, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if err != nil {
		t.Skipf("NOT CHECKED: node does not run, so the document is not linted: %v", err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldest {
		t.Skipf("NOT CHECKED: node is %s, the linter needs %d", bytes.TrimSpace(version), oldest)
	}
	dir := testkit.NPM(t, "testdata/redocly")
	if err := os.WriteFile(filepath.Join(dir, "openapi.yaml"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node_modules/.bin/redocly", "lint", "--config", "redocly.yaml", "--format", "json", "--max-problems", "10000", "openapi.yaml")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run() // which it does when there are errors
	var found linted
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		t.Fatalf("%v, %v\n%s\n%s", failed, err, stdout.String(), stderr.String())
	}
	return found
}

// The linter has nothing to say about the document: no error, no warning.
func TestLinterFindsNothing(t *testing.T) {
	t.Parallel()
	found := lint(t, source(t))
	for _, p := range found.Problems {
		t.Errorf("%s %s at %v: %s", p.Severity, p.RuleID, p.Location, p.Message)
	}
	if found.Totals.Errors+found.Totals.Warnings != 0 {
		t.Errorf("%+v", found.Totals)
	}
	// Only what is looked past on purpose, and all of it still there.
	if found.Totals.Ignored != 20 {
		t.Errorf("%d problems are looked past, 20 are listed", found.Totals.Ignored)
	}
}

// A linter that finds nothing in anything would not be noticed above.
func TestLinterFindsFaults(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(string(source(t)), "operationId: me\n", "operationId: login\n", 1)
	broken = strings.Replace(broken, "        \"431\": {$ref: \"#/components/responses/HeaderTooLarge\"}\n", "", 1)
	broken = strings.Replace(broken, `"attendees": 12,`, `"attendees": "twelve",`, 1)
	found := lint(t, []byte(broken))
	for _, rule := range []string{"operation-operationId-unique", "operation-4xx-response", "no-invalid-schema-examples"} {
		if !slices.ContainsFunc(found.Problems, func(p problem) bool { return p.RuleID == rule }) {
			t.Errorf("%s finds nothing: %+v", rule, found.Problems)
		}
	}
}
