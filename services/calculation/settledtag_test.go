package calculation_test

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestPollingReadsNoRecords: a client with the current response is answered without reading records.
func TestPollingReadsNoRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	all := conference(s)
	for name, ask := range map[string]struct {
		path, accept string
	}{
		"explanation": {"/explain?limit=5", "application/json"}, "bundle": {"/report", "application/json"},
		"with names": {"/report?names=full", "application/json"}, "table": {"/report", "text/csv"}, "page": {"/report", "text/html"},
	} {
		first := s.of(ask.path, "Accept", ask.accept).want(http.StatusOK)
		tag := first.header.Get("ETag")
		before := s.records.approved.Load()
		if again := s.of(ask.path, "Accept", ask.accept, "If-None-Match", tag).want(http.StatusNotModified); len(again.body) > 0 || again.header.Get("ETag") != tag {
			t.Errorf("%s: %d bytes under %s", name, len(again.body), again.header.Get("ETag"))
		}
		if read := s.records.approved.Load() - before; read > 0 {
			t.Errorf("%s: %d records were read for a 304", name, read)
		}
	}
	if one, two := s.of("/explain?limit=5").header.Get("ETag"), s.of("/explain?limit=5&page=2").header.Get("ETag"); one == two {
		t.Error("two pages have one tag")
	}
	// A change is visible as soon as it is approved, before and after it is in the result.
	tags := map[string]string{}
	for _, path := range []string{"/explain", "/report"} {
		tags[path] = s.of(path).header.Get("ETag")
	}
	s.move(all[0], record.Reopen)
	s.of("/explain", "If-None-Match", tags["/explain"]).want(http.StatusOK)
	s.settle()
	for path, tag := range tags {
		s.of(path, "If-None-Match", tag).want(http.StatusOK)
	}
	// So is one of the event that moves no figure.
	tag := s.of("/report").header.Get("ETag")
	ev, err := s.records.Event(t.Context(), org, s.event.ID)
	if err != nil {
		t.Fatal(err)
	}
	rev := ev.Rev
	ev.Title, ev.Rev = "Another title", rev+1
	if err := s.records.ReplaceEvent(t.Context(), org, ev, rev); err != nil {
		t.Fatal(err)
	}
	s.of("/report", "If-None-Match", tag).want(http.StatusOK)
}

// BenchmarkPoll compares a full response with a 304.
func BenchmarkPoll(b *testing.B) {
	s := start(b)
	for range 60 {
		s.add("flights", `{"from":"LHR","to":"JFK","passengers":14,"class":"economy","roundTrip":true,"group":"speakers","date":"2026-06-09"}`, record.Approved)
	}
	s.settle()
	for _, path := range []string{"/explain?limit=100", "/report"} {
		tag := s.of(path).want(http.StatusOK).header.Get("ETag")
		b.Run(path+" 200", func(b *testing.B) {
			for b.Loop() {
				s.of(path).want(http.StatusOK)
			}
		})
		b.Run(path+" 304", func(b *testing.B) {
			for b.Loop() {
				s.of(path, "If-None-Match", tag).want(http.StatusNotModified)
			}
		})
	}
}
