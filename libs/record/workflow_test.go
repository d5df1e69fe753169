package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// The workflow as the contract's table has it, written out a second time.
var contractTable = map[record.Status]map[record.Move]record.Status{
	record.Unsubmitted: {record.Edit: record.Unsubmitted, record.Delete: record.Unsubmitted, record.Submit: record.Submitted},
	record.Submitted: {record.Withdraw: record.Unsubmitted, record.Review: record.InReview, record.Approve: record.Approved,
		record.RequestChanges: record.ChangesRequested, record.Reject: record.Rejected},
	record.InReview: {record.Approve: record.Approved, record.RequestChanges: record.ChangesRequested, record.Reject: record.Rejected},
	record.Approved: {record.Reopen: record.ChangesRequested},
	record.ChangesRequested: {record.Edit: record.ChangesRequested, record.Delete: record.ChangesRequested,
		record.Submit: record.Submitted},
	record.Rejected: {record.Reopen: record.ChangesRequested},
}

// policyOf returns a reader of a policy with four eyes on or off.
func policyOf(fourEyes bool) func(context.Context, record.OrgID) (record.Policy, error) {
	return func(context.Context, record.OrgID) (record.Policy, error) {
		return record.Policy{FourEyes: fourEyes}, nil
	}
}

var moves = []record.Move{record.Edit, record.Delete, record.Submit, record.Withdraw, record.Review, record.Approve,
	record.RequestChanges, record.Reject, record.Reopen}

func TestWorkflowTable(t *testing.T) {
	t.Parallel()
	for _, s := range record.Statuses() {
		for _, m := range moves {
			want, allowed := contractTable[s][m]
			got, ok := record.NextState(m, s)
			if ok != allowed || got != want {
				t.Errorf("%s from %s: got %q %t, want %q %t", m, s, got, ok, want, allowed)
			}
			if can := record.AllowedMoves(record.Record{Status: s}, manager, false); slices.Contains(can, m) != allowed {
				t.Errorf("allowed moves of %s: %v", s, can)
			}
		}
	}
	submitted := []record.Status{record.Submitted, record.InReview, record.Approved, record.Rejected}
	for _, s := range record.Statuses() {
		if s.IsSubmitted() != slices.Contains(submitted, s) {
			t.Errorf("submitted flag of %s", s)
		}
	}
}

// An error states what the caller can do instead: by state, role, creator and, with four-eyes control, editors.
func TestRefusalsTellWhatTheCallerCanDo(t *testing.T) {
	t.Parallel()
	author := record.Actor{ID: "creator", Name: "C", Role: identity.Manager} // the creator, promoted since
	for _, c := range []struct {
		status   record.Status
		by       record.Actor
		fourEyes bool
		refused  record.Move
		code     apperr.Code
		want     string
	}{
		{record.Unsubmitted, creator, false, record.Withdraw, apperr.InvalidTransition, "edit delete submit"},
		{record.ChangesRequested, manager, true, record.Reopen, apperr.InvalidTransition, "edit delete submit"},
		{record.Unsubmitted, manager, false, record.Approve, apperr.InvalidTransition, "edit delete submit"},
		{record.Submitted, creator, false, record.Submit, apperr.InvalidTransition, "withdraw"},
		{record.Submitted, creator, false, record.Edit, apperr.RecordLocked, "withdraw"},
		{record.Submitted, member, false, record.Submit, apperr.InvalidTransition, ""},
		{record.Submitted, manager, true, record.Reopen, apperr.InvalidTransition, "withdraw review approve request-changes reject"},
		{record.Submitted, author, false, record.Reopen, apperr.InvalidTransition, "withdraw review approve request-changes reject"},
		{record.Submitted, author, true, record.Reopen, apperr.InvalidTransition, "withdraw review request-changes reject"},
		{record.InReview, author, true, record.Delete, apperr.RecordLocked, "request-changes reject"},
		{record.InReview, manager, true, record.Review, apperr.InvalidTransition, "approve request-changes reject"},
		{record.Approved, creator, false, record.Delete, apperr.RecordLocked, ""},
		{record.Rejected, manager, false, record.Reject, apperr.InvalidTransition, "reopen"},
	} {
		_, w := newFlow(t, c.status)
		asked := 0
		w.Policy = func(context.Context, record.OrgID) (record.Policy, error) {
			asked++
			return record.Policy{FourEyes: c.fourEyes}, nil
		}
		_, err := w.Apply(t.Context(), request(c.refused, c.by))
		var refusal *apperr.Error
		if !errors.As(err, &refusal) || refusal.Code != c.code || len(refusal.Details) != 2 || refusal.Details[0].Code != string(c.status) {
			t.Errorf("%s of a record that is %s: %v", c.refused, c.status, err)
			continue
		}
		if got := strings.Join(refusal.Details[1].Suggestions, " "); got != c.want || asked != 1 {
			t.Errorf("%s by %s (%s), %s, four eyes %t: allowed %q, want %q; policy read %d times",
				c.refused, c.by.ID, c.by.Role, c.status, c.fourEyes, got, c.want, asked)
		}
	}
	// An error for a missing permission has no alternatives.
	_, w := newFlow(t, record.Submitted)
	if _, err := w.Apply(t.Context(), request(record.Delete, member)); apperr.CodeOf(err) != apperr.Forbidden {
		t.Errorf("a stranger deletes: %v", err)
	}
}

