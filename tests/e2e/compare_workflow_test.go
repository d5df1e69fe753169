package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// compare compares a response with the verdict of the reference: status, code, the
// moves allowed instead, and the record if there is one.
func (w *course) compare(rt *rapid.T, a *answer, want verdict, r *refRecord) {
	rt.Helper()
	if a.status != want.status {
		rt.Fatalf("%s: %d, want %s: %s", a.what, a.status, want, a.body)
	}
	switch {
	case want.code != "":
		compareRefusal(rt, a, want)
	case r != nil && r.deleted:
		if a.data("_id") != r.id || a.data("deleted") != true {
			rt.Fatalf("%s: %s", a.what, a.body)
		}
	case r != nil:
		compareRecord(rt, a.what, a.data(), r)
	}
}

// compareRefusal compares the error of a response with a verdict.
func compareRefusal(rt *rapid.T, a *answer, want verdict) {
	rt.Helper()
	if code := a.at("error", "code"); code != want.code {
		rt.Fatalf("%s: %v, want %s: %s", a.what, code, want, a.body)
	}
	if want.status != http.StatusConflict {
		return
	}
	if got := a.at("error", "details", 0, "code"); got != want.state {
		rt.Fatalf("%s: the state is %v, want %s", a.what, got, want)
	}
	allowed, _ := a.at("error", "details", 1, "suggestions").([]any)
	got := []string{}
	for _, m := range allowed {
		got = append(got, fmt.Sprint(m))
	}
	slices.Sort(got)
	slices.Sort(want.allowed)
	if a.at("error", "details", 1, "field") != "allowed" || !slices.Equal(got, want.allowed) {
		rt.Fatalf("%s: allowed are %v, want %v: %s", a.what, got, want.allowed, a.body)
	}
}

// compareRecord compares a served record with the reference.
func compareRecord(rt *rapid.T, what string, served any, r *refRecord) {
	rt.Helper()
	got, _ := served.(map[string]any)
	id := func(p *person) any {
		if p == nil {
			return nil
		}
		return p.id
	}
	of := func(name string) any {
		object, _ := got[name].(map[string]any)
		return object["_id"]
	}
	want := map[string]any{
		"_id": r.id, "eventId": r.org.event, "type": "waste", "status": r.status, "revision": json.Number(fmt.Sprint(r.revision)),
		"submitted": slices.Contains([]string{"submitted", "in_review", "approved", "rejected"}, r.status),
		"weightKg":  json.Number(fmt.Sprint(r.weightKg)), "treatment": "landfill",
	}
	for name, value := range want {
		if got[name] != value {
			rt.Fatalf("%s: %s is %v, want %v: %v", what, name, got[name], value, got)
		}
	}
	for name, p := range map[string]*person{"createdBy": r.creator, "submittedBy": r.submittedBy, "reviewedBy": r.reviewer} {
		if of(name) != id(p) {
			rt.Fatalf("%s: %s is %v, want %v: %v", what, name, got[name], id(p), got)
		}
	}
	if (got["submittedAt"] != nil) != (r.submittedBy != nil) || (got["reviewedAt"] != nil) != (r.reviewer != nil) {
		rt.Fatalf("%s: a time is set for a move that did not happen, or missing: %v", what, got)
	}
	if comment, _ := got["reviewComment"].(string); comment != r.comment {
		rt.Fatalf("%s: the comment is %q, want %q", what, comment, r.comment)
	}
	footprint, _ := got["footprint"].(map[string]any)
	if kg := fmt.Sprint(footprint["kgCO2e"]); kg != kilograms(r.milligrams()) {
		rt.Fatalf("%s: %s kg for %d kg of waste", what, kg, r.weightKg)
	}
}

// read reads a random object as a random person.
func (w *course) read(rt *rapid.T) {
	by := w.somebody(rt)
	r := w.someRecord(rt, w.orgs...)
	if r == nil {
		w.readLists(rt, by)
		return
	}
	w.readRecord(rt, by, r)
}

