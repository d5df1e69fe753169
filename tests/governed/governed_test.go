// Package governed plays random moves of several people on an event, whose processes
// die between any two writes, and compares the outcome with a model that knows the
// rules and the published factors and shares no code with the product.
package governed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// play is one run.
type play struct {
	*system
	random  *rand.Rand
	model   world
	records map[string]record.Record // by the names of the model
	names   int
	log     []string

	revision int64 // the newest
	last     world // at that revision
	deeds    []deed
	kept     map[int64]map[string][]byte // the responses for signed revisions
}

// TestGovernedFigures verifies, for any order of moves and any crashes, that every
// outcome is one that the rules allow; that the figure is that of the approved records;
// that a signed one does not change by a bit; that each revision names its causes; that
// all differences add up to the figure; and that all histories verify, unless they are
// tampered with.
func TestGovernedFigures(t *testing.T) {
	t.Parallel()
	moves, rounds := 30, 1
	if testkit.Long(t) {
		moves, rounds = 250, 20
	}
	for name, open := range engines() {
		for round := range rounds {
			t.Run(fmt.Sprintf("%s/%d", name, round), func(t *testing.T) {
				t.Parallel()
				p := &play{system: found(t, open), random: testkit.Rand(t), kept: map[int64]map[string][]byte{}}
				p.model = world{setting: setting{forcing: true, factorSet: "desnz-2026", attendees: 100, days: 1}, ctxRev: 1, title: "Gala", lines: map[string]line{}}
				p.last = p.model.clone()
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("moves:\n%s", strings.Join(p.log, "\n"))
					}
				})
				for range moves {
					p.step()
				}
				p.end()
			})
		}
	}
}

func (p *play) event() record.Event {
	p.t.Helper()
	e, err := p.system.records.Event(p.t.Context(), org, event)
	must(p.t, err)
	return e
}

// step makes one move and, usually, lets the worker follow it.
func (p *play) step() {
	p.t.Helper()
	m := p.next()
	before := p.model.clone()
	if p.random.IntN(3) == 0 {
		p.process.dieAt(p.random.IntN(6), p.random.IntN(2) == 0)
	}
	a := p.ask(m.app(p.system), m.method, m.path, m.as, m.body)
	p.settled()
	died := p.process.spare()
	p.log = append(p.log, fmt.Sprintf("%s by %s: %d %s died=%t", m.what, m.as, a.status, a.code, died))
	if died {
		p.recover()
	}
	accepted := len(m.refused) == 0
	if !died {
		if accepted != (a.status < 300) || !accepted && !slices.Contains(m.refused, a.code) {
			p.t.Fatalf("%s by %s: %d %.300s; the rules require a refusal with %v", m.what, m.as, a.status, a.body, m.refused)
		}
	}
	after := before.clone()
	if accepted {
		m.does(&after)
	}
	found, byName := p.observed()
	p.records = byName
	switch state := found.state(); {
	case state == after.state() && (!died || state != before.state() || !accepted):
		p.model = after
		if accepted && m.deed.action != "" {
			p.deeds = append(p.deeds, m.deed)
		}
	case died && state == before.state():
		p.model = before
	case died && accepted && m.interrupted != nil && p.left(m, before).state() == state:
		p.model = p.left(m, before)
	default:
		p.t.Fatalf("%s by %s (died: %t): the event is\n%s\nwant\n%s\nor\n%s", m.what, m.as, died, state, after.state(), before.state())
	}
	if died { // what an effect was calculated on is not visible from outside
		for i, c := range found.proposals {
			mine := &p.model.proposals[i]
			mine.assessed, mine.ctxRev, mine.revision = c.assessed, c.ctxRev, c.revision
		}
	}
	if p.model.signed && !before.signed {
		p.keep(p.model.editions[len(p.model.editions)-1].revision)
	}
	if p.random.IntN(4) > 0 || p.openChanges() {
		p.follow()
	}
}

// left returns the world after a move that was interrupted.
func (p *play) left(m move, before world) world {
	w := before.clone()
	m.interrupted(&w)
	return w
}

// openChanges reports whether there are changes whose effect must be calculated.
func (p *play) openChanges() bool { return len(p.model.proposals) > 0 }