// oneRecord is a store of a single record, for the decisions of the workflow.
type oneRecord struct {
	r       record.Record
	writes  int
	entries []record.Entry
}

func (s *oneRecord) Record(_ context.Context, org record.OrgID, key record.Key) (record.Record, error) {
	if org != s.r.Org || key != s.r.Key() {
		return record.Record{}, record.ErrNotFound
	}
	return s.r, nil
}

func (s *oneRecord) InsertRecord(_ context.Context, _ record.OrgID, r record.Record) (record.Record, error) {
	r.Seq, s.r = 1, r
	return r, nil
}

func (s *oneRecord) ReplaceRecord(_ context.Context, _ record.OrgID, r record.Record, prev int64) error {
	if s.r.Rev != prev {
		return record.ErrConflict
	}
	s.r = r
	s.writes++
	return nil
}

func (s *oneRecord) InsertEntry(_ context.Context, _ record.OrgID, _ record.EventID, _ record.ID, e record.Entry) error {
	s.entries = append(s.entries, e)
	return nil
}

var (
	creator = record.Actor{ID: "creator", Name: "C", Role: identity.User}
	member  = record.Actor{ID: "member", Name: "U", Role: identity.User}
	manager = record.Actor{ID: "manager", Name: "M", Role: identity.Manager}
)

func newFlow(t *testing.T, s record.Status) (*oneRecord, record.Workflow) {
	t.Helper()
	store := &oneRecord{}
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	w := record.Workflow{Store: store, History: store, Now: func() time.Time { return now }, NewMark: func() string { return "mark" }}
	r := record.Record{ID: "r", Event: "e", Type: "flights", Fields: json.RawMessage(`{"from":"LHR"}`)}
	if _, err := w.Insert(t.Context(), "org", r, creator); err != nil {
		t.Fatal(err)
	}
	store.r.Status = s
	return store, w
}

func request(m record.Move, by record.Actor) record.Request {
	return record.Request{Org: "org", Key: record.Key{Event: "e", Type: "flights", ID: "r"}, Move: m, By: by, Comment: "why",
		Change: func(*record.Record) ([]string, error) { return []string{"from"}, nil }}
}

func TestEveryMoveFromEveryState(t *testing.T) {
	t.Parallel()
	for _, s := range record.Statuses() {
		for _, m := range moves {
			store, w := newFlow(t, s)
			got, err := w.Apply(t.Context(), request(m, manager))
			want, allowed := contractTable[s][m]
			if !allowed {
				code := apperr.InvalidTransition
				if m == record.Edit || m == record.Delete {
					code = apperr.RecordLocked
				}
				if apperr.CodeOf(err) != code || store.writes != 0 {
					t.Errorf("%s from %s: %v, %d writes", m, s, err, store.writes)
				}
				continue
			}
			if err != nil || got.Status != want || got.Rev != 2 || store.writes != 1 || got.Last.Move != m || got.Last.By != manager {
				t.Errorf("%s from %s: %+v, %v", m, s, got, err)
			}
			counts := func(s record.Status) bool { return s == record.Approved }
			if marked := got.Mark != ""; marked != (counts(s) != counts(want)) {
				t.Errorf("%s from %s: marked %t", m, s, marked)
			}
			if got.Deleted != (m == record.Delete) {
				t.Errorf("%s: deleted %t", m, got.Deleted)
			}
			if err := record.VerifyHistory("org", "r", append(store.entries, got.Last)); err != nil {
				t.Errorf("%s from %s: %v", m, s, err)
			}
		}
	}
}

