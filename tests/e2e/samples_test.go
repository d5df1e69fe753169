package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestSamplesInCurl runs the sample of every operation as the documentation shows
// it, in a shell with the variables it names. An object that a sample names may be
// missing; but the sample has to be a request that this interface takes.
func TestSamplesInCurl(t *testing.T) {
	testkit.WithoutRace(t)
	testkit.OnlyLong(t)
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("NOT TESTED: there is no curl")
	}
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(d.JSON, &document); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil)
	admin := s.as(t, "admin@example.test")
	event := admin.post("/events", map[string]any{"title": "Samples", "country": "GB"}).want(201).str("_id")
	record := admin.post("/events/"+event+"/accommodation", map[string]any{"nights": 1, "rooms": 1, "externalReference": "R1"}).want(201).str("_id")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "records.csv"), []byte("nights,rooms,country\n2,3,GB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOST="+s.url, "BASE="+s.url+"/api/v2", "TOKEN="+admin.token, "EVENT_ID="+event, "RECORD_ID="+record,
		"TYPE=accommodation", "REFERENCE=R1", "CODE=LHR", "SET_ID=desnz-2026", "REVISION=1", "OTHER=2",
		"IMPORT_ID=none", "USER_ID=none", "SESSION_ID=none", "CHANGE_ID=none")
	operations := slices.Clone(d.Operations)
	// What removes comes last, and the event at the very end.
	rank := func(o spec.Operation) int {
		switch {
		case o.ID == "logout":
			return 3
		case o.ID == "deleteEvent":
			return 2
		case o.Method == "DELETE":
			return 1
		}
		return 0
	}
	slices.SortStableFunc(operations, func(a, b spec.Operation) int { return rank(a) - rank(b) })
	counts := map[string]int{}
	for _, o := range operations {
		var described struct {
			Samples []struct{ Lang, Source string } `json:"x-codeSamples"`
		}
		if err := json.Unmarshal(document.Paths[o.Path][strings.ToLower(o.Method)], &described); err != nil {
			t.Fatal(err)
		}
		var languages []string
		for _, sample := range described.Samples {
			languages = append(languages, sample.Lang)
		}
		if !slices.Equal(languages, []string{"Shell", "Python", "TypeScript", "Go"}) {
			t.Errorf("%s has samples in %v", o.ID, languages)
			continue
		}
		script := "curl() { command curl -w '\\n%{http_code}' \"$@\"; }\n" + described.Samples[0].Source
		cmd := program(t, "bash", dir, "-c", script)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		text := strings.TrimSpace(string(out))
		status := text[max(0, len(text)-3):]
		counts[status]++
		wrong := err != nil || slices.Contains([]string{"405", "406", "413", "415", "422", "428"}, status) || status >= "500" ||
			status == "400" && o.ID != "changePassword" || // which names another password
			strings.Contains(text, `_IGNORED"`) || strings.Contains(text, `"code":"NOT_FOUND"`)
		if wrong {
			t.Errorf("%s: %v\n%s\n%.2000s", o.ID, err, described.Samples[0].Source, text)
		}
	}
	if good := counts["200"] + counts["201"] + counts["202"]; good*2 < len(operations) {
		t.Errorf("of %d samples %d were good: %v", len(operations), good, counts)
	}
}