// follow lets the worker calculate, and checks the figure and its causes.
func (p *play) follow() {
	p.t.Helper()
	dieAt := -1
	if p.random.IntN(3) == 0 {
		dieAt = p.random.IntN(10)
	}
	p.calculate(dieAt, p.random.IntN(2) == 0)
	result, err := p.results.Result(p.t.Context(), org, event)
	if err != nil {
		if len(p.model.counted()) > 0 {
			p.t.Fatal(err)
		}
		return
	}
	p.checkCauses(result.Revision)
	p.revision = result.Revision
	p.checkFigure()
	if p.openChanges() {
		p.checkChanges()
	}
}

// checkFigure compares the newest revision with the model.
func (p *play) checkFigure() {
	p.t.Helper()
	data := p.read(fmt.Sprintf("/results/%d", p.revision)).data
	total := data["total"].(map[string]any)["kgCO2e"]
	if want := p.model.figure(); !near(kilograms(total), want) {
		p.t.Fatalf("revision %d is %v, but the records add up to %s", p.revision, total, want.FloatString(9))
	}
	one, daily := p.model.perAttendee()
	if !near(kilograms(data["perAttendeeKg"]), one) || !near(kilograms(data["perAttendeeDayKg"]), daily) {
		p.t.Fatalf("revision %d has %v and %v per attendee, want %s and %s", p.revision, data["perAttendeeKg"], data["perAttendeeDayKg"], one.FloatString(9), daily.FloatString(9))
	}
	if n := len(p.model.editions); p.model.signed && p.model.editions[n-1].revision != p.revision {
		p.t.Fatalf("revision %d was signed, the newest is %d", p.model.editions[n-1].revision, p.revision)
	}
}

// checkCauses verifies that the revisions since the last check name exactly what was
// done.
func (p *play) checkCauses(newest int64) {
	p.t.Helper()
	is, was := p.model.counted(), p.last.counted()
	moved := p.model.ctxRev != p.last.ctxRev && p.revision > 0 // the first has no predecessor
	if p.revision == 0 {
		p.deeds = append(p.deeds, deed{action: "create", by: "mia"})
	}
	named := map[deed]bool{}
	for n := p.revision + 1; n <= newest; n++ {
		causes, _ := p.read(fmt.Sprintf("/results/%d", n)).data["cause"].([]any)
		for _, c := range causes {
			cause := c.(map[string]any)
			by, _ := cause["by"].(map[string]any)
			d := deed{action: fmt.Sprint(cause["action"]), by: fmt.Sprint(by["_id"])}
			if !slices.ContainsFunc(p.deeds, func(done deed) bool { return done.action == d.action && done.by == d.by }) {
				p.t.Fatalf("revision %d names %+v, which nobody has done since revision %d: %v", n, d, p.revision, p.deeds)
			}
			ids, _ := cause["recordIds"].([]any)
			named[d] = true
			for _, id := range ids {
				named[deed{d.action, d.by, fmt.Sprint(id)}] = true
			}
		}
	}
	changed := func(d deed) bool { return d.record == "" && moved || d.record != "" && is[d.record] != was[d.record] }
	seen := map[string]bool{}
	for _, d := range slices.Backward(p.deeds) { // the last act on a record determines whether it counts
		if !changed(d) || d.record != "" && seen[d.record] {
			continue
		}
		seen[d.record] = true
		want := d
		if d.record != "" {
			want.record = string(p.records[d.record].ID)
		}
		if !named[want] {
			p.t.Fatalf("revisions %d to %d name %v, not %+v", p.revision+1, newest, named, d)
		}
	}
	p.deeds, p.last = nil, p.model.clone()
}