// The entry of every decision states the policy in force; others do not.
func TestDecisionsStateThePolicy(t *testing.T) {
	t.Parallel()
	for _, s := range record.Statuses() {
		for _, m := range moves {
			if _, allowed := contractTable[s][m]; !allowed {
				continue
			}
			_, w := newFlow(t, s)
			w.Policy = func(context.Context, record.OrgID) (record.Policy, error) {
				return record.Policy{FourEyes: true, Rev: 7}, nil
			}
			got, err := w.Apply(t.Context(), request(m, manager))
			if err != nil {
				t.Fatal(err)
			}
			decision := slices.Contains([]record.Move{record.Approve, record.RequestChanges, record.Reject, record.Reopen}, m)
			if got.Last.FourEyes != decision || (got.Last.PolicyRev == 7) != decision {
				t.Errorf("%s from %s: four eyes %t, policy %d", m, s, got.Last.FourEyes, got.Last.PolicyRev)
			}
		}
	}
}

func TestWhoMay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from     record.Status
		move     record.Move
		by       record.Actor
		fourEyes bool
		comment  string
		ifMatch  func(record.Record) bool
		want     apperr.Code
	}{
		"a user cannot approve":                  {from: record.Submitted, move: record.Approve, by: member, want: apperr.Forbidden},
		"a stranger cannot edit":                 {from: record.Unsubmitted, move: record.Edit, by: member, want: apperr.Forbidden},
		"a stranger cannot withdraw":             {from: record.Submitted, move: record.Withdraw, by: member, want: apperr.Forbidden},
		"the creator edits":                      {from: record.Unsubmitted, move: record.Edit, by: creator},
		"a manager edits":                        {from: record.Unsubmitted, move: record.Edit, by: manager},
		"any member submits":                     {from: record.Unsubmitted, move: record.Submit, by: member},
		"ownership before state":                 {from: record.Approved, move: record.Edit, by: member, want: apperr.Forbidden},
		"no role at all":                         {from: record.Unsubmitted, move: record.Submit, by: record.Actor{ID: "x"}, want: apperr.Forbidden},
		"reject needs a comment":                 {from: record.Submitted, move: record.Reject, by: manager, comment: "-", want: apperr.ValidationError},
		"a comment of 2001 characters":           {from: record.Submitted, move: record.Approve, by: manager, comment: strings.Repeat("é", 2001), want: apperr.ValidationError},
		"a comment of 2000 characters":           {from: record.Submitted, move: record.Approve, by: manager, comment: strings.Repeat("é", 2000)},
		"changed since it was seen":              {from: record.Submitted, move: record.Approve, by: manager, ifMatch: func(record.Record) bool { return false }, want: apperr.PreconditionFailed},
		"changed is told before the wrong state": {from: record.Approved, move: record.Approve, by: manager, ifMatch: func(record.Record) bool { return false }, want: apperr.PreconditionFailed},
		"four eyes, own record":                  {from: record.Submitted, move: record.Approve, by: record.Actor{ID: "creator", Role: identity.Admin}, fourEyes: true, want: apperr.SelfApprovalForbidden},
		"four eyes, another's record":            {from: record.Submitted, move: record.Approve, by: manager, fourEyes: true},
		"two eyes, own record":                   {from: record.Submitted, move: record.Approve, by: record.Actor{ID: "creator", Role: identity.Admin}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, w := newFlow(t, c.from)
			req := request(c.move, c.by)
			w.Policy, req.IfMatch = policyOf(c.fourEyes), c.ifMatch
			switch c.comment {
			case "":
			case "-":
				req.Comment = ""
			default:
				req.Comment = c.comment
			}
			_, err := w.Apply(t.Context(), req)
			if apperr.CodeOf(err) != c.want {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if (store.writes == 1) != (c.want == "") {
				t.Fatalf("%d writes", store.writes)
			}
		})
	}
}

