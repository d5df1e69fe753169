package notify_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheRunbookNamesEveryMetric verifies that the runbook explains every metric of the
// recalculation.
func TestTheRunbookNamesEveryMetric(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "runbooks", "recalculation.md"))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`"ecf\.recalculation\.([a-z_.]+)"`)
	metrics := 0
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		code, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllSubmatch(code, -1) {
			metrics++
			// By its full name, or by its end in a row of several.
			if !regexp.MustCompile("[`.…]" + regexp.QuoteMeta(string(match[1])) + "[`{]").Match(text) {
				t.Errorf("the runbook does not name ecf.recalculation.%s", match[1])
			}
		}
	}
	if metrics < 10 {
		t.Errorf("found only %d metrics; the search has gone blind", metrics)
	}
}
