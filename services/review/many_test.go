package review_test

import (
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestDecisionsOfMany makes each decision on two records at once. Every record has the comment and the person in its
// history, as after a decision on it alone; a decision that needs a reason is made of none without one.
func TestDecisionsOfMany(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		move     record.Move
		optional bool // the comment
		before   string
		want     record.Status
	}{
		{move: record.Approve, optional: true, want: record.Approved},
		{move: record.RequestChanges, want: record.ChangesRequested},
		{move: record.Reject, want: record.Rejected},
		{move: record.Reopen, before: "approve", want: record.ChangesRequested},
	} {
		h := start(t, record.Policy{})
		all := []record.Record{h.submitted("ada"), h.submitted("ada")}
		body := map[string]any{"ids": []record.ID{all[0].ID, all[1].ID}}
		decide := func(move string) string {
			t.Helper()
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			a := h.post(planck, "/review/"+move, string(text))
			if a.status >= 400 {
				return a.code
			}
			return outcomes(t, a)
		}
		if c.before != "" {
			decide(c.before)
		}
		if !c.optional {
			if got := decide(string(c.move)); got != "VALIDATION_ERROR" {
				t.Errorf("%s without a comment: %s", c.move, got)
			}
		}
		body["comment"] = "All of them."
		if got, want := decide(string(c.move)), string(c.want)+"; "+string(c.want); got != want {
			t.Errorf("%s: %s, want %s", c.move, got, want)
		}
		for _, r := range all {
			if now := h.stored(r); now.Status != c.want || now.Last.Move != c.move || now.Last.Comment != "All of them." || now.Last.By.ID != "max" {
				t.Errorf("%s: the record is %s, and its last entry is %+v", c.move, now.Status, now.Last)
			}
		}
	}
}
