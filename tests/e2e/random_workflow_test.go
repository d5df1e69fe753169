package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestRandomMovesAgainstTheReference makes random people of two organizations make
// random moves, and compares every response, and in the end everything that can be
// read, with the reference. ECF_MODEL_CHECKS sets how many courses are played on each
// engine.
func TestRandomMovesAgainstTheReference(t *testing.T) {
	t.Parallel()
	checks := courses(t, 2)
	for name, value := range map[string]string{
		"rapid.seed": fmt.Sprint(testkit.Seed(t)), "rapid.checks": fmt.Sprint(checks), "rapid.steps": "60",
	} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	onBothEngines(t, map[string]string{"ECF_QUOTAS": "team=unlimited"}, func(t *testing.T, s *system) {
		people := [][]*person{s.people(t, "one"), s.people(t, "two")}
		answers := 0
		rapid.Check(t, func(rt *rapid.T) {
			w := newCourse(t, rt, people)
			defer func() { answers += w.answers }()
			rt.Repeat(map[string]func(*rapid.T){
				"create": w.create, "move": w.move, "move on": w.moveOn, "submit many": w.submitMany, "approve many": w.approveMany,
				"set policy": w.setPolicy, "read": w.read, "": func(*rapid.T) {},
			})
			w.readAll(rt)
			w.settle(rt)
		})
		t.Logf("%d courses, %d answers compared", checks, answers)
	})
}

// courses returns how many random courses are played; few by default.
func courses(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("ECF_MODEL_CHECKS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("ECF_MODEL_CHECKS=%q is not a number of courses", text)
	}
	return n
}

// people creates an organization of two users, two managers and an admin.
func (s *system) people(t *testing.T, name string) []*person {
	t.Helper()
	org := s.organization(t, name, "team")
	o := &refOrg{}
	var all []*person
	for i, role := range []identity.Role{identity.User, identity.User, identity.Manager, identity.Manager, identity.Admin} {
		email := fmt.Sprintf("%s%d@other.test", name, i)
		s.account(t, org, email, role)
		c := s.as(t, email)
		all = append(all, &person{caller: c, org: o, id: c.get("/auth/me").want(http.StatusOK).str("_id"), name: email, role: role.String()})
	}
	o.admin = all[4]
	return all
}

// course is a sequence of random moves: a new event in each organization.
type course struct {
	t       *testing.T
	people  []*person
	orgs    []*refOrg
	answers int
}

func newCourse(t *testing.T, rt *rapid.T, people [][]*person) *course {
	w := &course{t: t}
	for _, some := range people {
		o := some[0].org
		*o = refOrg{
			admin: o.admin, fourEyes: rapid.Bool().Draw(rt, "four eyes"),
			approvesSmall: rapid.Bool().Draw(rt, "auto-approval"), checksAll: rapid.IntRange(0, 3).Draw(rt, "all checked") == 0,
		}
		w.orgs = append(w.orgs, o)
		w.people = append(w.people, some...)
		a := w.ask(o.admin, http.MethodPatch, "/organization", policyBody(o), nil)
		if a.status == http.StatusAccepted {
			// Four eyes are left on by the course before, and stay on: switching them
			// off takes a second administrator.
			o.fourEyes = true
			a = w.ask(o.admin, http.MethodPatch, "/organization", policyBody(o), nil)
		}
		if a.status == http.StatusAccepted {
			// So is automatic approval that is looser than before.
			var in struct {
				Data struct {
					Policy struct {
						AutoApproveBelowKg any `json:"autoApproveBelowKg"`
						SpotCheckOneIn     any `json:"spotCheckOneIn"`
					} `json:"policy"`
				} `json:"data"`
			}
			if err := json.Unmarshal(a.body, &in); err != nil {
				rt.Fatalf("policy: %v", err)
			}
			o.approvesSmall, o.checksAll = in.Data.Policy.AutoApproveBelowKg != nil, fmt.Sprint(in.Data.Policy.SpotCheckOneIn) == "1"
			a = w.ask(o.admin, http.MethodPatch, "/organization", policyBody(o), nil)
		}
		if a.status != http.StatusOK {
			rt.Fatalf("policy: %s", a.body)
		}
		a = w.ask(some[2], http.MethodPost, "/events", map[string]any{"title": "Random", "country": "GB"}, nil)
		if a.status != http.StatusCreated {
			rt.Fatalf("event: %s", a.body)
		}
		o.event = a.str("_id")
	}
	return w
}

