package crosscheck_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/crosscheck"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// library is a library of suppliers' factors: versions by organization and key.
type library map[string][]record.SupplierFactor

func (l library) SupplierFactorVersions(_ context.Context, org record.OrgID, key string) ([]record.SupplierFactor, error) {
	return l[string(org)+"/"+key], nil
}

// place is a process over real stores.
type place struct {
	*testing.T
	records *recordsqlite.Store
	results *sqlitestore.Store
	library library
	checker *crosscheck.Checker
}

func newPlace(t *testing.T) *place {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), sqlitestore.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p := &place{T: t, records: recordsqlite.New(db), results: sqlitestore.New(db), library: library{}}
	p.restart()
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// restart drops all caches.
func (p *place) restart() { p.checker = p.fresh() }

func (p *place) fresh() *crosscheck.Checker {
	return crosscheck.New(eventreader.Reader{Records: p.records, Results: p.results}, p.results, p.library, time.Minute)
}

// open creates an event.
func (p *place) open(org record.OrgID, id record.EventID) {
	p.Helper()
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	_, err := p.records.InsertEvent(p.Context(), org, record.Event{ID: id, Org: org, Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-11",
		Method: record.DefaultMethod, FactorSet: "desnz-2026", CreatedAt: now, UpdatedAt: now, Rev: 1, ContextRev: 1}, record.Unlimited)
	p.must(err)
}

func (p *place) event(org record.OrgID, id record.EventID) record.Event {
	p.Helper()
	ev, err := p.records.Event(p.Context(), org, id)
	p.must(err)
	return ev
}

// put stores an approved record of flights.
func (p *place) put(org record.OrgID, id record.EventID, key, fields string) {
	p.Helper()
	ev := p.event(org, id)
	r := record.Record{ID: record.ID(key), Org: org, Event: id, Type: "flights", Rev: 1, ContextRev: ev.ContextRev, Status: record.Approved,
		CreatedAt: ev.CreatedAt, UpdatedAt: ev.CreatedAt, Mark: record.NewMark(time.Now()), Fields: json.RawMessage(fields)}
	r.Last = record.Entry{Rev: 1, Move: record.Create, To: record.Approved, At: ev.CreatedAt}
	var err error
	if r.Preview, r.Contribution, err = record.Evaluate(r.Type, r.Fields, nil, ev.Context()); err != nil {
		p.Fatal(err)
	}
	if before, err := p.records.FindRecord(p.Context(), org, id, r.ID); err == nil {
		r.Rev, r.Seq = before.Rev+1, before.Seq
		p.must(p.records.ReplaceRecord(p.Context(), org, r, before.Rev))
		return
	}
	_, err = p.records.InsertRecord(p.Context(), org, r)
	p.must(err)
}

func flight(passengers int, more string) string {
	return fmt.Sprintf(`{"class":"economy","date":"2026-06-09","direction":"outbound","from":"LHR","group":"staff","passengers":%d,"to":"JFK"%s}`, passengers, more)
}

func (p *place) settle(org record.OrgID, id record.EventID) resulttree.Result {
	p.Helper()
	p.must(resulttree.NewRecalculator(p.records, p.results, time.Now).Recalculate(p.Context(), org, id))
	r, err := p.results.Result(p.Context(), org, id)
	p.must(err)
	return r
}

// adopt changes the factor set of an event.
func (p *place) adopt(org record.OrgID, id record.EventID, set string) {
	p.Helper()
	p.change(org, id, func(ev *record.Event) {
		ev.FactorSet, ev.ContextRev, ev.Mark = set, ev.ContextRev+1, record.NewMark(time.Now())
	})
}

func (p *place) change(org record.OrgID, id record.EventID, change func(*record.Event)) {
	p.Helper()
	ev := p.event(org, id)
	change(&ev)
	ev.Rev++
	p.must(p.records.ReplaceEvent(p.Context(), org, ev, ev.Rev-1))
}

// forget makes the stored facts of an event unreadable.
func (p *place) forget(org record.OrgID, id record.EventID) {
	p.Helper()
	nodes, err := p.results.Nodes(p.Context(), org, id, "", 0, 0, math.MaxInt64)
	p.must(err)
	for _, n := range nodes {
		p.must(p.results.KeepFacts(p.Context(), org, id, resulttree.NodeFacts{NodeID: n.NodeID, Facts: []byte("\x00\x63")}, n.Version))
	}
	p.restart()
}

