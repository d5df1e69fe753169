package spec

import (
	"maps"
	"slices"
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
				if method == "get" && object(object(a)["headers"])["ETag"] != nil && !asks["IfNoneMatch"] {
					t.Errorf("%s answers an ETag and does not say that it can be asked with it", id)
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

// TestEveryPostTakesAKey: what may be asked twice where an answer was lost happens once,
// or the document says that it writes nothing. Below /auth nothing takes a key.
func TestEveryPostTakesAKey(t *testing.T) {
	t.Parallel()
	document := tree(t)
	said := str(object(document["info"])["description"])
	seen := 0
	for path, item := range object(document["paths"]) {
		operation := object(object(item)["post"])
		if operation == nil || strings.HasPrefix(path, "/auth/") {
			continue
		}
		seen++
		keyed := slices.ContainsFunc(list(operation["parameters"]), func(p any) bool {
			return str(object(p)["$ref"]) == "#/components/parameters/IdempotencyKey"
		})
		_, last, _ := strings.Cut(path, "/results/")
		if !keyed && (last == "" || !strings.Contains(said, "…/results/"+last+"` write nothing and take no key") && !strings.Contains(said, "`POST …/results/"+last+"` and")) {
			t.Errorf("POST %s takes no Idempotency-Key, and the document does not say so", path)
		}
	}
	if seen < 25 {
		t.Errorf("only %d operations were seen", seen)
	}
}

// TestAnswersHaveRoomForNotices: the answer to a body says which of its fields had no
// effect, whatever the operation.
func TestAnswersHaveRoomForNotices(t *testing.T) {
	t.Parallel()
	document := tree(t)
	schemas := object(object(document["components"])["schemas"])
	var properties func(s node) node
	properties = func(s node) node {
		if name, ok := strings.CutPrefix(str(s["$ref"]), "#/components/schemas/"); ok {
			s = object(schemas[name])
		}
		all := maps.Clone(object(s["properties"]))
		if all == nil {
			all = node{}
		}
		for _, kind := range []string{"allOf", "anyOf", "oneOf"} {
			for _, part := range list(s[kind]) {
				maps.Copy(all, properties(object(part)))
			}
		}
		return all
	}
	seen := 0
	for _, item := range object(document["paths"]) {
		for _, o := range object(item) {
			operation := object(o)
			if operation["requestBody"] == nil {
				continue
			}
			for status, a := range object(operation["responses"]) {
				if status[0] != '2' {
					continue
				}
				seen++
				body := object(object(object(object(a)["content"])["application/json"])["schema"])
				if properties(object(properties(body)["data"]))["notices"] == nil {
					t.Errorf("%s %s has no notices", str(operation["operationId"]), status)
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d answers were seen", seen)
	}
}
