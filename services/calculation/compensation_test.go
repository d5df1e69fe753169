package calculation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

// TestCompensationIsNeverSubtracted: offsets of an event are shown with its figures in results and report, and do not
// change them.
func TestCompensationIsNeverSubtracted(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	s.settle()
	before := s.of("").want(http.StatusOK)
	if before.data("compensation") != "<nil>" {
		t.Fatalf("%.400s", before.body)
	}
	s.change(func(e *record.Event) {
		e.Compensation = []record.Compensation{
			{Kind: record.Offset, KgCO2e: decimal.New(12005, 1), Description: "Cook <stoves>", Standard: "GS", Reference: "GS1-9"},
			{Kind: record.Removal, KgCO2e: decimal.FromInt(3), Description: "Biochar"}, {Kind: record.Offset, KgCO2e: decimal.FromInt(1), Description: "More"},
		}
	})
	s.settle()
	now := s.of("").want(http.StatusOK)
	if now.data("compensation", "offsetKg") != "1201.500000" || now.data("compensation", "removalKg") != "3.000000" {
		t.Errorf("%s", now.data("compensation"))
	}
	for _, figure := range []string{"total", "byType", "byScope", "tables", "perAttendeeKg"} {
		if now.data(figure) != before.data(figure) {
			t.Errorf("%s is %s, was %s", figure, now.data(figure), before.data(figure))
		}
	}
	page := string(s.of("/report", "Accept", "text/html").want(http.StatusOK).body)
	for _, want := range []string{"Offsets and removals (not deducted)", "Cook &lt;stoves&gt;", "GS, GS1-9", "1,200.5"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// TestReportsWithoutNamesWithholdTexts: in every form, of the newest result and of a signed revision, also those texts
// that are not in the bundle.
func TestReportsWithoutNamesWithholdTexts(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("venue", `{"electricityKWh":1000,"site":"Villa Anna","description":"Hall of Ada"}`, record.Approved)
	s.add("energy", `{"source":"grid","energyKWh":1000,"site":"Villa Anna"}`, record.Approved)
	const comment = "The contract of Ada has ended" // of the library, which no report has
	chairs := record.SupplierFactor{SupplierFactor: footprint.SupplierFactor{ID: "f1", Name: "Chairs", Version: 1, KgCO2ePerUnit: decimal.FromInt(2), Unit: "chair", Stage: "combined", Source: "Study"},
		Org: org, Rev: 2, Status: record.SupplierApproved, History: []record.SupplierEntry{{Comment: "proposed"}, {Comment: "approved"}}}
	if err := s.records.InsertSupplierFactor(t.Context(), org, chairs); err != nil {
		t.Fatal(err)
	}
	s.add("custom", `{"supplierFactor":"Chairs","quantity":2,"description":"x"}`, record.Approved)
	chairs.Rev, chairs.Status, chairs.History = 3, record.SupplierWithdrawn, append(chairs.History, record.SupplierEntry{Comment: comment})
	if err := s.records.ReplaceSupplierFactor(t.Context(), org, chairs, 2); err != nil {
		t.Fatal(err)
	}
	s.change(func(e *record.Event) {
		e.Compensation = []record.Compensation{{Kind: record.Offset, KgCO2e: decimal.FromInt(3), Description: "The wood of Ada", Standard: "GS"}}
	})
	s.settle()
	s.sign(1, 1)
	const finding = "count the same kind of energy"
	page := []string{"Villa Anna", "The wood of Ada", "Hall of Ada"}
	for _, form := range []struct {
		accept, lang string
		texts        []string // with names
		also         string   // in both variants
	}{
		{"text/html", "en", page, finding}, {"text/html", "de", page, "GS"}, {"text/csv", "en", []string{"Hall of Ada"}, "venue"},
		{"application/vnd.ecf.report+json", "en", []string{"Villa Anna", "Hall of Ada"}, "energyKWh"},
	} {
		for _, path := range []string{"/report", "/1/report"} {
			for _, names := range []string{bundle.NamesFull, bundle.NamesRoles} {
				path := path + "?lang=" + form.lang + "&names=" + names
				got := string(s.of(path, "Accept", form.accept).want(http.StatusOK).body)
				for _, text := range form.texts {
					if strings.Contains(got, text) != (names == bundle.NamesFull) {
						t.Errorf("%s as %s: contains %q: %v", path, form.accept, text, names == bundle.NamesRoles)
					}
				}
				if !strings.Contains(got, form.also) || strings.Contains(got, comment) {
					t.Errorf("%s as %s lacks %q, or contains %q", path, form.accept, form.also, comment)
				}
			}
		}
	}
}

// TestEditionsWithNamesAlone: the forms that an older edition has with names alone are not sent where
// they are asked for without.
func TestEditionsWithNamesAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	write := func(w *editions.Writer, name string) {
		t.Helper()
		if err := w.Document(t.Context(), name, "text/html", func(d *editions.DocumentWriter) error {
			_, err := d.Write([]byte("signed by Ada"))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	w := editions.NewWriter(s.results, org, s.event.ID, 1, 1, s.now())
	for _, name := range []string{"report.json", "report.roles.json", "report.html", "report.csv"} {
		write(w, name)
	}
	root, err := w.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.change(func(e *record.Event) {
		e.Editions = []record.Edition{{Edition: 1, Revision: 1, Root: root, By: someManager}}
	})
	for _, form := range []string{"text/html", "text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"} {
		s.of("/1/report", "Accept", form).want(http.StatusOK)
		refused := s.of("/1/report?names=roles", "Accept", form).wantError(http.StatusNotAcceptable, "NOT_ACCEPTABLE")
		if got := refused.header.Get("Content-Disposition") + refused.header.Get("Content-Language"); got != "" {
			t.Errorf("the refusal of %s has fields of a file: %q", form, got)
		}
	}
	s.of("/1/report?names=roles").want(http.StatusOK)
}

// TestAdoptCorrectedGrid: an event in the United States adopts engine 2.1.0 only explicitly, and the difference is
// attributed to the method: 1,000 kWh are 392.89 kg, before 349.7.
func TestAdoptCorrectedGrid(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("venue", `{"electricityKWh":1000,"country":"US"}`, record.Approved)
	s.settle()
	before := s.of("").want(http.StatusOK)
	path := "/api/v2/events/e1/factor-set"
	rehearsed := s.call(http.MethodPost, path, "org1.manager", map[string]any{"engine": "2.1.0"}, "X-Dry-Run", "true").want(http.StatusOK)
	if before.data("total", "kgCO2e") != "349.700000" || rehearsed.data("after", "total", "kgCO2e") != "392.890000" || rehearsed.data("differenceKgCO2e") != "43.190000" {
		t.Fatalf("rehearsal: %.800s", rehearsed.body)
	}
	s.call(http.MethodPost, path, "org1.manager", map[string]any{"engine": "2.1.0"}).want(http.StatusOK)
	s.settle()
	now := s.of("").want(http.StatusOK)
	d := s.of("/" + before.data("revision") + "/diff/" + now.data("revision")).want(http.StatusOK)
	if now.data("total", "kgCO2e") != "392.890000" || d.data("parts", 0, "kind") != "method_changed" || d.data("parts", 0, "kgCO2e") != "43.190000" {
		t.Errorf("parts: %.900s", d.body)
	}
}
