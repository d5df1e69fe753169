package governed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

// want requires a status.
func (s *system) want(status int, a answer) answer {
	s.t.Helper()
	if a.status != status {
		s.t.Fatalf("%d, want %d: %.500s", a.status, status, a.body)
	}
	return a
}

// submitted creates a record that waits for a decision, and returns its id.
func (s *system) submitted(typ string, fields map[string]any) string {
	s.t.Helper()
	a := s.want(http.StatusCreated, s.ask(s.recordsApp, http.MethodPost, base+"/"+typ, "ursula", fields))
	id := fmt.Sprint(a.data["_id"])
	s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPost, base+"/"+typ+"/"+id+"/submit", "ursula", nil))
	return id
}

// approved creates an approved record.
func (s *system) approved(name string, amount int64) {
	s.t.Helper()
	id := s.submitted("waste", fieldsOf(line{typ: "waste", amount: amount}, name))
	s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, base+"/waste/"+id+"/approve", "max", nil))
}

// signed signs the newest revision and returns its number.
func (s *system) signed() int64 {
	s.t.Helper()
	s.calculate(-1, false)
	r, err := s.results.Result(s.t.Context(), org, event)
	must(s.t, err)
	s.want(http.StatusAccepted, s.ask(s.countApp, http.MethodPost, base+"/sign-off", "mia", map[string]any{"revision": r.Revision, "statement": "Final."}))
	s.settled()
	e, err := s.records.Event(s.t.Context(), org, event)
	must(s.t, err)
	if e.Gate.State != record.GateSigned {
		s.t.Fatalf("not signed: %+v", e.Gate)
	}
	return r.Revision
}

func (s *system) reopen() {
	s.t.Helper()
	s.want(http.StatusOK, s.ask(s.countApp, http.MethodPost, base+"/sign-off/withdraw", "max", map[string]any{"comment": "An invoice came late."}))
}

// TestSignedForEver verifies that a signed revision is served byte for byte after ten
// thousand writes, another engine, another factor set, other keys, and the deletion of
// the event; and that its bundle verifies.
func TestSignedForEver(t *testing.T) {
	t.Parallel()
	writes := 20
	if testkit.Long(t) {
		writes = 10_000
	}
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &play{system: found(t, open)}
			p.approved("first", 10)
			revision := p.signed()
			before := p.served(revision)
			same := func(after string) {
				t.Helper()
				for what, is := range p.served(revision) {
					if !bytes.Equal(is, before[what]) {
						t.Fatalf("after %s, %s is\n%.300s\nwas\n%.300s", after, what, is, before[what])
					}
				}
			}
			p.want(http.StatusConflict, p.ask(p.recordsApp, http.MethodPost, base+"/waste", "ursula", fieldsOf(line{typ: "waste", amount: 1}, "late")))
			p.reopen()
			same("the withdrawal")
			for i := range writes {
				if i%50 == 0 {
					p.approved(fmt.Sprint("more", i), 3)
					continue
				}
				p.want(http.StatusOK, p.ask(p.recordsApp, http.MethodPatch, base, "mia", map[string]any{"attendees": 1 + i%300, "title": fmt.Sprint("Gala ", i)}))
			}
			p.calculate(-1, false)
			same(fmt.Sprint(writes, " writes"))
			p.want(http.StatusOK, p.ask(p.countApp, http.MethodPost, base+"/factor-set", "mia", map[string]any{"factorSet": "desnz-2025"}))
			p.want(http.StatusOK, p.ask(p.countApp, http.MethodPost, base+"/factor-set", "mia", map[string]any{"engine": "1.2.0"}))
			p.calculate(-1, false)
			same("another factor set and engine")
			var err error
			p.keys, err = bundle.OpenKeys(filepath.Join(t.TempDir(), "other"), true)
			must(t, err)
			p.start()
			same("a rotation of keys")
			p.want(http.StatusOK, p.ask(p.recordsApp, http.MethodDelete, base, "mia", nil))
			p.calculate(-1, false)
			same("the deletion of the event")
			for _, what := range []string{"bundle", "roles"} {
				if v, err := bundle.Verify(before[what]); err != nil || len(v.Differences) > 0 || v.SignedBy == "" {
					t.Errorf("%s does not verify: %v %v", what, err, v.Differences)
				}
			}
		})
	}
}

