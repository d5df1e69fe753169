package calculation_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation"
)

type variant struct{ query, names, accept string }

// language returns what names the language of a page in what WholeReports returns.
func (v variant) language() string {
	if _, language, ok := strings.Cut(v.query, "lang="); ok {
		return " " + language
	}
	return ""
}

// variants are all reports that can be asked for.
var variants = []variant{
	{"", "", "application/json"}, {"", "", "text/csv"}, {"", "", "text/html"}, {"?lang=de", "", "text/html"},
	{"?names=full", bundle.NamesFull, "application/json"}, {"?names=full", bundle.NamesFull, "text/csv"}, {"?names=full", bundle.NamesFull, "text/html"},
	{"?names=roles", bundle.NamesRoles, "application/json"}, {"?names=roles", bundle.NamesRoles, "text/csv"}, {"?names=roles", bundle.NamesRoles, "text/html"},
}

var (
	pseudonyms = regexp.MustCompile(`person-[a-z0-9]{10}`)
	// What depends on the pseudonyms.
	hashes = regexp.MustCompile(`(?s)"hashes":\{.*|Hash of the report</dt><dd><code>[0-9a-f]{64}`)
)

// withoutChance returns a report without pseudonyms, which are others each time: they are
// numbered in the order in which they appear.
func withoutChance(text []byte) string {
	known := map[string]string{}
	return hashes.ReplaceAllString(pseudonyms.ReplaceAllStringFunc(string(text), func(p string) string {
		if known[p] == "" {
			known[p] = fmt.Sprint("person ", len(known))
		}
		return known[p]
	}), "")
}

// TestReportsHaveTheBytesOfWholeOnes: what is made a segment at a time has every byte, hash
// and signature of what is made of the whole event, in each form.
func TestReportsHaveTheBytesOfWholeOnes(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.deps.Spool = web.NewSpoolOf(t.TempDir(), 64<<20, 64<<20)
	s.restart()
	compare := func(when string) {
		t.Helper()
		ev, err := s.records.Event(t.Context(), org, s.event.ID)
		if err != nil {
			t.Fatal(err)
		}
		whole := map[string]map[string][]byte{}
		for _, names := range []string{"", bundle.NamesFull, bundle.NamesRoles} {
			if whole[names], err = calculation.WholeReports(t.Context(), s.deps, ev, names); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range variants {
			want := whole[v.names][v.accept+v.language()]
			got := s.of("/report"+v.query, "Accept", v.accept).want(http.StatusOK)
			if withoutChance(got.body) != withoutChance(want) || v.names != bundle.NamesRoles && !bytes.Equal(got.body, want) {
				at := 0
				for at < min(len(want), len(got.body)) && want[at] == got.body[at] {
					at++
				}
				t.Errorf("%s: %s%s has %d bytes, want %d; from %d on\n%.300s\nwant\n%.300s", when, v.accept, v.query, len(got.body), len(want), at, got.body[at:], want[at:])
			}
			if length := got.header.Get("Content-Length"); length != fmt.Sprint(len(got.body)) || got.header.Get("ETag") == "" {
				t.Errorf("%s: %s%s: length %s, tag %s", when, v.accept, v.query, length, got.header.Get("ETag"))
			}
		}
	}
	all := conference(s)
	for _, m := range []record.Move{record.Reopen, record.Submit, record.Approve} {
		all[2] = s.move(all[2], m)
	}
	s.settle()
	compare("of a few")
	for _, names := range []string{"full", "roles"} {
		a := s.of("/report?names=" + names)
		if v, err := bundle.Verify(a.body); err != nil || len(v.Differences) > 0 || v.Records != len(all) || v.SignedBy == "" {
			t.Errorf("names=%s: %v %+v", names, err, v)
		}
		if got := a.header.Get("Content-Type"); got != "application/vnd.ecf.report+json" {
			t.Errorf("names=%s is %s", names, got)
		}
	}
	people := map[string]bool{}
	for _, p := range pseudonyms.FindAllString(string(s.of("/report?names=roles").body), -1) {
		people[p] = true
	}
	if len(people) != 2 {
		t.Errorf("%d pseudonyms stand for two people", len(people))
	}
	s.fillWith(2080, 5) // of four types, each of two segments; many come to the same
	s.add("waste", `{"treatment":"landfill","weightKg":3}`, record.Submitted)
	s.settle()
	compare("of many")
	if page := s.of("/report", "Accept", "text/html").body; !bytes.Contains(page, []byte(" more records")) || !bytes.Contains(page, []byte("What to measure next")) {
		t.Error("the page lists all records, or does not say what to measure next")
	}
}

// TestReportsGiveBackTheirRoom: a report is refused where there is no room for it, before
// anything is sent; and one that was sent, or was not, has none any more.
func TestReportsGiveBackTheirRoom(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.fill(1200)
	ask := func(room int) func(query, accept string, status int) reply {
		s.deps.Spool = web.NewSpoolOf(t.TempDir(), room, room)
		s.restart()
		return func(query, accept string, status int) reply {
			t.Helper()
			return s.of("/report"+query, "Accept", accept).want(status)
		}
	}
	small := ask(256 << 10)
	for range 3 {
		a := small("?names=full", "application/json", http.StatusServiceUnavailable)
		if a.text("error", "code") != "UNAVAILABLE" || a.header.Get("Retry-After") == "" {
			t.Errorf("%.300s", a.body)
		}
		small("", "text/csv", http.StatusOK)
	}
	enough := ask(1 << 20)
	for range 2 {
		for _, v := range variants {
			tag := enough(v.query, v.accept, http.StatusOK).header.Get("ETag")
			if v.names != bundle.NamesRoles && strings.HasPrefix(tag, `"`) {
				s.of("/report"+v.query, "Accept", v.accept, "If-None-Match", tag).want(http.StatusNotModified)
			}
		}
	}
}
