package calculation_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

const html = "text/html"

// TestReportInTheReadersLanguage: a page is in the language of its link, else in that which
// the reader prefers, and English where they prefer none; caches tell the pages apart.
func TestReportInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	ev, err := s.records.Event(t.Context(), org, s.event.ID)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := calculation.WholeReports(t.Context(), s.deps, ev, "")
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, c := range []struct{ query, accepts, want string }{
		{"", "", "en"}, {"", "fr", "en"}, {"", "de-AT, en;q=0.5", "de"}, {"", "en-US, de;q=0.5", "en"},
		{"?lang=de", "", "de"}, {"?lang=de", "en", "de"}, {"?lang=en", "de", "en"},
	} {
		a := s.of("/report"+c.query, "Accept", html, "Accept-Language", c.accepts).want(http.StatusOK)
		if got := a.header.Get("Content-Language"); got != c.want || !bytes.Equal(a.body, whole[html+" "+c.want]) {
			t.Errorf("%+v: the page is in %s: %.200s", c, got, a.body)
		}
		if vary := a.header.Get("Vary"); c.query == "" && !strings.Contains(vary, "Accept-Language") {
			t.Errorf("%+v: Vary is %s", c, vary)
		}
		if tag := a.header.Get("ETag"); tag == "" || tags[c.want] != "" && tags[c.want] != tag {
			t.Errorf("%+v: the tag is %s, and was %s", c, tag, tags[c.want])
		} else {
			tags[c.want] = tag
		}
	}
	if tags["en"] == tags["de"] {
		t.Error("both languages have one tag")
	}
	s.of("/report?lang=de", "Accept", html, "If-None-Match", tags["en"]).want(http.StatusOK)
	unchanged := s.of("/report", "Accept", html, "Accept-Language", "de", "If-None-Match", tags["de"]).want(http.StatusNotModified)
	if unchanged.header.Get("Content-Language") != "de" || !strings.Contains(unchanged.header.Get("Vary"), "Accept-Language") {
		t.Errorf("header %v", unchanged.header)
	}
	for _, query := range []string{"?lang=fr", "?lang=", "?lang=DE"} {
		s.of("/report"+query, "Accept", html).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		s.of("/1/report"+query).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	}
	for _, form := range []string{"application/json", "text/csv"} {
		a := s.of("/report?lang=de", "Accept", form, "Accept-Language", "de").want(http.StatusOK)
		if !bytes.Equal(a.body, whole[form]) || a.header.Get("Content-Language") != "" {
			t.Errorf("%s depends on the language: %v", form, a.header)
		}
	}
}

// TestTranslationOfASignedEdition: the page of an edition stays what was signed, whatever the
// reader prefers, and its translation, which says what was signed, is there for who asks for it.
func TestTranslationOfASignedEdition(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	s.sign(1, 1)
	const note = "Diese Seite ist eine Übersetzung. Die Dokumente der unterschriebenen Ausgabe 1 sind die englische Seite und die JSON-Fassung."
	english := s.of("/1/report", "Accept", html, "Accept-Language", "de").want(http.StatusOK)
	german := s.of("/1/report?lang=de", "Accept", html).want(http.StatusOK)
	if english.header.Get("Content-Language") != "en" || !strings.Contains(string(english.body), `<html lang="en">`) || strings.Contains(string(english.body), "Übersetzung") {
		t.Errorf("the signed page is %v %.200s", english.header, english.body)
	}
	if german.header.Get("Content-Language") != "de" || !strings.Contains(string(german.body), `<html lang="de">`) || !strings.Contains(string(german.body), note) {
		t.Errorf("the translation is %v %.200s", german.header, german.body)
	}
	if german.header.Get("Content-Security-Policy") == "" || german.header.Get("ETag") == english.header.Get("ETag") {
		t.Errorf("header %v", german.header)
	}
	signed := s.of("/1/report?lang=de").want(http.StatusOK)
	if v, err := bundle.Verify(signed.body); err != nil || len(v.Differences) > 0 || v.SignedBy == "" {
		t.Errorf("%v %+v", err, v)
	}
	s.forgetTranslations()
	if a := s.of("/1/report?lang=de", "Accept", html).want(http.StatusOK); !bytes.Equal(a.body, english.body) || a.header.Get("Content-Language") != "en" {
		t.Errorf("an edition without a translation: %v %.200s", a.header, a.body)
	}
}

// forgetTranslations makes the only edition of the event one of before pages were translated.
func (s *service) forgetTranslations() {
	s.t.Helper()
	ctx := s.t.Context()
	ev, err := s.records.Event(ctx, org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	e, err := editions.Open(ctx, s.results, org, ev.ID, ev.Editions[0].Root)
	if err != nil {
		s.t.Fatal(err)
	}
	delete(e.Documents, "report.de.html")
	text, err := json.Marshal(e.Manifest)
	if err != nil {
		s.t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	_ = z.Close()
	sum := sha256.Sum256(text)
	ev.Editions[0].Root = hex.EncodeToString(sum[:])
	if err := s.results.PutPart(ctx, org, ev.ID, ev.Editions[0].Root, packed.Bytes(), s.now()); err != nil {
		s.t.Fatal(err)
	}
	rev := ev.Rev
	ev.Rev++
	if err := s.records.ReplaceEvent(ctx, org, ev, rev); err != nil {
		s.t.Fatal(err)
	}
}