func policyBody(o *refOrg) map[string]any {
	policy := map[string]any{"fourEyes": o.fourEyes, "autoApproveBelowKg": nil, "spotCheckOneIn": nil}
	if o.approvesSmall {
		policy["autoApproveBelowKg"] = 1
		if o.checksAll {
			policy["spotCheckOneIn"] = 1
		}
	}
	return map[string]any{"policy": policy}
}

func (w *course) ask(by *person, method, path string, body any, header map[string]string) *answer {
	w.answers++
	return by.caller.do(method, path, body, header)
}

// Random choices.

func (w *course) somebody(rt *rapid.T) *person { return rapid.SampledFrom(w.people).Draw(rt, "who") }

// weight is one that policies approve, or one that they do not.
func weight(rt *rapid.T) int { return rapid.SampledFrom([]int{1, 100, 200, 1300}).Draw(rt, "weight") }

// someRecord returns any record of any organization, deleted or not, or none.
func (w *course) someRecord(rt *rapid.T, of ...*refOrg) *refRecord {
	all := []*refRecord{nil}
	for _, o := range of {
		all = append(all, o.records...)
	}
	return rapid.SampledFrom(all).Draw(rt, "record")
}

func dryRun(rt *rapid.T) (header map[string]string, dry bool) {
	if dry = rapid.IntRange(0, 9).Draw(rt, "dry run") == 0; dry {
		return map[string]string{"X-Dry-Run": "true"}, true
	}
	return map[string]string{}, false
}

// Moves.

func (w *course) create(rt *rapid.T) {
	by := w.somebody(rt)
	event := by.org.event
	if rapid.IntRange(0, 5).Draw(rt, "elsewhere") == 0 {
		event = rapid.SampledFrom(w.orgs).Draw(rt, "event").event
	}
	header, dry := dryRun(rt)
	r := create(by, weight(rt))
	a := w.ask(by, http.MethodPost, "/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": r.weightKg}, header)
	if event != by.org.event {
		w.compare(rt, a, verdict{status: http.StatusNotFound, code: "EVENT_NOT_FOUND"}, nil)
		return
	}
	if a.status == http.StatusCreated {
		r.id = a.str("_id")
	}
	w.compare(rt, a, verdict{status: http.StatusCreated}, r)
	if !dry {
		by.org.records = append(by.org.records, r)
	}
}

// move makes any move by anyone on anything.
func (w *course) move(rt *rapid.T) {
	w.make(rt, w.somebody(rt), w.someRecord(rt, w.orgs...), rapid.SampledFrom(refMoves()).Draw(rt, "move"))
}

// moveOn makes a move that the table allows, by a person likely to be permitted, so
// that records reach late states.
func (w *course) moveOn(rt *rapid.T) {
	by := w.somebody(rt)
	r := w.someRecord(rt, by.org)
	if r == nil {
		return
	}
	fits := slices.DeleteFunc(refMoves(), func(m refMove) bool { return !slices.Contains(m.from, r.status) || m.name == "delete" })
	w.make(rt, by, r, rapid.SampledFrom(fits).Draw(rt, "move"))
}

func (w *course) make(rt *rapid.T, by *person, r *refRecord, m refMove) {
	header, dry := dryRun(rt)
	matches := true
	id, event := "nothing", by.org.event
	if r != nil {
		id, event = r.id, r.org.event
		matches = w.ifMatch(rt, by, r, header)
	}
	comment := ""
	var body any
	to := weight(rt)
	switch {
	case m.name == "edit":
		body = map[string]any{"weightKg": to}
	case m.rank == 2 && rapid.IntRange(0, 3).Draw(rt, "comment") > 0:
		comment = "Because."
		body = map[string]any{"comment": comment}
	}
	method, path := http.MethodPost, "/events/"+event+"/waste/"+id+"/"+m.name
	switch m.name {
	case "edit":
		method, path = http.MethodPatch, "/events/"+event+"/waste/"+id
	case "delete":
		method, path = http.MethodDelete, "/events/"+event+"/waste/"+id
	}
	want := judgeMove(m, by, event, r, comment, matches)
	var next *refRecord
	if want.status == http.StatusOK {
		next = r.after(m, by, comment, to)
	}
	w.compare(rt, w.ask(by, method, path, body, header), want, next)
	if next != nil && !dry {
		*r = *next
	}
}

