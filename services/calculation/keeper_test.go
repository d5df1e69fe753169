package calculation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

// kept reads a document of an edition.
func (s *service) kept(root, name string) []byte {
	s.t.Helper()
	e, err := editions.Open(s.t.Context(), s.results, org, s.event.ID, root)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := io.ReadAll(e.Reader(s.t.Context(), name))
	if err != nil || len(text) == 0 {
		s.t.Fatalf("%s: %d bytes, %v", name, len(text), err)
	}
	return text
}

func (s *service) keep(edition, revision int64) (string, error) {
	s.t.Helper()
	ev, err := s.records.Event(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return calculation.Keep(s.t.Context(), s.deps, ev, edition, revision, someManager, time.Date(2026, 6, 13, 10, 0, 0, 0, time.UTC))
}

// TestAnEditionStaysAsItWas: the stored edition is what was served, it is unaffected by changes of the event,
// identical content is stored once, and both variants of the bundle verify.
func TestAnEditionStaysAsItWas(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	explained := s.of("/explain?limit=100").want(http.StatusOK)
	csv := s.of("/report", "Accept", "text/csv").want(http.StatusOK)
	if _, err := s.keep(1, 2); err == nil || !strings.Contains(err.Error(), "newest is 1") {
		t.Fatalf("a revision that is not there: %v", err)
	}
	root, err := s.keep(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"result", "explain", "report.json", "report.roles.json", "report.html", "report.csv"}
	before := map[string][]byte{}
	for _, name := range names {
		before[name] = s.kept(root, name)
	}

	if lines := bytes.Count(before["explain"], []byte("\n")); lines != explained.count("items") {
		t.Errorf("%d records are explained, want %d", lines, explained.count("items"))
	}
	first, _, _ := bytes.Cut(before["explain"], []byte("\n"))
	var item struct {
		ID string `json:"_id"`
	}
	if err := json.Unmarshal(first, &item); err != nil || item.ID != explained.data("items", 0, "_id") {
		t.Errorf("the first explained record is %q (%v), want %q", item.ID, err, explained.data("items", 0, "_id"))
	}
	if !bytes.Equal(before["report.csv"], csv.body) {
		t.Error("the kept table is not the one that was served")
	}
	for _, name := range []string{"report.json", "report.roles.json"} {
		v, err := bundle.Verify(before[name])
		if err != nil || len(v.Differences) > 0 || v.SignedBy == "" {
			t.Fatalf("%s: %v %v", name, err, v.Differences)
		}
		said := strings.Join(v.Statements, " ")
		for _, want := range []string{"8 counted records were approved by a manager", "Four eyes held for 8 of 8", "Signed off as edition 1", "Not counted: 0 waiting for review, 0 sent back to be changed, 0 rejected, 1 drafts"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q does not say %q", name, said, want)
			}
		}
	}
	for _, secret := range []string{someManager.Name, someManager.ID, "Congress hall", "As agreed", "meter", s.event.Title} {
		if bytes.Contains(before["report.roles.json"], []byte(secret)) {
			t.Errorf("the bundle without names has %q", secret)
		}
	}

	parts := s.partNames()
	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.change(func(ev *record.Event) { ev.Method.RadiativeForcing = false })
	s.settle()
	for _, name := range names {
		if !bytes.Equal(s.kept(root, name), before[name]) {
			t.Errorf("%s has changed", name)
		}
	}
	second, err := s.keep(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if second == root || bytes.Equal(s.kept(second, "report.json"), before["report.json"]) {
		t.Error("the second edition is the first")
	}
	if err := editions.Sweep(t.Context(), s.results, org, s.event.ID, []string{root}, s.now().Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if after := s.partNames(); fmt.Sprint(after) != fmt.Sprint(parts) {
		t.Errorf("after the sweep of what the second edition stored there are the parts %v, want %v", after, parts)
	}
	for _, name := range names {
		if !bytes.Equal(s.kept(root, name), before[name]) {
			t.Errorf("%s has changed by the sweep", name)
		}
	}
}

// partNames returns the names of all stored parts.
func (s *service) partNames() []string {
	s.t.Helper()
	names, err := s.results.PartsBefore(s.t.Context(), org, s.event.ID, s.now().Add(1000*time.Hour))
	if err != nil {
		s.t.Fatal(err)
	}
	return names
}

// sign stores an edition of the newest revision in the event, as a sign-off does.
func (s *service) sign(edition, revision int64) {
	s.t.Helper()
	root, err := s.keep(edition, revision)
	if err != nil {
		s.t.Fatal(err)
	}
	ev, err := s.records.Event(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	rev := ev.Rev
	ev.Rev++
	ev.Editions = append(ev.Editions, record.Edition{Edition: edition, Revision: revision, Root: root, By: someManager, At: time.Date(2026, 6, 13, 10, 0, 0, 0, time.UTC)})
	if err := s.records.ReplaceEvent(s.t.Context(), org, ev, rev); err != nil {
		s.t.Fatal(err)
	}
}

// TestSignedRevisionsAreServedForEver: unchanged, after changes and after deletion of the event, and never to another
// organization. Other revisions are rejected with advice.
func TestSignedRevisionsAreServedForEver(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	result := s.of("").want(http.StatusOK)
	explained := s.of("/explain").want(http.StatusOK)
	s.of("/1/report").wantError(http.StatusNotFound, "REVISION_NOT_KEPT")
	s.of("/1/explain").wantError(http.StatusNotFound, "REVISION_NOT_KEPT")
	s.of("/9/report").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	s.of("/1/report?names=all").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	s.of("/1/report?names=").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	s.of("/1/report", "Accept", "application/pdf").wantError(http.StatusNotAcceptable, "NOT_ACCEPTABLE")
	s.sign(1, 1)

	ask := func() map[string]reply {
		return map[string]reply{
			"result": s.of("/1").want(http.StatusOK), "explain": s.of("/1/explain").want(http.StatusOK), "page 2": s.of("/1/explain?page=2&limit=3").want(http.StatusOK),
			"bundle": s.of("/1/report").want(http.StatusOK), "roles": s.of("/1/report?names=roles").want(http.StatusOK),
			"table": s.of("/1/report", "Accept", "text/csv").want(http.StatusOK), "page": s.of("/1/report", "Accept", "text/html").want(http.StatusOK),
		}
	}
	before := ask()
	if a := before["result"]; a.data("total", "kgCO2e") != result.data("total", "kgCO2e") || a.data("status") != "current" || a.count("measureNext") != result.count("measureNext") {
		t.Errorf("the signed result: %.600s", a.body)
	}
	if a := before["explain"]; !bytes.Equal(a.body, explained.body) {
		t.Errorf("explained is\n%.400s\nwant\n%.400s", a.body, explained.body)
	}
	if a := before["page 2"]; a.count("items") != 3 || a.data("items", 0, "_id") != explained.data("items", 3, "_id") {
		t.Errorf("the second page: %.300s", a.body)
	}
	if a := before["page"]; !bytes.Contains(a.body, []byte("as edition 1")) || a.header.Get("Content-Security-Policy") == "" {
		t.Errorf("the page does not say who signed")
	}
	for _, name := range []string{"bundle", "roles"} {
		if v, err := bundle.Verify(before[name].body); err != nil || len(v.Differences) > 0 || before[name].header.Get("ETag") == "" {
			t.Errorf("%s: %v %v", name, err, v.Differences)
		}
	}

	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.change(func(ev *record.Event) { ev.Title, ev.Method.RadiativeForcing = "Renamed", false })
	s.settle()
	s.of("/2/report").wantError(http.StatusNotFound, "REVISION_NOT_KEPT")
	same := func(when string) {
		t.Helper()
		for name, now := range ask() {
			want := bytes.Replace(before[name].body, []byte(`"status":"current"`), []byte(`"status":"superseded"`), 1)
			if !bytes.Equal(now.body, want) {
				t.Errorf("%s: %s is\n%.300s\nwant\n%.300s", when, name, now.body, want)
			}
		}
	}
	same("after changes")
	s.change(func(ev *record.Event) { ev.Deleted = true })
	s.of("").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	s.of("/2").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	same("after the deletion")
	s.call(http.MethodGet, "/api/v2/events/e1/results/1/report", "org2.admin", nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	s.call(http.MethodGet, "/api/v2/events/e1/results/1", "org2.admin", nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
}