// parts returns the names of the stored parts, and of those that editions use.
func (s *system) parts() (stored, used map[string]bool) {
	s.t.Helper()
	ctx := s.t.Context()
	names, err := s.results.PartsBefore(ctx, org, event, s.now().AddDate(1, 0, 0))
	must(s.t, err)
	stored, used = map[string]bool{}, map[string]bool{}
	for _, n := range names {
		stored[n] = true
	}
	e, err := s.records.EventContext(ctx, org, event)
	must(s.t, err)
	for _, edition := range e.Editions {
		used[edition.Root] = true
		kept, err := editions.Open(ctx, s.results, org, event, edition.Root)
		must(s.t, err)
		for _, d := range kept.Documents {
			for _, part := range d.Parts {
				used[part.Name] = true
			}
		}
	}
	return stored, used
}

// TestFiftyEditions verifies that an event has at most fifty editions, and that the
// parts of an abandoned sign-off are removed with a later one.
func TestFiftyEditions(t *testing.T) {
	t.Parallel()
	testkit.OnlyLong(t)
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.approved("first", 10)
			s.calculate(-1, false)
			// A sign-off dies after storing some parts.
			s.process.dieAt(10, true)
			s.ask(s.countApp, http.MethodPost, base+"/sign-off", "mia", map[string]any{"revision": 1, "statement": "Dies."})
			s.settled()
			if !s.process.spare() {
				t.Fatal("the sign-off did not die")
			}
			s.recover()
			orphans, _ := s.parts()
			if len(orphans) == 0 {
				t.Fatal("nothing was stored before it died")
			}
			s.clock.Add((25 * time.Hour).Milliseconds())
			for n := 1; n <= record.MaxEditions; n++ {
				s.signed()
				s.reopen()
			}
			stored, used := s.parts()
			for n := range orphans {
				if stored[n] && !used[n] {
					t.Errorf("part %s of the abandoned sign-off still exists", n)
				}
			}
			a := s.ask(s.countApp, http.MethodPost, base+"/sign-off", "mia", map[string]any{"revision": 1, "statement": "One more."})
			if a.status != http.StatusConflict || a.code != "EDITION_LIMIT" {
				t.Errorf("the 51st edition: %d %.300s", a.status, a.body)
			}
		})
	}
}

// bench is a store of one record, so that the workflow writes the histories.
type bench struct{ record record.Record }

func (b *bench) Record(context.Context, record.OrgID, record.Key) (record.Record, error) {
	return b.record, nil
}

func (b *bench) InsertRecord(_ context.Context, _ record.OrgID, r record.Record) (record.Record, error) {
	b.record = r
	return r, nil
}

func (b *bench) ReplaceRecord(_ context.Context, _ record.OrgID, r record.Record, _ int64) error {
	b.record = r
	return nil
}

func (b *bench) RecordByReference(context.Context, record.OrgID, record.Sub, string) (record.Record, error) {
	return record.Record{}, record.ErrNotFound
}

func (b *bench) InsertEntry(context.Context, record.OrgID, record.EventID, record.ID, record.Entry) error {
	return nil
}

// fill stores approved records with their histories.
func (s *system) fill(n int) {
	s.t.Helper()
	ctx := s.t.Context()
	e, err := s.records.Event(ctx, org, event)
	must(s.t, err)
	fields := []byte(`{"treatment":"landfill","weightKg":100}`)
	preview, contribution, err := record.Evaluate("waste", fields, nil, e.Context())
	must(s.t, err)
	sub := record.Sub{Event: event, Type: "waste"}
	for from := 0; from < n; from += 1000 {
		var batch []record.Record
		for range min(1000, n-from) {
			b := &bench{}
			w := record.Workflow{Store: b, Now: s.now, NewMark: func() string { return record.NewMark(time.Now()) }}
			r, err := w.Insert(ctx, org, record.Record{ID: record.ID(record.NewID()), Event: event, Type: "waste", Fields: fields,
				Preview: preview, Contribution: contribution, ContextRev: e.ContextRev}, actor("ursula"))
			must(s.t, err)
			for _, m := range []record.Move{record.Submit, record.Approve} {
				must(s.t, s.records.InsertEntry(ctx, org, event, r.ID, r.Last))
				by := actor("ursula")
				if m == record.Approve {
					by = actor("max")
				}
				r, err = w.Apply(ctx, record.Request{Org: org, Key: r.Key(), Move: m, By: by})
				must(s.t, err)
			}
			batch = append(batch, r)
		}
		_, refused, err := s.records.InsertRecords(ctx, org, sub, batch)
		must(s.t, errors.Join(append(refused, err)...))
	}
}

