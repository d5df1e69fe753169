package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// named identifies a record of the source: its type and its key there.
type named struct{ typ, ref string }

func (n named) path(event string) string {
	return "/events/" + event + "/" + n.typ + "/by-reference/" + url.PathEscape(n.ref)
}

// source is the system from which records are synchronized daily.
type source struct {
	rng  *rand.Rand
	rows map[named]int // the one quantity of each row
	made int
	// edits counts the changes of each row; approved holds what was approved in its
	// present state.
	edits    map[named]int
	approved map[named]bool
	// reopened counts the changes of rows that had been approved.
	reopened map[named]int
}

// quantity is the field that changes, by type.
var quantity = map[string]string{"waste": "weightKg", "water": "supplyM3"}

func (s *source) body(n named) map[string]any {
	body := map[string]any{quantity[n.typ]: s.rows[n], "description": "line\r\n" + n.ref}
	if n.typ == "waste" {
		body["treatment"] = "landfill"
	}
	return body
}

func (s *source) add(kg int) {
	s.made++
	typ := []string{"waste", "water"}[s.rng.IntN(2)]
	s.rows[named{typ, fmt.Sprintf("ERP/%d é%%2F", s.made)}] = kg
}

// pick returns some rows, in an order that depends on the seed only.
func (s *source) pick(oneIn int) (some []named) {
	all := slices.SortedFunc(maps.Keys(s.rows), func(a, b named) int { return compareText(a.typ+a.ref, b.typ+b.ref) })
	for _, n := range all {
		if s.rng.IntN(oneIn) == 0 {
			some = append(some, n)
		}
	}
	return some
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (s *source) forget(n named) {
	delete(s.rows, n)
	delete(s.edits, n)
	delete(s.approved, n)
	delete(s.reopened, n)
}

// day changes the source: rows are added, changed, cancelled and renamed.
func (s *source) day(news int) {
	for _, n := range s.pick(5) {
		s.rows[n]++
		s.edits[n]++
		if s.approved[n] {
			s.reopened[n]++
		}
		delete(s.approved, n)
	}
	for _, n := range s.pick(12) {
		s.forget(n)
	}
	for _, n := range s.pick(12) {
		kg := s.rows[n]
		s.forget(n)
		s.add(kg)
	}
	for range news {
		s.add(1 + s.rng.IntN(500))
	}
}

// nightly synchronizes an event with the source. It knows of earlier runs only what the
// API returns, and may die before any of its calls.
type nightly struct {
	*caller
	event string
	// calls is how many calls are left before it dies; negative for unlimited.
	calls int
}

// died is the panic value of a run that dies.
type died struct{}

func (y *nightly) call(method, path string, body any) *answer {
	if y.calls == 0 {
		panic(died{})
	}
	y.calls--
	return y.do(method, path, body, nil)
}

// exported is a record in the JSON form of the export.
type exported struct {
	ID        string      `json:"_id"`
	Type      string      `json:"type"`
	Status    string      `json:"status"`
	Reference string      `json:"externalReference"`
	Weight    json.Number `json:"weightKg"`
	Supply    json.Number `json:"supplyM3"`
}

func (r exported) named() named { return named{r.Type, r.Reference} }

// export reads the whole event in one call.
func export(c *caller, event string) (all []exported) {
	a := c.do(http.MethodGet, "/events/"+event+"/export", nil, map[string]string{"Accept": "application/json"})
	var read struct{ Data struct{ Items []exported } }
	if err := json.Unmarshal(a.body, &read); err != nil || a.status != http.StatusOK {
		c.t.Errorf("export: %d, %v", a.status, err)
	}
	return read.Data.Items
}

// unlock makes a record a draft again: it withdraws a submitted record and reopens a
// decided one, with the reason.
func (y *nightly) unlock(r exported, why string) {
	at := "/events/" + y.event + "/" + r.Type + "/" + r.ID
	switch r.Status {
	case "submitted":
		y.call(http.MethodPost, at+"/withdraw", nil)
	case "approved":
		y.call(http.MethodPost, at+"/reopen", map[string]any{"comment": why})
	}
}

// run is one synchronization; whole reports whether it completed.
func (y *nightly) run(s *source) (whole bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(died); !ok {
				panic(v)
			}
		}
	}()
	there := map[named]exported{}
	for _, r := range export(y.caller, y.event) {
		there[r.named()] = r
	}
	due := map[string][]string{}
	for n := range s.rows {
		r, known := there[n]
		a := y.call(http.MethodPut, n.path(y.event), s.body(n))
		if a.status == http.StatusConflict && known {
			y.unlock(r, "changed at the source")
			a = y.call(http.MethodPut, n.path(y.event), s.body(n))
		}
		if a.status != http.StatusOK && a.status != http.StatusCreated {
			continue // the other run is working on it, or the next one will
		}
		if status := a.str("status"); status == "unsubmitted" || status == "changes_requested" {
			due[n.typ] = append(due[n.typ], a.str("_id"))
		}
	}
	for n, r := range there {
		if _, wanted := s.rows[n]; !wanted {
			y.unlock(r, "cancelled at the source")
			y.call(http.MethodDelete, n.path(y.event), nil)
		}
	}
	for typ, ids := range due {
		for chunk := range slices.Chunk(ids, 100) {
			y.call(http.MethodPost, "/events/"+y.event+"/"+typ+"/submit", map[string]any{"ids": chunk})
		}
	}
	return true
}

