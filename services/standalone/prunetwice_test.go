package standalone_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
	"github.com/eventcarbon/ecf/services/standalone"
)

// lived is an organization whose events have revisions of last year and of today, made by the workflow and the
// worker.
type lived struct {
	t       *testing.T
	org     record.OrgID
	records record.Store
	results resulttree.Store
	events  []record.Event
	now     time.Time
}

// Of the revisions of each event lastYear were made a year ago, and two today. The newest of last year was current
// until today, so it is kept, and so is the one before it: the figure at the start of the period of retention.
const (
	lastYear      = 8
	droppedOfEach = lastYear - 2
)

// live creates an event and its revisions.
func (l *lived) live(id record.EventID) {
	l.t.Helper()
	t, ctx := l.t, l.t.Context()
	by := record.Actor{ID: "m", Name: "Ann", Role: identity.Manager}
	ev, err := l.records.InsertEvent(ctx, l.org, record.NewEvent(l.org, id, record.Event{Title: "Fair", Country: "GB",
		Method: record.DefaultMethod, FactorSet: "desnz-2026"}, by, l.now), record.Unlimited)
	must(t, err)
	l.events = append(l.events, ev)
	today := l.now
	defer func() { l.now = today }()
	clock := func() time.Time { return l.now }
	flow := record.Workflow{Store: l.records, Now: clock, NewMark: func() string { return record.NewMark(l.now) }}
	worker := resulttree.NewRecalculator(l.records, l.results, clock)
	decoded, err := footprint.Decode("waste", []byte(`{"treatment":"landfill","weightKg":1000}`), ev.Context())
	must(t, err)
	r := record.Record{ID: record.ID(record.NewID()), Event: ev.ID, Type: "waste", Fields: decoded.Fields, ContextRev: ev.ContextRev}
	r.Preview, r.Contribution, err = record.Evaluate("waste", decoded.Fields, nil, ev.Context())
	must(t, err)
	r, err = flow.Insert(ctx, l.org, r, by)
	must(t, err)
	for n := range lastYear + 2 {
		if l.now = today; n < lastYear {
			l.now = today.AddDate(-1, 0, n)
		}
		moves := []record.Move{record.Submit, record.Approve}
		if n%2 == 1 {
			moves = []record.Move{record.Reopen}
		}
		for _, m := range moves {
			_, err = flow.Apply(ctx, record.Request{Org: l.org, Key: r.Key(), Move: m, By: by, Comment: "as agreed"})
			must(t, err)
		}
		must(t, worker.Recalculate(ctx, l.org, ev.ID))
	}
}

// told is the content of an event's remaining revisions: which they are, their differences, and the number of changes
// in their causes.
type told struct {
	kept        []int64
	differences []string
	causes      int64
}

// told reads the newest revisions of an event, at most most of them.
func (l *lived) told(ev record.Event, most int64) (out told) {
	l.t.Helper()
	t, ctx := l.t, l.t.Context()
	page, _, _, err := resulttree.History{Results: l.results}.Page(ctx, l.org, ev.ID, 0, most)
	must(t, err)
	for i, r := range page {
		out.kept = append(out.kept, r.Revision)
		for _, c := range r.Causes {
			out.causes += c.Records
		}
		if i == 0 {
			continue
		}
		changed, err := resulttree.Comparer{Results: l.results}.Between(ctx, r, page[i-1])
		must(t, err)
		for _, c := range changed {
			out.differences = append(out.differences, fmt.Sprintf("%d to %d: %s %+v", r.Revision, page[i-1].Revision, c.Type, c.Change))
		}
	}
	return out
}