// checkChanges reads the open changes, which calculates their effects.
func (p *play) checkChanges() {
	p.t.Helper()
	items, _ := p.read("/changes").data["items"].([]any)
	if len(items) != len(p.model.proposals) {
		p.t.Fatalf("%d changes are open, want %d", len(items), len(p.model.proposals))
	}
	for i := range items { // it is a list like all others
		page := p.read(fmt.Sprintf("/changes?limit=1&page=%d", i+1)).data
		one, _ := page["items"].([]any)
		counted, _ := page["pagination"].(map[string]any)
		if len(one) != 1 || one[0].(map[string]any)["_id"] != items[i].(map[string]any)["_id"] || fmt.Sprint(counted["total"]) != fmt.Sprint(len(items)) {
			p.t.Fatalf("page %d of %d changes: %v", i+1, len(items), page)
		}
	}
	for i := range p.model.proposals {
		c := &p.model.proposals[i]
		if !c.assessed { // the first read calculates it
			c.assessed, c.ctxRev, c.revision = true, p.model.ctxRev, p.revision
		}
		item := items[i].(map[string]any)
		if c.signs > 0 {
			continue
		}
		if item["stale"] != p.stale(*c) {
			p.t.Fatalf("change %d: %v, stale should be %t (context %d of %d, revision %d of %d)", i, item, p.stale(*c), c.ctxRev, p.model.ctxRev, c.revision, p.revision)
		}
		effect, _ := item["effect"].(map[string]any)
		if effect["after"] == nil || p.stale(*c) {
			continue
		}
		would := p.model.clone()
		c.apply(&would.setting)
		got := effect["after"].(map[string]any)["total"].(map[string]any)["kgCO2e"]
		if !near(kilograms(got), would.figure()) {
			p.t.Fatalf("change %d would give %v, want %s", i, got, would.figure().FloatString(9))
		}
	}
}

// keep stores everything that is served for a signed revision.
func (p *play) keep(revision int64) {
	p.t.Helper()
	p.kept[revision] = p.served(revision)
}

func (p *play) served(revision int64) map[string][]byte {
	p.t.Helper()
	at := fmt.Sprintf("/results/%d", revision)
	served := map[string][]byte{
		"explain": p.read(at + "/explain").body, "bundle": p.read(at+"/report", "Accept", "application/json").body,
		"roles": p.read(at+"/report?names=roles", "Accept", "application/json").body,
		"page":  p.read(at+"/report", "Accept", "text/html").body, "table": p.read(at+"/report", "Accept", "text/csv").body,
	}
	// The status is that at the time of the response.
	served["result"] = bytes.Replace(p.read(at).body, []byte(`"status":"superseded"`), []byte(`"status":"current"`), 1)
	return served
}

// end checks the invariants of the whole run.
func (p *play) end() {
	p.t.Helper()
	p.follow()
	for revision, before := range p.kept {
		for what, is := range p.served(revision) {
			if !bytes.Equal(is, before[what]) {
				p.t.Errorf("%s of the signed revision %d has changed:\n%.400s\nwas\n%.400s", what, revision, is, before[what])
			}
		}
		for _, what := range []string{"bundle", "roles"} {
			if v, err := bundle.Verify(before[what]); err != nil || len(v.Differences) > 0 {
				p.t.Errorf("%s of revision %d does not verify: %v %v", what, revision, err, v.Differences)
			}
		}
	}
	p.checkDifferences()
	p.checkChains()
	p.t.Logf("%d revisions, %d editions, %d records", p.revision, len(p.model.editions), len(p.model.lines))
}

// checkDifferences adds up the differences from the first revision to the newest.
func (p *play) checkDifferences() {
	p.t.Helper()
	if p.revision < 2 {
		return
	}
	figures := map[string]*big.Rat{}
	add := func(what string, v any) {
		if figures[what] == nil {
			figures[what] = new(big.Rat)
		}
		figures[what].Add(figures[what], kilograms(v))
	}
	first, newest := p.read("/results/1").data, p.read(fmt.Sprintf("/results/%d", p.revision)).data
	names := []string{"perAttendeeKg", "perAttendeeDayKg"}
	add("total", first["total"].(map[string]any)["kgCO2e"])
	for _, name := range names {
		add(name, first[name])
	}
	for n := int64(1); n < p.revision; n++ {
		d := p.read(fmt.Sprintf("/results/%d/diff/%d", n, n+1)).data
		add("total", d["differenceKgCO2e"])
		p.addUp(d["parts"], "kgCO2e", d["differenceKgCO2e"])
		if strings.Contains(fmt.Sprint(d["cause"]), "fields:[boundary]") && !strings.Contains(fmt.Sprint(d["parts"]), "boundary_changed") {
			p.t.Errorf("revision %d moved the boundary, the parts are %v", n+1, d["parts"])
		}
		for _, f := range d["figures"].([]any) {
			figure := f.(map[string]any)
			add(fmt.Sprint(figure["figure"]), figure["difference"])
			p.addUp(figure["parts"], "kgCO2e", figure["difference"])
		}
	}
	for what, got := range figures {
		want := newest[what]
		if what == "total" {
			want = newest[what].(map[string]any)["kgCO2e"]
		}
		if got.Cmp(kilograms(want)) != 0 {
			p.t.Errorf("%s: the differences add up to %s, the newest revision has %v", what, got.FloatString(9), want)
		}
	}
}

