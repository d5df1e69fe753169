package records_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestRefusedBatchesAreNotKept: the response to a batch that stores nothing is computed anew for a repetition, and
// the one to a batch that stores a record is the first one.
func TestRefusedBatchesAreNotKept(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	batch := func(key, option string, items ...string) answer {
		body := `{"items":[` + strings.Join(items, ",") + `]` + option + `}`
		return h.send(ada, http.MethodPost, event+"/waste/batch", body, "Idempotency-Key", key).want(http.StatusOK, "")
	}
	bad := slices.Repeat([]string{`{"treatment":"nowhere"}`}, 100)
	const good = `{"treatment":"landfill","weightKg":10,"externalReference":"R"}`
	for _, c := range []struct {
		key, option string
		items       []string
		replayed    string
	}{
		{"refused", "", bad, ""},
		{"stored", "", append([]string{good}, bad[1:]...), "true"},
		{"as it was", `,"onDuplicate":"skip"`, append([]string{good}, bad[1:]...), ""},
		{"a short refusal", "", bad[:2], "true"},
	} {
		first := batch(c.key, c.option, c.items...)
		again := batch(c.key, c.option, c.items...)
		if got := again.header.Get("Idempotent-Replayed"); got != c.replayed || again.data["succeeded"] != first.data["succeeded"] || again.data["failed"] != first.data["failed"] {
			t.Errorf("%s: replayed %q: %.300s\nfirst %.300s", c.key, got, again.body, first.body)
		}
	}
}