// TestFourEyesLookAtEveryEditor: with four-eyes control an editor of a record cannot approve it, even if somebody
// else has edited and submitted it later; after an approval by another person they can.
func TestFourEyesLookAtEveryEditor(t *testing.T) {
	t.Parallel()
	_, w := newFlow(t, record.Unsubmitted)
	w.Policy = policyOf(true)
	second := record.Actor{ID: "second", Role: identity.Manager}
	apply := func(by record.Actor, m record.Move) error {
		req := request(m, by)
		req.Change = func(r *record.Record) ([]string, error) {
			r.Fields = fmt.Appendf(nil, `{"rev":%d}`, r.Rev)
			return []string{"rev"}, nil
		}
		_, err := w.Apply(t.Context(), req)
		return err
	}
	for i, step := range []struct {
		by   record.Actor
		move record.Move
		want apperr.Code
	}{
		{manager, record.Edit, ""}, {creator, record.Edit, ""}, {creator, record.Submit, ""},
		// Nor is it offered to them.
		{manager, record.Submit, apperr.InvalidTransition}, {second, record.Submit, apperr.InvalidTransition},
		{manager, record.Approve, apperr.SelfApprovalForbidden}, {second, record.Approve, ""},
		{second, record.Reopen, ""}, {creator, record.Edit, ""}, {creator, record.Submit, ""},
		{manager, record.Approve, ""},
		// Submitting counts as editing, whoever submits later.
		{manager, record.Reopen, ""}, {creator, record.Edit, ""}, {manager, record.Submit, ""}, {creator, record.Withdraw, ""}, {creator, record.Submit, ""},
		{manager, record.Approve, apperr.SelfApprovalForbidden}, {second, record.Approve, ""},
		// After an automatic approval nobody has reviewed the record.
		{second, record.Reopen, ""}, {manager, record.Edit, ""}, {creator, record.Submit, ""}, {record.Actor{ID: "policy", Role: identity.Admin}, record.AutoApprove, ""},
		{second, record.Reopen, ""}, {creator, record.Edit, ""}, {creator, record.Submit, ""},
		{manager, record.Approve, apperr.SelfApprovalForbidden}, {second, record.Approve, ""},
		// The newest submission is not among the older entries.
		{second, record.Reopen, ""}, {creator, record.Edit, ""}, {manager, record.Submit, ""},
		{manager, record.Approve, apperr.SelfApprovalForbidden}, {second, record.Approve, ""},
	} {
		err := apply(step.by, step.move)
		if apperr.CodeOf(err) != step.want {
			t.Fatalf("step %d, %s by %s: %v, want %q", i+1, step.move, step.by.ID, err, step.want)
		}
		var refusal *apperr.Error
		if step.want == apperr.InvalidTransition && errors.As(err, &refusal) {
			if offered := slices.Contains(refusal.Details[1].Suggestions, string(record.Approve)); offered != (step.by.ID == second.ID) {
				t.Errorf("step %d: %s is offered %v", i+1, step.by.ID, refusal.Details[1].Suggestions)
			}
		}
	}
}

// TestAttemptsMakeNobodyAnEditor: the entry of a failed revision, left by a crash or a conflict, does not count as
// editing.
func TestAttemptsMakeNobodyAnEditor(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	w.Policy = policyOf(true)
	if _, err := w.Apply(t.Context(), request(record.Submit, creator)); err != nil {
		t.Fatal(err)
	}
	store.entries = append(store.entries, record.Entry{Rev: store.r.Rev + 1, Move: record.Edit, By: manager})
	if _, err := w.Apply(t.Context(), request(record.Approve, manager)); err != nil {
		t.Errorf("approved by who tried to edit it: %v", err)
	}
}

func TestRefusalNamesStatusAndMoves(t *testing.T) {
	t.Parallel()
	_, w := newFlow(t, record.Rejected)
	_, err := w.Apply(t.Context(), request(record.Approve, manager))
	e, ok := err.(*apperr.Error) //nolint:errorlint // the workflow's own, not wrapped
	if !ok || len(e.Details) != 2 || e.Details[0].Code != "rejected" || !slices.Equal(e.Details[1].Suggestions, []string{"reopen"}) {
		t.Fatalf("got %+v", err)
	}
}

