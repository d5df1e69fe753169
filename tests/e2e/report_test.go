package e2e

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/services/standalone"
)

// filled creates an event with approved records of several types.
func filled(t *testing.T, user, manager *caller) string {
	t.Helper()
	event := manager.post("/events", map[string]any{"title": "Congress <A> & B", "country": "GB", "startDate": "2026-06-10", "endDate": "2026-06-11",
		"attendees": 100, "boundary": map[string]any{"included": []string{"flights"}, "excluded": []map[string]any{{"type": "digital", "reason": "small"}}}}).want(http.StatusCreated).str("_id")
	approved(user, manager, event, "flights", map[string]any{"from": "LHR", "to": "JFK", "class": "economy", "passengers": 1, "date": "2026-06-09", "group": "speakers"})
	approved(user, manager, event, "accommodation", map[string]any{"nights": 2, "rooms": 10, "city": "London", "group": "staff", "description": "Größe \"<XL>\" \u2028 & more"})
	approved(user, manager, event, "venue", map[string]any{"electricityKWh": 1000, "gasKWh": 100.5})
	approved(user, manager, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 50})
	user.result(event, 4)
	return event
}

// ecf runs a command as the program does and returns its output.
func ecf(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := standalone.Run(context.Background(), app.Env{Args: args, Getenv: func(string) string { return "" }, Stdout: &out, Stdin: strings.NewReader(""), Logger: discard()})
	return out.String(), err
}

// TestReportIsRecomputedByAStranger exports a result on each engine, recalculates it
// with the program alone, and verifies that a changed byte of an input, a factor or a
// figure is found.
func TestReportIsRecomputedByAStranger(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := filled(t, user, manager)
		report := user.get("/events/" + event + "/results/report")
		if report.status != http.StatusOK || report.header.Get("Content-Type") != "application/json" {
			t.Fatalf("report: %d %v %.300s", report.status, report.header, report.body)
		}
		result := user.result(event, 4)
		if fmt.Sprint(report.at("result", "inputsHash")) != result.str("inputsHash") || fmt.Sprint(report.at("result", "total", "kgCO2e")) != result.number("total", "kgCO2e") {
			t.Errorf("the report is not of the result: %.300s", report.body)
		}
		key := fmt.Sprint(s.anonymous(t).get("//.well-known/report-keys.json").at("keys", 0, "kid"))
		file := filepath.Join(t.TempDir(), "bundle.json")
		verify := func(text string) (string, error) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return ecf(t, "verify", file, "--key", key)
		}
		text := string(report.body)
		if out, err := verify(text); err != nil || !strings.Contains(out, "right to the last digit") || !strings.Contains(out, result.number("total", "kgCO2e")+" kg") || !strings.Contains(out, key) {
			t.Fatalf("%v %s", err, out)
		}
		for _, c := range []struct{ what, old, with, where string }{
			{"an input", `"weightKg":50`, `"weightKg":51`, "inputHash"},
			{"a factor", `"kgCO2e":0.13096`, `"kgCO2e":0.13095`, "factors["},
			{"a figure", `"kgCO2e":230.000000`, `"kgCO2e":230.000001`, "230.000001 is stated, 230.000000 was computed"},
			{"the title", `Congress <A>`, `Congress <B>`, "hashes.event"},
		} {
			if !strings.Contains(text, c.old) {
				t.Fatalf("%s: %s is not in the bundle", c.what, c.old)
			}
			if out, err := verify(strings.Replace(text, c.old, c.with, 1)); err == nil || !strings.Contains(out, c.where) || !strings.Contains(out, "signature") {
				t.Errorf("%s: %v %s", c.what, err, out)
			}
		}
		if _, err := ecf(t, "verify", file, "--key", "another"); err == nil {
			t.Error("a bundle with another key was accepted")
		}
		again := user.do(http.MethodGet, "/events/"+event+"/results/report", nil, map[string]string{"If-None-Match": report.header.Get("ETag")})
		again.want(http.StatusNotModified)

		table := user.do(http.MethodGet, "/events/"+event+"/results/report", nil, map[string]string{"Accept": "text/csv"})
		rows, err := csv.NewReader(bytes.NewReader(table.body)).ReadAll()
		if err != nil || table.status != http.StatusOK || len(rows) != 1+2+1+6+1 {
			t.Errorf("table: %d %v, %d rows: %.300s", table.status, err, len(rows), table.body)
		}
		page := user.do(http.MethodGet, "/events/"+event+"/results/report", nil, map[string]string{"Accept": "text/html"})
		if page.status != http.StatusOK || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.HasPrefix(page.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") ||
			!strings.Contains(string(page.body), "Congress &lt;A&gt; &amp; B") || strings.Contains(string(page.body), "<XL>") {
			t.Errorf("page: %d %v %.300s", page.status, page.header, page.body)
		}
		s.anonymous(t).get("/events/"+event+"/results/report").wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
	})
}