// readRecord reads a record and its history.
func (w *course) readRecord(rt *rapid.T, by *person, r *refRecord) {
	a := w.ask(by, http.MethodGet, r.path(), nil, nil)
	history := w.ask(by, http.MethodGet, r.path()+"/history?limit=100", nil, nil)
	if r.deleted || r.org != by.org {
		gone := []*answer{a, history}
		if r.org == by.org && by.role != "user" {
			// Managers can read the history of a deleted record.
			gone = gone[:1]
			if history.status != http.StatusOK || history.str("items", 0, "action") != "delete" {
				rt.Fatalf("%s: %d %s", history.what, history.status, history.body)
			}
		}
		for _, a := range gone {
			if a.status != http.StatusNotFound || !strings.HasSuffix(fmt.Sprint(a.at("error", "code")), "_NOT_FOUND") {
				rt.Fatalf("%s: %d %s", a.what, a.status, a.body)
			}
		}
		return
	}
	w.compare(rt, a, verdict{status: http.StatusOK}, r)
	if history.status != http.StatusOK || history.number("pagination", "total") != fmt.Sprint(len(r.history)) {
		rt.Fatalf("%s: want %d lines: %s", history.what, len(r.history), history.body)
	}
	for i, line := range slices.Backward(r.history) {
		at := len(r.history) - 1 - i
		text := func(path ...any) string {
			s, _ := history.data(append([]any{"items", at}, path...)...).(string)
			return s
		}
		got := refLine{text("action"), text("from"), text("to"), text("by", "_id"), text("by", "role"), text("comment")}
		if got != line || history.number("items", at, "revision") != fmt.Sprint(i+1) {
			rt.Fatalf("%s, line %d: %+v, want %+v", history.what, i+1, got, line)
		}
		previous := ""
		if i > 0 {
			previous, _ = history.data("items", at+1, "hash").(string)
		}
		if text("previousHash") != previous || text("hash") == "" {
			rt.Fatalf("%s, line %d: the chain is broken: %s", history.what, i+1, history.body)
		}
	}
}

// readLists reads the lists of a person's organization.
func (w *course) readLists(rt *rapid.T, by *person) {
	o := by.org
	waiting := func(r *refRecord) bool { return r.status == "submitted" || r.status == "in_review" }
	lists := map[string][]string{"/events/" + o.event + "/waste": o.live(func(*refRecord) bool { return true })}
	if by.rank() >= 2 {
		lists["/events/"+o.event+"/review"] = o.live(waiting)
	}
	for path, want := range lists {
		a := w.ask(by, http.MethodGet, path+"?limit=100", nil, nil)
		if a.status != http.StatusOK || a.number("pagination", "total") != fmt.Sprint(len(want)) {
			rt.Fatalf("%s: want %d items: %s", a.what, len(want), a.body)
		}
		items, _ := a.data("items").([]any)
		got := []string{}
		for i := range items {
			got = append(got, a.str("items", i, "_id"))
		}
		// The queue is sorted by a time that some records may share.
		if strings.HasSuffix(path, "/review") {
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%s: %v, want %v", a.what, got, want)
		}
	}
	for _, other := range w.orgs {
		if a := w.ask(by, http.MethodGet, "/events/"+other.event+"/waste", nil, nil); other != o && a.status != http.StatusNotFound {
			rt.Fatalf("%s: %s", a.what, a.body)
		}
	}
}

// readAll reads everything.
func (w *course) readAll(rt *rapid.T) {
	for _, o := range w.orgs {
		w.readLists(rt, o.admin)
		for _, r := range o.records {
			w.readRecord(rt, o.admin, r)
		}
	}
}

// resultFault describes how the result and its preview differ from the reference, or
// returns "".
func (w *course) resultFault(o *refOrg) string {
	a := w.ask(o.admin, http.MethodGet, "/events/"+o.event+"/results", nil, nil)
	kg, n := o.total("approved")
	if n == 0 {
		if a.status != http.StatusNotFound {
			return fmt.Sprintf("want none: %s", a.body)
		}
	} else {
		if a.status != http.StatusOK || a.data("status") != "current" || a.number("total", "kgCO2e") != kg {
			return fmt.Sprintf("want %s kg, current: %s", kg, a.body)
		}
		for name, states := range map[string][]string{
			"approved": {"approved"}, "submitted": {"submitted"}, "inReview": {"in_review"}, "changesRequested": {"changes_requested"},
			"rejected": {"rejected"}, "unsubmitted": {"unsubmitted"},
		} {
			if _, n := o.total(states...); a.number("counts", name) != fmt.Sprint(n) {
				return fmt.Sprintf("want %d %s: %s", n, name, a.body)
			}
		}
	}
	preview := w.ask(o.admin, http.MethodGet, "/events/"+o.event+"/results/preview", nil, nil)
	kg, n = o.total("approved", "submitted", "in_review")
	if _, waiting := o.total("submitted", "in_review"); n > 0 &&
		(preview.status != http.StatusOK || preview.number("total", "kgCO2e") != kg || preview.number("queue", "records") != fmt.Sprint(waiting)) {
		return fmt.Sprintf("want %s kg with %d that wait: %s", kg, waiting, preview.body)
	}
	return ""
}