// ifMatch may add the present or an earlier tag of a record.
func (w *course) ifMatch(rt *rapid.T, by *person, r *refRecord, header map[string]string) (matches bool) {
	if r.deleted || r.org != by.org {
		return true
	}
	switch rapid.IntRange(0, 5).Draw(rt, "If-Match") {
	case 0:
		header["If-Match"] = w.ask(by, http.MethodGet, r.path(), nil, nil).header.Get("ETag")
	case 1:
		header["If-Match"] = fmt.Sprintf(`"%d.1.%s"`, r.revision-1, r.id)
		return false
	case 2:
		header["If-Match"] = "*"
	}
	return true
}

func (r *refRecord) path() string { return "/events/" + r.org.event + "/waste/" + r.id }

func (w *course) submitMany(rt *rapid.T) {
	by := w.somebody(rt)
	w.many(rt, by, "/events/"+by.org.event+"/waste/submit", refMoveOf("submit"))
}

func (w *course) approveMany(rt *rapid.T) {
	by := w.somebody(rt)
	w.many(rt, by, "/events/"+by.org.event+"/review/approve", refMoveOf("approve"))
}

// many makes one move on several records, including other people's.
func (w *course) many(rt *rapid.T, by *person, path string, m refMove) {
	var chosen []*refRecord
	var ids []string
	for range rapid.IntRange(1, 6).Draw(rt, "how many") {
		r := w.someRecord(rt, w.orgs...)
		id := fmt.Sprint("nothing", len(ids))
		if r != nil {
			id = r.id
		}
		if !slices.Contains(ids, id) {
			ids, chosen = append(ids, id), append(chosen, r)
		}
	}
	header, dry := dryRun(rt)
	a := w.ask(by, http.MethodPost, path, map[string]any{"ids": ids}, header)
	if by.rank() < m.rank {
		w.compare(rt, a, verdict{status: http.StatusForbidden, code: "FORBIDDEN"}, nil)
		return
	}
	w.compare(rt, a, verdict{status: http.StatusOK}, nil)
	for i, r := range chosen {
		want := judgeRecord(m, by, r, true)
		item := &answer{t: w.t, what: fmt.Sprintf("%s, item %d", a.what, i), status: want.status, body: rawOf(a.data("items", i))}
		if id := item.at("_id"); id != ids[i] {
			rt.Fatalf("%s: is of %v, want %s", item.what, id, ids[i])
		}
		if want.status != http.StatusOK {
			compareRefusal(rt, item, want)
			continue
		}
		next := r.after(m, by, "", 0)
		compareRecord(rt, item.what, item.at("record"), next)
		if !dry {
			*r = *next
		}
	}
}

func (w *course) setPolicy(rt *rapid.T) {
	by := w.somebody(rt)
	if rapid.IntRange(0, 2).Draw(rt, "an admin") > 0 {
		by = by.org.admin
	}
	wanted := *by.org
	wanted.fourEyes = rapid.Bool().Draw(rt, "four eyes")
	wanted.approvesSmall = rapid.Bool().Draw(rt, "auto-approval")
	wanted.checksAll = rapid.Bool().Draw(rt, "all checked")
	was := by.org
	if was.fourEyes && !wanted.fourEyes {
		wanted.approvesSmall, wanted.checksAll = was.approvesSmall, was.checksAll // nothing else changes
	}
	loosens := was.fourEyes && (!wanted.fourEyes || wanted.approvesSmall && (!was.approvesSmall || was.checksAll && !wanted.checksAll))
	header, dry := dryRun(rt)
	a := w.ask(by, http.MethodPatch, "/organization", policyBody(&wanted), header)
	if by.role != "admin" {
		w.compare(rt, a, verdict{status: http.StatusForbidden, code: "FORBIDDEN"}, nil)
		return
	}
	if loosens {
		// It waits for a second administrator, whom these organizations do not have.
		w.compare(rt, a, verdict{status: http.StatusAccepted}, nil)
		return
	}
	w.compare(rt, a, verdict{status: http.StatusOK}, nil)
	if !dry {
		*by.org = wanted
	}
}

// rawOf returns a part of a response as if it were a response.
func rawOf(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// settle waits until each organization's result matches its approved records.
func (w *course) settle(rt *rapid.T) {
	for _, o := range w.orgs {
		deadline := time.Now().Add(30 * time.Second)
		wrong := ""
		testkit.Eventually(w.t, time.Minute, func() error {
			if wrong = w.resultFault(o); wrong == "" || time.Now().After(deadline) {
				return nil
			}
			return fmt.Errorf("%s", wrong)
		})
		if wrong != "" {
			rt.Fatalf("the result of %s: %s", o.event, wrong)
		}
	}
}