// addUp verifies that parts add up to the last digit.
func (p *play) addUp(parts any, field string, want any) {
	p.t.Helper()
	sum := new(big.Rat)
	for _, part := range parts.([]any) {
		sum.Add(sum, kilograms(part.(map[string]any)[field]))
	}
	if sum.Cmp(kilograms(want)) != 0 {
		text, _ := json.Marshal(parts)
		p.t.Errorf("parts add up to %s, want %v: %s", sum.FloatString(9), want, text)
	}
}

// checkChains verifies the histories of the event and its records, and that every
// change of one is detected.
func (p *play) checkChains() {
	p.t.Helper()
	ctx := p.t.Context()
	e := p.event()
	entries, err := p.system.records.EventEntries(ctx, org, event, 1, e.Rev-1)
	must(p.t, err)
	chain(p.t, append(entries, e.Last), func(entries []record.EventEntry) error { return record.VerifyEventHistory(e, entries) },
		func(x *record.EventEntry) { x.Comment += "!" }, func(x *record.EventEntry) { x.By.ID = "eve" }, func(x *record.EventEntry) { x.At = x.At.Add(1) },
		func(x *record.EventEntry) { x.FourEyes = !x.FourEyes }, func(x *record.EventEntry) { x.PolicyRev++ }, func(x *record.EventEntry) { x.Action = "adopt-factor-set " })
	p.checkLog(e, entries)
	for name, r := range p.records {
		entries, err := p.system.records.Entries(ctx, org, r.ID)
		must(p.t, err)
		entries = slices.DeleteFunc(entries, func(x record.Entry) bool { return x.Rev >= r.Last.Rev })
		chain(p.t, append(entries, r.Last), func(entries []record.Entry) error {
			if err := record.VerifyHistory(org, r.ID, entries); err != nil {
				return err
			}
			if n := len(entries); n == 0 || !entries[n-1].Describes(r) {
				return fmt.Errorf("%s is not what its newest entry says", name)
			}
			return nil
		}, func(x *record.Entry) { x.Comment += "!" }, func(x *record.Entry) { x.By.ID = "eve" }, func(x *record.Entry) { x.To += "!" },
			func(x *record.Entry) { x.FourEyes = !x.FourEyes }, func(x *record.Entry) { x.PolicyRev++ })
	}
}

// checkLog verifies that the audit log has every action on the event, except pending
// entries, as the history has it.
func (p *play) checkLog(e record.Event, entries []record.EventEntry) {
	p.t.Helper()
	owed := map[int64]bool{}
	for _, x := range e.Owed {
		owed[x.Rev] = true
	}
	for _, x := range entries {
		note, ok := p.entered[fmt.Sprintf("%s/%d", event, x.Rev)]
		if !ok && owed[x.Rev] {
			continue
		}
		if !ok || note.Action != audit.Event+string(x.Action) || note.Actor != x.By.ID || !strings.HasSuffix(note.After, x.Hash) {
			p.t.Errorf("%s by %s, revision %d, is in the audit log as %+v", x.Action, x.By.ID, x.Rev, note)
		}
	}
}

// chain verifies a history, and that it fails with any entry removed, swapped with the
// next, or altered.
func chain[E any](t *testing.T, entries []E, verify func([]E) error, alter ...func(*E)) {
	t.Helper()
	if err := verify(entries); err != nil {
		t.Error(err)
		return
	}
	noticed := func(what string, damaged []E) {
		t.Helper()
		if verify(damaged) == nil {
			t.Errorf("%s, but the history verifies", what)
		}
	}
	for i := range entries {
		noticed(fmt.Sprintf("entry %d is removed", i+1), slices.Delete(slices.Clone(entries), i, i+1))
		if i+1 < len(entries) {
			damaged := slices.Clone(entries)
			damaged[i], damaged[i+1] = damaged[i+1], damaged[i]
			noticed(fmt.Sprintf("entries %d and %d are swapped", i+1, i+2), damaged)
		}
		for n, change := range alter {
			damaged := slices.Clone(entries)
			change(&damaged[i])
			noticed(fmt.Sprintf("entry %d is altered (%d)", i+1, n), damaged)
		}
	}
}