// TestTwoPruneCommandsAtOnce: two concurrent processes of `ecf results prune` on one database drop and count each
// revision exactly once; the remaining ones still explain all changes.
func TestTwoPruneCommandsAtOnce(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) (processes, record.Store, resulttree.Store){"SQLite": embedded, "MongoDB": onMongoDB} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, records, results := open(t)
			org := record.OrgID(strings.TrimSpace(p.must("", "org", "create", "--name", "Lived Ltd", "--plan", "team")))
			l := &lived{t: t, org: org, records: records, results: results, now: time.Now().UTC().Truncate(time.Millisecond)}
			before := map[record.EventID]told{}
			for n := range 6 {
				id := record.EventID(fmt.Sprintf("event%d", n))
				l.live(id)
				// Those that will remain; and the causes of all.
				kept := l.told(l.events[n], lastYear+2-droppedOfEach)
				kept.causes = l.told(l.events[n], 1000).causes
				before[id] = kept
			}
			p.env = append(p.env, "ECF_RESULT_RETENTION=720h")
			if got, want := p.must("", "results", "prune", "--dry-run"), fmt.Sprintf("%s: %d revisions of 6 events would be deleted\n", org, 6*droppedOfEach); got != want {
				t.Fatalf("a rehearsal: %q, want %q", got, want)
			}
			if dropped := together(t, p, org); dropped != 6*droppedOfEach {
				t.Errorf("the two report %d dropped revisions, want %d", dropped, 6*droppedOfEach)
			}
			for _, ev := range l.events {
				after, want := l.told(ev, 1000), before[ev.ID]
				if !slices.Equal(after.kept, want.kept) || !slices.Equal(after.differences, want.differences) || after.causes != want.causes {
					t.Errorf("event %s: %+v\nwant %+v", ev.ID, after, want)
				}
				retention, err := results.Retention(t.Context(), org, ev.ID)
				must(t, err)
				stored, err := results.Revisions(t.Context(), org, ev.ID, 1, lastYear+2)
				must(t, err)
				if retention.Pending != 0 || len(stored) != len(want.kept)-1 {
					t.Errorf("event %s: %d revisions are stored beside the newest, and retention is %+v", ev.ID, len(stored), retention)
				}
			}
			if got, want := p.must("", "results", "prune"), fmt.Sprintf("%s: 0 revisions of 0 events deleted\n", org); got != want {
				t.Errorf("afterwards: %q, want %q", got, want)
			}
		})
	}
}

// together runs two processes of the command concurrently and returns how many revisions they report as dropped.
func together(t *testing.T, p processes, org record.OrgID) (dropped int) {
	t.Helper()
	var both [2]*exec.Cmd
	var out, problems [2]bytes.Buffer
	for i := range both {
		both[i] = p.command("results", "prune")
		both[i].Stdout, both[i].Stderr = &out[i], &problems[i]
		must(t, both[i].Start())
	}
	for i, cmd := range both {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v\n%s%s", i+1, err, out[i].String(), problems[i].String())
		}
	}
	for i := range both {
		var revisions, events int
		if _, err := fmt.Sscanf(out[i].String(), string(org)+": %d revisions of %d events deleted\n", &revisions, &events); err != nil {
			t.Errorf("process %d printed %q: %v", i+1, out[i].String(), err)
		}
		t.Logf("process %d dropped %d revisions of %d events", i+1, revisions, events)
		dropped += revisions
	}
	return dropped
}

// embedded returns the commands on a file, and the stores in it.
func embedded(t *testing.T) (processes, record.Store, resulttree.Store) {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile), slices.Concat(recordsqlite.Schema(), resultsqlite.Schema())...)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return processes{t, []string{"ECF_DATA_DIR=" + dir}}, recordsqlite.New(db), resultsqlite.New(db)
}

// onMongoDB returns the commands on a database, and the stores in it.
func onMongoDB(t *testing.T) (processes, record.Store, resulttree.Store) {
	t.Helper()
	uri := emptyMongo(t)
	at, _ := mongodb.At(uri)
	db, disconnect, err := mongodb.Connect("test", at.URI, at.Database())
	must(t, err)
	t.Cleanup(func() { _ = disconnect() })
	records, err := recordmongo.New(t.Context(), db)
	must(t, err)
	results, err := resultmongo.New(context.WithoutCancel(t.Context()), db)
	must(t, err)
	return processes{t, []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + uri}}, records, results
}
