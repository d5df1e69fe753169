package resulttree

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
)

// restless is an event that is changed again before each read, while changes are left. It has no approved records.
type restless struct {
	Records
	changes int
	onRead  func()
}

func (r *restless) EventContext(_ context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	return record.Event{Org: org, ID: id, ContextRev: 1}, nil
}

func (r *restless) MarkedRecords(context.Context, record.OrgID, record.EventID, int) ([]record.MarkedRecord, error) {
	r.onRead()
	if r.changes == 0 {
		return nil, nil
	}
	r.changes--
	return []record.MarkedRecord{{Type: "waste", ID: "r", Seq: 1, Mark: record.NewMark(time.Now())}}, nil
}

func (r *restless) ClearRecordMarks(context.Context, record.OrgID, record.EventID, []record.MarkedRecord) error {
	return nil
}

func (r *restless) PutHeadline(context.Context, record.OrgID, record.EventID, record.Headline) error {
	return nil
}

func (r *restless) Approved(context.Context, record.OrgID, record.Sub, int64, int64) ([]record.Counted, error) {
	return nil, nil
}

func (r *restless) Inputs(context.Context, record.OrgID, record.Sub, int64, int64) ([]record.Input, error) {
	return nil, nil
}

// kept stores one node of each level and the result; conflicts fails writes.
type kept struct {
	Results
	nodes     map[NodeID]Node
	result    *Result
	conflicts bool
}

func (k *kept) Together(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

func (k *kept) Node(_ context.Context, _ record.OrgID, _ record.EventID, id NodeID) (Node, error) {
	n, ok := k.nodes[id]
	if !ok {
		return n, ErrNotFound
	}
	return n, nil
}

func (k *kept) PutNode(_ context.Context, n Node, _ int64) error {
	if k.conflicts {
		return ErrConflict
	}
	k.nodes[n.NodeID] = n
	return nil
}

func (k *kept) Nodes(_ context.Context, _ record.OrgID, _ record.EventID, _ string, level int, _, _ int64) ([]Node, error) {
	var nodes []Node
	for id, n := range k.nodes {
		if id.Level == level {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}

func (k *kept) Facts(context.Context, record.OrgID, record.EventID, string, int64, int64) ([]NodeFacts, error) {
	return nil, nil
}

func (k *kept) Result(context.Context, record.OrgID, record.EventID) (Result, error) {
	if k.result == nil {
		return Result{}, ErrNotFound
	}
	return *k.result, nil
}

func (k *kept) PutResult(_ context.Context, r Result, _ int64) error {
	k.result = &r
	return nil
}

func (k *kept) InsertRevision(context.Context, Result) error { return nil }

func (k *kept) InsertChanges(context.Context, NodeChanges) error { return nil }

// nothing is the arithmetic of no records.
type nothing struct{ Arithmetic }

func (nothing) Sum([]json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }

func (nothing) Moved(json.RawMessage, []json.RawMessage, []json.RawMessage) (json.RawMessage, bool, error) {
	return json.RawMessage(`{}`), true, nil
}

func (nothing) Headline(json.RawMessage, int) (json.RawMessage, error) { return nil, nil }

func (nothing) Current(json.RawMessage) bool { return true }

func TestARunLeavesItsWorkerToOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		changes, endAt    int // endAt: the process is to end at this reading of the marks
		conflicts         bool
		wantReads         int
		wantNotifications int
		wantErr           bool
		wantOn            string
	}{
		"once changed":                  {changes: 1, wantReads: 2, wantOn: "runs written 1"},
		"nothing due":                   {changes: 0, wantReads: 1, wantOn: "runs nothing_due 1"},
		"changed all the time":          {changes: 1 << 20, wantReads: startOvers, wantNotifications: 1, wantOn: "runs written 1"},
		"the process is to end":         {changes: 1 << 20, endAt: 3, wantReads: 3, wantNotifications: 1, wantOn: "runs written 1"},
		"it is to end before the start": {changes: 1 << 20, endAt: 1, wantReads: 1, wantNotifications: 1, wantOn: "runs written 1"},
		"others write":                  {changes: 1 << 20, conflicts: true, wantReads: startOvers, wantErr: true, wantOn: "runs gave_way 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Nothing listens there: the insight must tolerate it.
			insight, err := notify.NewInsight(asynq.RedisClientOpt{Addr: "127.0.0.1:1"}, nil, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = insight.Close() })
			ending, reads, b := make(chan struct{}), 0, &countingNotifier{}
			source := &restless{changes: c.changes}
			source.onRead = func() {
				if reads++; reads == c.endAt {
					close(ending)
				}
			}
			m := meteredRecalculator{
				Recalculator: Recalculator{
					Records: source, Results: &kept{nodes: map[NodeID]Node{}, conflicts: c.conflicts}, Arithmetic: nothing{}, Now: time.Now, Fanout: Fanout, hashes: newHashes(),
				},
				insight: insight, notifier: b, ending: ending, log: slog.New(slog.DiscardHandler),
			}
			err = m.recalculate(t.Context(), "o", "e")
			if (err != nil) != c.wantErr || err != nil && !errors.Is(err, errContended) {
				t.Errorf("got %v", err)
			}
			if reads != c.wantReads || b.notifications != c.wantNotifications {
				t.Errorf("%d readings and %d notifications, want %d and %d", reads, b.notifications, c.wantReads, c.wantNotifications)
			}
			if page := strings.Join(strings.Fields(pageOf(t, insight)), " "); !strings.Contains(page, c.wantOn) {
				t.Errorf("the page does not say %q:\n%s", c.wantOn, page)
			}
		})
	}
}

type countingNotifier struct{ notifications int }

func (b *countingNotifier) Notify(context.Context, record.OrgID, record.EventID) { b.notifications++ }

func pageOf(t *testing.T, page http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/status", nil))
	return w.Body.String()
}