// TestResultsAreExplainedForetoldAndCompared verifies the reads about a result:
// explanation, preview and differences.
func TestResultsAreExplainedForetoldAndCompared(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := filled(t, user, manager)
		results := "/events/" + event + "/results"
		explained := user.get(results + "/explain?limit=3").want(http.StatusOK)
		if explained.number("pagination", "total") != "4" || len(explained.data("items").([]any)) != 3 || explained.str("items", 0, "type") != "flights" ||
			explained.str("items", 0, "lines", 0, "formula") != "5,539.833 km × 1 passenger × 0.11704 kg per passenger-km = 648.382054 kg" {
			t.Errorf("explained: %.600s", explained.body)
		}
		if second := user.get(results + "/explain?limit=3&page=2").want(http.StatusOK); second.str("items", 0, "type") != "waste" {
			t.Errorf("second page: %.300s", second.body)
		}

		// The queue, before and after an approval.
		waiting := user.post("/events/"+event+"/flights", map[string]any{"from": "LHR", "to": "JFK", "class": "economy", "passengers": 1, "date": "2026-06-09", "group": "speakers"}).want(http.StatusCreated).str("_id")
		user.post("/events/"+event+"/flights/"+waiting+"/submit", nil).want(http.StatusOK)
		user.get(results+"/preview").wantError(http.StatusForbidden, "FORBIDDEN")
		foretold := manager.get(results + "/preview").want(http.StatusOK)
		if foretold.number("queue", "records") != "1" || foretold.number("queue", "kgCO2e") != "784.717344" || foretold.str("basedOn", "status") != "current" {
			t.Errorf("preview: %.600s", foretold.body)
		}
		before := user.result(event, 4)
		manager.post("/events/"+event+"/flights/"+waiting+"/approve", nil).want(http.StatusOK)
		after := user.result(event, 5)
		if after.number("total", "kgCO2e") != foretold.number("total", "kgCO2e") {
			t.Errorf("previewed %s, got %s", foretold.number("total", "kgCO2e"), after.number("total", "kgCO2e"))
		}
		// The same flight a second time is a finding.
		if after.str("findings", 0, "code") != "DUPLICATE_FLIGHT" || after.str("findings", 0, "severity") != "warning" || len(after.data("findings", 0, "recordIds").([]any)) != 2 {
			t.Errorf("findings: %v", after.data("findings"))
		}
		difference := user.get(fmt.Sprintf("%s/%s/diff/%s", results, before.number("revision"), after.number("revision"))).want(http.StatusOK)
		if difference.number("differenceKgCO2e") != "784.717344" || difference.str("parts", 0, "kind") != "added" || difference.number("parts", 0, "kgCO2e") != "784.717344" ||
			difference.str("records", 0, "_id") != waiting || len(difference.data("parts").([]any)) != 1 {
			t.Errorf("difference: %s", difference.body)
		}
		user.get(results+"/1/diff/99").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	})
}

// TestAnotherFactorSetIsRehearsedAndAdopted verifies that nothing moves until a factor
// set is adopted, and then exactly as in the dry run.
func TestAnotherFactorSetIsRehearsedAndAdopted(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := filled(t, user, manager)
		sets := user.get("/factor-sets").want(http.StatusOK)
		held := factors.Sets()
		if sets.number("pagination", "total") != fmt.Sprint(len(held)) || len(held) < 2 || sets.str("items", 0, "id") != held[0].ID {
			t.Fatalf("sets: %.300s", sets.body)
		}
		older := held[1].ID
		one := user.get("/factor-sets/" + older + "?limit=2").want(http.StatusOK)
		if one.str("version") != held[1].Checksum || len(one.data("items").([]any)) != 2 || one.str("attributions", 0) == "" {
			t.Errorf("set: %.300s", one.body)
		}
		user.get("/factor-sets/none").wantError(http.StatusNotFound, "NOT_FOUND")

		path, body := "/events/"+event+"/factor-set", map[string]any{"factorSet": older}
		before := user.result(event, 4)
		user.post(path, body).wantError(http.StatusForbidden, "FORBIDDEN")
		manager.post(path, map[string]any{"factorSet": "desnz-1926"}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		rehearsed := manager.do(http.MethodPost, path, body, map[string]string{"X-Dry-Run": "true"}).want(http.StatusOK)
		if now := user.result(event, 4); now.number("revision") != before.number("revision") || now.str("factorSet", "id") != held[0].ID {
			t.Errorf("a dry run moved the result: %.300s", now.body)
		}
		key := map[string]string{"Idempotency-Key": "adopt"}
		adopted := manager.do(http.MethodPost, path, body, key).want(http.StatusOK)
		repeated := manager.do(http.MethodPost, path, body, key).want(http.StatusOK)
		if string(adopted.body) != string(rehearsed.body) || string(repeated.body) != string(adopted.body) || repeated.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("dry run %.300s\nadopted %.300s\nrepeated %.300s", rehearsed.body, adopted.body, repeated.body)
		}
		now := user.result(event, 4)
		if now.str("factorSet", "id") != older || now.number("total", "kgCO2e") != rehearsed.number("after", "total", "kgCO2e") || now.number("total", "kgCO2e") == before.number("total", "kgCO2e") {
			t.Errorf("adopted: %.300s", now.body)
		}
		difference := user.get(fmt.Sprintf("/events/%s/results/%s/diff/%s", event, before.number("revision"), now.number("revision"))).want(http.StatusOK)
		if difference.number("differenceKgCO2e") != rehearsed.number("differenceKgCO2e") || difference.str("parts", 0, "kind") != "factor_changed" {
			t.Errorf("difference: %s", difference.body)
		}
		old := user.get("/events/" + event + "/results/" + before.number("revision")).want(http.StatusOK)
		if old.number("total", "kgCO2e") != before.number("total", "kgCO2e") || old.str("factorSet", "id") != held[0].ID {
			t.Errorf("the earlier revision: %.300s", old.body)
		}
	})
}