// of returns what the records of a result say together, as texts.
func (p *place) of(k *crosscheck.Checker, r resulttree.Result) string {
	p.Helper()
	checks, err := k.Of(p.Context(), p.event(r.Org, r.Event), r)
	p.must(err)
	found, err := json.Marshal(map[string]any{"findings": checks.Findings, "next": checks.Next})
	p.must(err)
	return string(found)
}

// wants verifies what a process says of a result: with the given finding or without.
func (p *place) wants(what string, r resulttree.Result, code string, is bool) {
	p.Helper()
	if got := p.of(p.checker, r); strings.Contains(got, code) != is {
		p.Errorf("%s: %s %t in\n%s", what, code, !is, got)
	}
}

// TestChecksFollowTheRecords: what was found is found until the records, their figures or the event change.
func TestChecksFollowTheRecords(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open("org", "e")
	p.put("org", "e", "a", flight(1, ""))
	p.put("org", "e", "b", flight(2, ""))
	first := p.settle("org", "e")
	p.wants("two flights", first, findings.DuplicateFlight, false)
	p.put("org", "e", "b", flight(1, ""))
	p.wants("twice", p.settle("org", "e"), findings.DuplicateFlight, true)
	p.put("org", "e", "b", flight(2, ""))
	p.wants("as before", p.settle("org", "e"), findings.DuplicateFlight, false)
	// The figures stay the same.
	p.put("org", "e", "b", strings.Replace(flight(1, ""), "06-09", "06-08", 1))
	p.wants("on two days", p.settle("org", "e"), findings.DuplicateFlight, false)
	p.put("org", "e", "b", flight(1, ""))
	p.wants("on one day", p.settle("org", "e"), findings.DuplicateFlight, true)
	p.change("org", "e", func(ev *record.Event) { ev.Boundary = json.RawMessage(`{"included":["waste"],"excluded":[]}`) })
	p.wants("the boundary", p.settle("org", "e"), findings.IncludedTypeMissing, true)
}

// TestRecordsThatHaveMovedOn: what was derived from records that are not those of the result is not kept as its
// checks, which are right again as soon as the records are.
func TestRecordsThatHaveMovedOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open("org", "e")
	p.put("org", "e", "a", flight(1, ""))
	p.put("org", "e", "b", flight(2, ""))
	r := p.settle("org", "e")
	p.forget("org", "e")
	p.put("org", "e", "b", flight(1, "")) // not counted yet
	p.wants("in between", r, findings.DuplicateFlight, true)
	p.put("org", "e", "b", flight(2, ""))
	p.wants("the records of the result", r, findings.DuplicateFlight, false)
	p.restart()
	p.wants("in another process", r, findings.DuplicateFlight, false)
}

// TestAReplacedResult: a request that has read a result which is replaced meanwhile is answered from the newer records.
// That is not kept as the checks of the older result, whose inputs come back if the change is undone.
func TestAReplacedResult(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open("org", "e")
	p.put("org", "e", "a", flight(1, ""))
	p.put("org", "e", "b", flight(2, ""))
	older := p.settle("org", "e")
	p.put("org", "e", "b", flight(1, ""))
	p.settle("org", "e")
	p.wants("meanwhile", older, findings.DuplicateFlight, true)
	p.put("org", "e", "b", flight(2, ""))
	if r := p.settle("org", "e"); r.InputsHash != older.InputsHash {
		t.Fatal("the inputs did not come back")
	} else {
		p.wants("undone", r, findings.DuplicateFlight, false)
	}
}

// TestFiguresAreOfTheResult: what to measure next states figures in the context of the result, though its records were
// recalculated in another one.
func TestFiguresAreOfTheResult(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]bool{"without facts": true, "with facts of the newer result": false} {
		p := newPlace(t)
		p.open("org", "e")
		p.put("org", "e", "a", flight(3, ""))
		p.put("org", "e", "b", flight(50, `,"via":["KEF"]`))
		older := p.settle("org", "e")
		want := p.of(p.fresh(), older)
		p.adopt("org", "e", "desnz-2024")
		newer := p.settle("org", "e")
		if forget {
			p.forget("org", "e")
		}
		p.restart()
		if got := p.of(p.checker, older); got != want {
			t.Errorf("%s, of the older result\n%s\nwant\n%s", name, got, want)
		}
		now := p.of(p.fresh(), newer)
		if now == want {
			t.Fatal("both sets have the same factors")
		}
		for _, k := range []*crosscheck.Checker{p.checker, p.fresh()} {
			if got := p.of(k, newer); got != now {
				t.Errorf("%s, of the newer result\n%s\nwant\n%s", name, got, now)
			}
		}
	}
}

