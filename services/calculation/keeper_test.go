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

// TestAnEditionStaysAsItWas: what is kept is what was served, it stays while the
// event changes, what did not change is stored once, and both variants of the bundle
// verify with what they say of people.
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
	for _, secret := range []string{someManager.Name, string(someManager.ID), "Congress hall", "As agreed", "meter", s.event.Title} {
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