func TestHistoryShowsTampering(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	for _, m := range []record.Move{record.Submit, record.Approve, record.Reopen, record.Submit} {
		if _, err := w.Apply(t.Context(), request(m, manager)); err != nil {
			t.Fatal(err)
		}
	}
	history := append(slices.Clone(store.entries), store.r.Last)
	if err := record.VerifyHistory("org", "r", history); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]record.Entry) []record.Entry{
		"a comment": func(h []record.Entry) []record.Entry { h[2].Comment = "other"; return h },
		"an actor":  func(h []record.Entry) []record.Entry { h[1].By.Name = "other"; return h },
		"a time":    func(h []record.Entry) []record.Entry { h[3].At = h[3].At.Add(time.Millisecond); return h },
		"one gone":  func(h []record.Entry) []record.Entry { return slices.Delete(h, 1, 2) },
		"two swapped": func(h []record.Entry) []record.Entry {
			h[1], h[2] = h[2], h[1]
			return h
		},
	} {
		if record.VerifyHistory("org", "r", damage(slices.Clone(history))) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	if record.VerifyHistory("org", "other", history) == nil || record.VerifyHistory("other", "r", history) == nil {
		t.Error("a history passes for another record's")
	}
}

func TestETagsAndIfMatch(t *testing.T) {
	t.Parallel()
	r := record.Record{ID: "abc", Rev: 3, ContextRev: 7}
	later := r
	later.ContextRev = 8
	if r.ETag() == later.ETag() {
		t.Error("the tag does not see a new context")
	}
	if !record.MatchRecord([]string{r.ETag()})(later) {
		t.Error("a new context of the event spoils a decision about the record")
	}
	ev := record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 8}
	seen := record.Record{ID: "abc", Rev: 3, ContextRev: 7, Type: "waste", Fields: json.RawMessage(`{"country":"GB","treatment":"landfill","weightKg":1}`)}
	for tag, want := range map[string]bool{`"3.8.abc"`: true, `"3.7.abc"`: false, `"4.8.abc"`: false, `"3.8.other"`: false, `"3.abc"`: true, "*": true} {
		if got := record.MatchFigure([]string{`"x"`, tag})(seen, ev); got != want {
			t.Errorf("%s matches the figure of %s in context %d: %t", tag, seen.ETag(), ev.ContextRev, got)
		}
	}
	if !record.MatchFigure([]string{r.ETag()})(r, ev) {
		t.Error("a record that cannot be calculated does not match the tag that it is served with")
	}
	next := r
	next.Rev = 4
	for _, tags := range [][]string{{r.ETag()}, {"W/" + next.ETag()}, {`"4.7.other"`}, {""}, {`"4"`}, nil} {
		if record.MatchRecord(tags)(next) {
			t.Errorf("%q matches %s", tags, next.ETag())
		}
	}
	if !record.MatchRecord([]string{`"x"`, "*"})(next) {
		t.Error("* does not match")
	}
}

func TestMarksSortByTimeAndDiffer(t *testing.T) {
	t.Parallel()
	early, late := time.UnixMilli(1_700_000_000_000), time.UnixMilli(1_700_000_000_001)
	a, b, c := record.NewMark(early), record.NewMark(early), record.NewMark(late)
	if a == b || a >= c || b >= c || !record.MarkTime(a).Equal(early) {
		t.Fatal(a, b, c, record.MarkTime(a))
	}
	if !record.MarkTime("").IsZero() || !record.MarkTime("zzzzzzzzzzzz").IsZero() {
		t.Fatal("a time out of nothing")
	}
	if id := record.NewID(); len(id) != 26 || id == record.NewID() {
		t.Fatal(id)
	}
}

func TestRecordAsClientsSeeIt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	r := record.Record{ID: "r", Org: "secret-org", Event: "e", Type: "flights", Status: record.Submitted, Rev: 2, CreatedBy: creator,
		CreatedAt: at, UpdatedAt: at, Fields: json.RawMessage(`{"from":"LHR","passengers":2}`), Preview: json.RawMessage(`{"kgCO2e":1.5}`), Mark: "m"}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"_id":"r","eventId":"e","type":"flights","submitted":true,"status":"submitted","revision":2,` +
		`"createdBy":{"_id":"creator","name":"C","role":"user"},"createdAt":"2026-06-01T09:00:00.000Z","updatedAt":"2026-06-01T09:00:00.000Z",` +
		`"submittedAt":null,"submittedBy":null,"reviewedBy":null,"reviewedAt":null,"footprint":{"kgCO2e":1.5},"from":"LHR","passengers":2}`
	if string(text) != want {
		t.Fatalf("got  %s\nwant %s", text, want)
	}
}

func (s *oneRecord) RecordByReference(context.Context, record.OrgID, record.Sub, string) (record.Record, error) {
	return record.Record{}, record.ErrNotFound
}