// TestWithdrawnFactors are found by their version, in the library of the organization, as soon as they are withdrawn.
func TestWithdrawnFactors(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	supplier := func(version int, status record.SupplierStatus, comment string) record.SupplierFactor {
		return record.SupplierFactor{SupplierFactor: footprint.SupplierFactor{Name: "Green Air", Version: int64(version)}, Status: status,
			History: []record.SupplierEntry{{Comment: "proposed"}, {Comment: comment}}}
	}
	use := func(version int) string {
		return fmt.Sprintf(`,"roundTrip":true,"supplierFactor":"Green Air@%d","supplier":{"id":"f%[1]d","name":"Green Air","version":%[1]d,"kgCO2ePerUnit":0.1,"unit":"passenger-km","stage":"combined","source":"contract","evidence":[]}`, version)
	}
	p.open("org", "e")
	both := func(passengers, version int) string {
		return strings.Replace(flight(passengers, use(version)), `"direction":"outbound",`, "", 1)
	}
	p.put("org", "e", "a", both(1, 1))
	p.put("org", "e", "b", both(2, 2))
	r := p.settle("org", "e")
	p.library["org/green air"] = []record.SupplierFactor{supplier(1, record.SupplierApproved, ""), supplier(2, record.SupplierApproved, "")}
	p.library["other/green air"] = []record.SupplierFactor{supplier(1, record.SupplierWithdrawn, "elsewhere"), supplier(2, record.SupplierWithdrawn, "elsewhere")}
	if got := p.of(p.checker, r); !strings.HasPrefix(got, `{"findings":[],`) {
		t.Errorf("approved: %s", got)
	}
	for _, status := range []record.SupplierStatus{record.SupplierProposed, record.SupplierRejected} {
		p.library["org/green air"][1] = supplier(2, status, "")
		p.wants(string(status), r, findings.SupplierWithdrawn, false)
	}
	p.library["org/green air"][1] = supplier(2, record.SupplierWithdrawn, "the contract has ended")
	checks, err := p.checker.Of(t.Context(), p.event("org", "e"), r)
	p.must(err)
	var about []findings.Finding
	for _, f := range checks.Findings {
		if f.Code == findings.SupplierWithdrawn {
			about = append(about, f)
		}
	}
	if len(about) != 1 || !reflect.DeepEqual(about[0].RecordIDs, []record.ID{"b"}) || !strings.Contains(about[0].Message, "Green Air@2") || strings.Contains(about[0].Message, "the contract has ended") {
		t.Errorf("one version was withdrawn: %+v", about)
	}
	p.library["org/green air"][1] = supplier(2, record.SupplierApproved, "")
	p.wants("approved again", r, findings.SupplierWithdrawn, false)
}

// TestTooManyRecords are not compared, and the answer says so. One fewer are.
func TestTooManyRecords(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open("org", "e")
	p.put("org", "e", "a", flight(1, ""))
	r := p.settle("org", "e")
	var one total.Contribution
	p.must(json.Unmarshal(r.Contribution, &one))
	all := make([]total.Contribution, eventreader.MaxRecords+1)
	for i := range all {
		all[i] = one
	}
	for n, left := range map[int]bool{eventreader.MaxRecords: false, eventreader.MaxRecords + 1: true} {
		var err error
		r.Contribution, err = json.Marshal(total.Sum(all[:n]...))
		p.must(err)
		checks, err := p.checker.Of(t.Context(), p.event("org", "e"), r)
		p.must(err)
		if got := len(checks.Findings) == 1 && checks.Findings[0].Code == findings.NotChecked; got != left || checks.Next == nil {
			t.Errorf("of %d records: %+v", n, checks)
		}
	}
}
