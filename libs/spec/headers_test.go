package spec

import (
	"strings"
	"testing"
)

// TestWhatARequestAsksForIsAnswered: who may send a header field finds the one of the
// answer that belongs to it with each success, and every body may be taken strictly.
func TestWhatARequestAsksForIsAnswered(t *testing.T) {
	t.Parallel()
	seen := 0
	for path, item := range object(tree(t)["paths"]) {
		for method, o := range object(item) {
			operation := object(o)
			id := str(operation["operationId"])
			if id == "" {
				continue // parameters and servers of the path
			}
			asks := map[string]bool{}
			for _, p := range append(list(object(item)["parameters"]), list(operation["parameters"])...) {
				name, _ := strings.CutPrefix(str(object(p)["$ref"]), "#/components/parameters/")
				asks[name] = true
			}
			if operation["requestBody"] != nil && !asks["Prefer"] {
				t.Errorf("%s (%s %s) takes a body and no Prefer", id, method, path)
			}
			for status, a := range object(operation["responses"]) {
				if status[0] != '2' {
					continue
				}
				for parameter, field := range map[string]string{
					"DryRun": "X-Dry-Run", "IdempotencyKey": "Idempotent-Replayed", "IfNoneMatch": "ETag", "Prefer": "Preference-Applied",
				} {
					seen++
					if asks[parameter] && object(object(a)["headers"])[field] == nil {
						t.Errorf("%s %s takes %s and answers no %s", id, status, parameter, field)
					}
				}
			}
		}
	}
	if seen < 400 {
		t.Errorf("only %d answers were seen", seen/4)
	}
}
