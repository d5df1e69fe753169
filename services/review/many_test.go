package review_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/review"
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

// TestApprovalOfManyByTheirFigures verifies that, with figures, only records that show the given figure are approved.
func TestApprovalOfManyByTheirFigures(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	same, changed := h.submitted("ada"), h.submitted("ada")
	unseen := h.submittedWaste("ada", `{"country":"GB","treatment":"landfill","weightKg":0}`) // its figure is that of none
	var shown struct{ KgCO2e json.Number }
	if err := json.Unmarshal(same.Preview, &shown); err != nil || shown.KgCO2e == "" {
		t.Fatalf("%v: the figure is %.300s", err, same.Preview)
	}
	body, err := json.Marshal(map[string]any{
		"ids":     []record.ID{same.ID, changed.ID, unseen.ID},
		"figures": map[record.ID]json.Number{same.ID: shown.KgCO2e, changed.ID: "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "approved; PRECONDITION_FAILED; PRECONDITION_FAILED"
	for _, header := range [][]string{{"X-Dry-Run", "true"}, nil} {
		a := h.post(planck, "/review/approve", string(body), header...)
		if got := outcomes(t, a); got != want || !strings.Contains(a.body, `"succeeded":1,"failed":2`) {
			t.Errorf("%s: %s, want %s; %s", header, got, want, a.body)
		}
	}
	if a, b, c := h.stored(same).Status, h.stored(changed).Status, h.stored(unseen).Status; a != record.Approved || b != record.Submitted || c != record.Submitted {
		t.Errorf("the records are %s, %s and %s", a, b, c)
	}
}

// unreadable is a store that fails to read one record.
type unreadable struct {
	*sqlitestore.Store
	record record.ID
}

func (s unreadable) FindRecord(ctx context.Context, org record.OrgID, event record.EventID, id record.ID) (record.Record, error) {
	if id == s.record {
		return record.Record{}, errors.New("cut off")
	}
	return s.Store.FindRecord(ctx, org, event, id)
}

// TestARecordThatCannotBeReadIsNotDecided verifies that a failure of the store is reported as one.
func TestARecordThatCannotBeReadIsNotDecided(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	lost, other := h.submitted("ada"), h.submitted("ada")
	app, err := review.New(review.Deps{Store: unreadable{h.store, lost.ID}, Notifier: h, Verifier: webtest.Tokens{}, Logger: slog.New(slog.DiscardHandler), Now: h.now})
	if err != nil {
		t.Fatal(err)
	}
	h.app = app
	body := `{"ids":["` + string(lost.ID) + `","` + string(other.ID) + `"]}`
	if a := h.post(planck, "/review/approve", body); a.status != http.StatusInternalServerError || a.code != "INTERNAL" {
		t.Errorf("%d %.300s", a.status, a.body)
	}
	if now := h.stored(lost); now.Status != record.Submitted || now.Rev != lost.Rev {
		t.Errorf("the record is %s, revision %d", now.Status, now.Rev)
	}
}
