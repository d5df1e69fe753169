package spec

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// portable finds the escapes that a pattern may have: of one byte, and of punctuation.
// Others, as of classes of Unicode, mean different things to regular expressions of
// JavaScript with and without its flag u, and nothing to those of Python.
var portable = regexp.MustCompile(`\\(x[0-9A-Fa-f]{2}|[][(){}.*+?|^$/\\-])`)

// TestPatternsAreForEveryValidator: patterns of the document are valid regular expressions in the languages of
// validators.
func TestPatternsAreForEveryValidator(t *testing.T) {
	t.Parallel()
	seen := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s/%d", at, i), item)
			}
		case node:
			if pattern, ok := v["pattern"].(string); ok {
				seen++
				if _, err := regexp.Compile(pattern); err != nil {
					t.Errorf("%s: %v", at, err)
				}
				if rest := portable.ReplaceAllString(pattern, ""); strings.Contains(rest, `\`) || strings.Contains(rest, "(?") {
					t.Errorf("%s: %q has what not every language reads", at, pattern)
				}
			}
			for name, item := range v {
				walk(at+"/"+name, item)
			}
		}
	}
	walk("#", tree(t))
	if seen < 20 {
		t.Errorf("only %d patterns were seen", seen)
	}
}
