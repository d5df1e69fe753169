package calculation_test

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// conference fills an event with a bit of everything.
func conference(s *service) []record.Record {
	s.t.Helper()
	var all []record.Record
	for _, r := range []struct{ typ, body string }{
		{"flights", `{"from":"LHR","to":"JFK","passengers":14,"class":"economy","roundTrip":true,"group":"speakers","date":"2026-06-09","description":"Keynote <speakers> & guests"}`},
		{"flights", `{"from":"MAN","to":"AMS","passengers":40,"roundTrip":true,"group":"attendees","date":"2026-06-09","respondents":40,"population":55}`},
		{"flights", `{"from":"EDI","to":"SYD","passengers":1,"class":"business","via":["SIN"],"group":"speakers"}`},
		{"accommodation", `{"nights":2,"rooms":80,"city":"London","group":"attendees"}`},
		{"accommodation", `{"nights":2,"rooms":12,"group":"staff","dataQuality":"measured"}`},
		{"venue", `{"electricityKWh":12500,"gasKWh":3400.5,"renewablePercent":100,"name":"Congress hall","dataQuality":"measured","evidence":[{"name":"meter"}]}`},
		{"waste", `{"treatment":"landfill","weightKg":320,"description":"=HYPERLINK(\"http://evil.test\")"}`},
		{"waste", `{"treatment":"recycling","material":"paper_card","weightKg":210}`},
	} {
		all = append(all, s.add(r.typ, r.body, record.Approved))
	}
	s.add("waste", `{"treatment":"landfill","weightKg":1}`, record.Unsubmitted)
	s.settle()
	return all
}

func TestReportAsBundle(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.of("/report").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	all := conference(s)
	result := s.of("").want(http.StatusOK)
	a := s.of("/report").want(http.StatusOK)
	if a.header.Get("Content-Type") != "application/json" || a.header.Get("ETag") == "" || !strings.Contains(a.header.Get("Vary"), "Accept") {
		t.Errorf("header %v", a.header)
	}
	v, err := bundle.Verify(a.body)
	if err != nil || len(v.Differences) > 0 || v.Records != len(all) || v.SignedBy != s.keys.Public().Keys[0].KeyID {
		t.Fatalf("%v %+v", err, v)
	}
	for _, member := range []string{"inputsHash", "revision", "calculatedAt"} {
		if got, want := a.text("result", member), result.data(member); got != want {
			t.Errorf("%s: %s in the bundle, %s in the result", member, got, want)
		}
	}
	if a.text("result", "total", "kgCO2e") != result.data("total", "kgCO2e") || a.text("event", "title") != "Conference <2026> & more" {
		t.Errorf("bundle: %.600s", a.body)
	}
	// The same result has the same bytes at any time.
	if again := s.of("/report"); !bytes.Equal(again.body, a.body) {
		t.Error("the report is another one at the second time")
	}
	s.of("/report", "If-None-Match", a.header.Get("ETag")).want(http.StatusNotModified)
	// A record that was reopened and approved again unchanged has the same inputs; one that no longer counts does not
	// affect the hash.
	for _, m := range []record.Move{record.Reopen, record.Submit, record.Approve} {
		all[7] = s.move(all[7], m)
		s.settle()
	}
	if again := s.of("/report").want(http.StatusOK); again.text("result", "inputsHash") != result.data("inputsHash") {
		t.Error("the same inputs have another hash")
	}
	for _, r := range all[6:] {
		s.move(r, record.Reopen)
	}
	s.settle()
	v, err = bundle.Verify(s.of("/report").want(http.StatusOK).body)
	if err != nil || len(v.Differences) > 0 || v.Records != 6 {
		t.Fatalf("after reopening a whole type: %v %+v", err, v)
	}
	keys := s.call(http.MethodGet, "/.well-known/report-keys.json", "", nil).want(http.StatusOK)
	if keys.text("keys", 0, "kid") != v.SignedBy {
		t.Errorf("keys: %s", keys.body)
	}
}

// TestReportWaitsForTheResult: while an approval is not in the result, records and result are inconsistent, and no
// report is generated.
func TestReportWaitsForTheResult(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	late := s.add("waste", `{"treatment":"landfill","weightKg":9}`, record.Approved)
	a := s.of("/report").wantError(http.StatusServiceUnavailable, "UNAVAILABLE")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.settle()
	if a := s.of("/report").want(http.StatusOK); !bytes.Contains(a.body, []byte(late.ID)) {
		t.Error("the late record is missing")
	}
}