// TestLargeEditions verifies that the bundle of a hundred thousand records is stored in
// parts, and that an edition after a change of one record stores only the parts of its
// segment again. The test engine writes some hundred documents a second, and so has
// fewer records.
func TestLargeEditions(t *testing.T) {
	t.Parallel()
	testkit.OnlyLong(t)
	for name, n := range map[string]int{"sqlite": 100_000, "mongodb": 300} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, engines()[name])
			begun := time.Now()
			s.fill(n)
			t.Logf("%d records after %s", n, time.Since(begun))
			revision := s.signedWithin(time.Hour)
			t.Logf("signed after %s", time.Since(begun))
			first, used := s.parts()
			a := s.read(fmt.Sprintf("/results/%d/report", revision), "Accept", "application/json")
			v, err := bundle.Verify(a.body)
			if err != nil || len(v.Differences) > 0 || v.Records != n {
				t.Errorf("the bundle of %d records: %v %v", v.Records, err, v.Differences)
			}
			t.Logf("bundle of %d bytes, %d parts, verified after %s", len(a.body), len(used), time.Since(begun))
			s.reopen()
			s.approved("one more", 5)
			s.signedWithin(time.Hour)
			second, _ := s.parts()
			fresh := len(second) - len(first)
			t.Logf("the second edition stored %d parts", fresh)
			// Head, end and one segment of records and histories, in two variants, one
			// of which has other pseudonyms; result, page, table and manifest.
			if shared := len(first) - fresh; n >= 100_000 && shared < len(first)/4 {
				t.Errorf("the second edition stored %d parts and shares %d", fresh, len(first))
			}
		})
	}
}

// signedWithin is signed for large events.
func (s *system) signedWithin(limit time.Duration) int64 {
	s.t.Helper()
	s.calculate(-1, false)
	r, err := s.results.Result(s.t.Context(), org, event)
	must(s.t, err)
	s.want(http.StatusAccepted, s.ask(s.countApp, http.MethodPost, base+"/sign-off", "mia", map[string]any{"revision": r.Revision, "statement": "Final."}))
	testkit.Eventually(s.t, limit, func() error {
		e, err := s.records.Event(s.t.Context(), org, event)
		if err == nil && e.Gate.State != record.GateSigned {
			err = fmt.Errorf("the gate is %q: %+v", e.Gate.State, e.Gate.Failure)
		}
		return err
	})
	return r.Revision
}

// TestAnEventFromBeforeHistories verifies that the history of an old event is computed
// until its first write, and then begins with its state at that time; and that a
// revision older than recorded causes has an unknown one, while later ones have theirs.
func TestAnEventFromBeforeHistories(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			ctx := t.Context()
			e, err := s.records.Event(ctx, org, event)
			must(t, err)
			e.Governance, e.Rev, e.ContextRev = record.Governance{}, 3, 2 // as it was written before
			must(t, s.records.ReplaceEvent(ctx, org, e, 1))
			s.approved("first", 10)
			s.calculate(-1, false)
			r, err := s.results.Result(ctx, org, event)
			must(t, err)
			r.Version, r.Causes = r.Version+1, nil
			must(t, s.results.PutResult(ctx, r, r.Version-1))

			actions := func() (all []string) {
				a := s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodGet, base+"/history", "mia", nil))
				for _, x := range a.data["items"].([]any) {
					all = append(all, fmt.Sprint(x.(map[string]any)["action"]))
				}
				return all
			}
			if got := fmt.Sprint(actions()); got != "[adopt]" {
				t.Errorf("before the first write the history is %s", got)
			}
			s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPatch, base, "max", map[string]any{"attendees": 50}))
			if got := fmt.Sprint(actions()); got != "[change adopt]" && got != "[adopt change]" {
				t.Errorf("after the first write the history is %s", got)
			}
			s.calculate(-1, false)
			for revision, want := range map[int]string{1: "unknown", 2: "update-event"} {
				causes := s.read(fmt.Sprintf("/results/%d", revision)).data["cause"].([]any)
				if got := fmt.Sprint(causes[0].(map[string]any)["action"]); len(causes) != 1 || got != want {
					t.Errorf("revision %d has the causes %v, want %s", revision, causes, want)
				}
			}
			is, err := s.records.Event(ctx, org, event)
			must(t, err)
			entries, err := s.records.EventEntries(ctx, org, event, 1, is.Rev-1)
			must(t, err)
			if err := record.VerifyEventHistory(is, append(entries, is.Last)); err != nil || is.Begin != 3 {
				t.Errorf("the chain begins at %d: %v", is.Begin, err)
			}
		})
	}
}