// TestNightlySync synchronizes thirty days of a changing source by runs that die
// between any two calls and that overlap. After each day the system equals the source,
// without duplicates; what did not change stays approved and the queue holds the rest;
// the histories have one edit for each change of the source, and a reason for each
// reopened record.
func TestNightlySync(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	rng := testkit.Rand(t)
	days, news := 3, 6
	if testkit.Long(t) {
		days, news = 30, 15
	}
	s.account(t, s.org, "sync@example.test", identity.Manager)
	robot, manager := s.as(t, "sync@example.test"), s.manager(t)
	event := manager.do(http.MethodPut, "/events/by-reference/ERP%2F2026", map[string]any{"title": "Synchronized", "country": "GB"}, nil).want(http.StatusCreated).str("_id")
	src := &source{rng: rng, rows: map[named]int{}, edits: map[named]int{}, approved: map[named]bool{}, reopened: map[named]int{}}
	for day := range days {
		src.day(news)
		// Some runs that die, two concurrently, and then one that does not.
		for range 2 {
			var group sync.WaitGroup
			for range 2 {
				run := &nightly{caller: robot, event: event, calls: 1 + rng.IntN(2*len(src.rows)+4)}
				group.Go(func() { run.run(src) })
			}
			group.Wait()
		}
		for attempt := 0; ; attempt++ {
			if (&nightly{caller: robot, event: event, calls: -1}).run(src) && settled(export(robot, event), src) {
				break
			}
			if attempt == 3 {
				break // the differences are reported below
			}
		}
		src.compare(t, manager, event, day)
		src.decide(t, manager, event)
	}
	src.explain(t, manager, event)
}

// settled reports whether no work is left for another run.
func settled(all []exported, s *source) bool {
	return len(all) == len(s.rows) && !slices.ContainsFunc(all, func(r exported) bool { return r.Status != "submitted" && r.Status != "approved" })
}

// compare compares the event with the source.
func (s *source) compare(t *testing.T, c *caller, event string, day int) {
	t.Helper()
	seen := map[named]bool{}
	waiting := 0
	for _, r := range export(c, event) {
		n := r.named()
		amount, wanted := s.rows[n]
		got := r.Weight
		if n.typ == "water" {
			got = r.Supply
		}
		switch {
		case seen[n]:
			t.Errorf("day %d: %v exists twice", day, n)
		case !wanted:
			t.Errorf("day %d: %v was cancelled, but exists", day, n)
		case got.String() != fmt.Sprint(amount):
			t.Errorf("day %d: %v is %s, want %d", day, n, got, amount)
		case s.approved[n] && r.Status != "approved":
			t.Errorf("day %d: %v was approved and did not change, but is %s", day, n, r.Status)
		case !s.approved[n] && r.Status != "submitted":
			t.Errorf("day %d: %v is %s, want it in the queue", day, n, r.Status)
		}
		seen[n] = true
		if r.Status == "submitted" {
			waiting++
		}
	}
	if len(seen) != len(s.rows) {
		t.Errorf("day %d: %d records, want %d", day, len(seen), len(s.rows))
	}
	if total := c.get("/events/"+event+"/review?limit=1").want(http.StatusOK).number("pagination", "total"); total != fmt.Sprint(len(s.rows)-len(s.approved)) || total != fmt.Sprint(waiting) {
		t.Errorf("day %d: %s records in the queue, want %d", day, total, len(s.rows)-len(s.approved))
	}
}

// decide approves some of the queue.
func (s *source) decide(t *testing.T, c *caller, event string) {
	t.Helper()
	var ids []string
	for _, r := range export(c, event) {
		if r.Status == "submitted" && s.rng.IntN(2) == 0 {
			ids = append(ids, r.ID)
			s.approved[r.named()] = true
		}
	}
	for chunk := range slices.Chunk(ids, 100) {
		if a := c.post("/events/"+event+"/review/approve", map[string]any{"ids": chunk}).want(http.StatusOK); a.number("failed") != "0" {
			t.Errorf("not approved: %s", a.body)
		}
	}
}

// explain compares the histories with the changes of the source.
func (s *source) explain(t *testing.T, c *caller, event string) {
	t.Helper()
	for _, r := range export(c, event) {
		n := r.named()
		a := c.get("/events/" + event + "/" + r.Type + "/" + r.ID + "/history?limit=100").want(http.StatusOK)
		var read struct {
			Data struct {
				Items []struct {
					Action  string
					Comment string
				}
			}
		}
		if err := json.Unmarshal(a.body, &read); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, e := range read.Data.Items {
			count[e.Action]++
			if e.Action == "reopen" && e.Comment != "changed at the source" {
				t.Errorf("%v was reopened without a reason", n)
			}
		}
		if count["create"] != 1 || count["edit"] != s.edits[n] || count["reopen"] != s.reopened[n] {
			t.Errorf("%v: %v, want 1 create, %d edits and %d times reopened", n, count, s.edits[n], s.reopened[n])
		}
	}
}