func TestReportAsTable(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	a := s.of("/report", "Accept", "text/csv").want(http.StatusOK)
	if a.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.HasPrefix(a.header.Get("Content-Disposition"), `attachment; filename="footprint-e1-`) || a.header.Get("ETag") == "" {
		t.Errorf("header %v", a.header)
	}
	rows, err := csv.NewReader(bytes.NewReader(a.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int {
		for i, c := range rows[0] {
			if c == name {
				return i
			}
		}
		t.Fatalf("no column %s in %v", name, rows[0])
		return -1
	}
	var sum footprint.Mass
	for _, r := range rows[1:] {
		var m footprint.Mass
		if err := m.UnmarshalJSON([]byte(r[column("kgCO2e")])); err != nil {
			t.Fatal(err)
		}
		sum = sum.Add(m)
		if r[column("factorSource")] == "" || r[column("factorLicence")] == "" || !strings.Contains(r[column("formula")], " = ") {
			t.Errorf("row %v", r)
		}
		if strings.HasPrefix(r[column("description")], "=") {
			t.Errorf("a spreadsheet would run %q", r[column("description")])
		}
	}
	if total := s.of("").data("total", "kgCO2e"); sum.Kilograms() != total {
		t.Errorf("the rows add up to %s, the total is %s", sum.Kilograms(), total)
	}
}

// TestReportAsPage: the page is complete, loads nothing, and escapes texts of users.
func TestReportAsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	a := s.of("/report", "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8").want(http.StatusOK)
	policy := a.header.Get("Content-Security-Policy")
	if a.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") ||
		strings.Contains(policy, "unsafe") || a.header.Get("X-Frame-Options") != "DENY" || a.header.Get("ETag") == "" {
		t.Errorf("header %v", a.header)
	}
	page := string(a.body)
	for _, want := range []string{
		"<title>Carbon footprint of Conference &lt;2026&gt; &amp; more</title>", "10 to 11 June 2026, United Kingdom", "Keynote &lt;speakers&gt; &amp; guests",
		"5,539.833\u00a0km × 14 passengers × 2 (return) × 0.11704\u00a0kg per passenger-km = 18,154.697521\u00a0kg",
		"Contains public sector information licensed under the Open Government Licence v3.0.", "What to measure next", "<svg", "Digital: small",
		"ecf verify", s.keys.Public().Keys[0].KeyID, "acc.hotel.gb-lnd",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// Its links lead to pages of the server; see TestPageLinksToWhatIsServed.
	page = regexp.MustCompile(`<a href="/[a-z-]+" target="_blank" rel="noopener">`).ReplaceAllString(page, "")
	for _, never := range []*regexp.Regexp{
		regexp.MustCompile(`(?i)<script`), regexp.MustCompile(`(?i)(src|href|action)=`), regexp.MustCompile(`(?i)url\(|@import`),
		regexp.MustCompile(`(?i) style=`), regexp.MustCompile(` on[a-z]+=`), regexp.MustCompile(`ZgotmplZ`), regexp.MustCompile(`%!`), regexp.MustCompile(`<speakers>`),
	} {
		if found := never.FindString(page); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	if dir := os.Getenv("ECF_REPORT_DIR"); dir != "" { // for viewing
		if err := os.WriteFile(filepath.Join(dir, "report.html"), a.body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReportFormByAccept(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json": "application/json",
		"application/vnd.ecf.report+json": "application/json", "application/*": "application/json", "application/pdf, */*;q=0.1": "application/json",
		"text/csv": "text/csv; charset=utf-8", "text/html": "text/html; charset=utf-8", "text/html;q=0.1, text/csv": "text/csv; charset=utf-8",
	} {
		if got := s.of("/report", "Accept", accept).want(http.StatusOK).header.Get("Content-Type"); got != want {
			t.Errorf("Accept %q: %s", accept, got)
		}
	}
	for _, accept := range []string{"application/pdf", "image/png", "*/*;q=0", "text/plain, application/pdf;q=0.5"} {
		a := s.of("/report", "Accept", accept)
		a.wantError(http.StatusNotAcceptable, "NOT_ACCEPTABLE")
		for _, there := range []string{"application/json", "text/csv", "text/html"} {
			if !strings.Contains(string(a.body), there) {
				t.Errorf("Accept %q: %s is not named in %s", accept, there, a.body)
			}
		}
		if !strings.Contains(a.header.Get("Vary"), "Accept") {
			t.Errorf("Accept %q: the refusal does not vary by it", accept)
		}
	}
	s.call(http.MethodGet, "/api/v2/events/e1/results/report", "org2.admin", nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
}
