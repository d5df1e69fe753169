package records_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// nasty are texts that files, spreadsheets and parsers are known to change.
var nasty = []string{" ", "  ", "\r\n", "\n", "\t", `"`, ",", ";", "'", "=1+1", "-2", "@x", "null", "true", "1,5", "Zoë 東京", "total", "''", "' ", "|", `\`, "{}", "[1]", "112 mi", "x"}

func nastyText(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		b.WriteString(nasty[rng.IntN(len(nasty))])
	}
	return b.String()
}

// randomRecord varies an example of a type by fields that all types have.
func randomRecord(t *testing.T, rng *rand.Rand, typ string, n int) map[string]any {
	t.Helper()
	examples := footprint.Examples(typ)
	var body map[string]any
	if err := json.Unmarshal(examples[n%len(examples)], &body); err != nil {
		t.Fatal(err)
	}
	body["externalReference"] = fmt.Sprint(typ, n, nastyText(rng))
	for name, value := range map[string]any{
		"description": nastyText(rng), "group": "staff", "dataQuality": "measured", "date": fmt.Sprintf("2026-06-%02d", 1+rng.IntN(28)),
		"metadata": map[string]any{"a": nastyText(rng), "B_2-": nastyText(rng)},
		"evidence": []any{map[string]any{"name": "x" + nastyText(rng), "url": "https://example.test/a?b=c"}},
	} {
		if rng.IntN(3) > 0 {
			body[name] = value
		}
	}
	return body
}

// items returns all records of a list as a client sees them, oldest first, without fields that differ for each
// record.
func (h *harness) items(list string) (all []map[string]any) {
	h.t.Helper()
	a := h.send(ada, http.MethodGet, list+"?limit=100", "").want(http.StatusOK, "")
	for _, item := range a.data["items"].([]any) {
		fields := item.(map[string]any)
		for _, own := range []string{"_id", "eventId", "createdBy", "createdAt", "updatedAt", "revision"} {
			delete(fields, own)
		}
		all = append([]map[string]any{fields}, all...)
	}
	return all
}

// TestAnExportComesBackAsItWas: random records of all types, exported and imported
// into an empty event as one file of mixed types, are the same records in the same
// order, with the same footprint.
func TestAnExportComesBackAsItWas(t *testing.T) {
	t.Parallel()
	rng := testkit.Rand(t)
	h := start(t)
	from, to := h.event(), h.event()
	perType := 5
	if testkit.Long(t) {
		perType = 80
	}
	made := 0
	for _, typ := range footprint.Types() {
		var bodies []any
		for n := range perType {
			bodies = append(bodies, randomRecord(t, rng, typ, n))
		}
		text, err := json.Marshal(map[string]any{"items": bodies})
		if err != nil {
			t.Fatal(err)
		}
		a := h.send(ada, http.MethodPost, from+"/"+typ+"/batch", string(text)).want(http.StatusOK, "")
		made += int(a.data["succeeded"].(float64))
		if a.data["succeeded"].(float64) == 0 {
			t.Errorf("no %s could be made: %.400s", typ, a.body)
		}
	}
	if most := perType * len(footprint.Types()); made*10 < most*8 {
		t.Errorf("only %d of %d random records are valid", made, most)
	}

	forms := map[string]string{"text/csv": to, workbook.MediaType: h.event()}
	for form, to := range forms {
		file := h.send(ada, http.MethodGet, from+"/export", "", "Accept", form)
		began := h.send(ada, http.MethodPost, to+"/import", file.body, "Content-Type", form).want(http.StatusAccepted, "")
		if began.text("type") != "mixed" {
			t.Errorf("the import is of type %q", began.text("type"))
		}
		ended := h.imported(to+"/imports/"+began.text("_id"), "completed")
		if n, ok := ended.data["notices"].([]any); ok && len(n) > 0 {
			t.Errorf("%s: there is something to say about our own file: %v", form, n)
		}
		for _, typ := range footprint.Types() {
			want, got := h.items(from+"/"+typ), h.items(to+"/"+typ)
			if len(want) != len(got) {
				t.Errorf("%s, %s: %d records, want %d", form, typ, len(got), len(want))
				continue
			}
			for i := range want {
				if !reflect.DeepEqual(want[i], got[i]) {
					t.Errorf("%s, %s, record %d:\n%v\nwant\n%v", form, typ, i, got[i], want[i])
				}
			}
		}
	}

	// The JSON form has the same in one call.
	whole := h.send(ada, http.MethodGet, to+"/export", "", "Accept", "application/json").want(http.StatusOK, "")
	if list := whole.data["items"].([]any); len(list) != made || whole.data["event"].(map[string]any)["title"] != "Meeting" {
		t.Errorf("the JSON form has %d records, want %d", len(list), made)
	}
	tag := whole.header.Get("ETag")
	if a := h.send(ada, http.MethodGet, to+"/export", "", "Accept", "application/json", "If-None-Match", tag); a.status != http.StatusNotModified {
		t.Errorf("unchanged: %d", a.status)
	}
	if a := h.send(ada, http.MethodGet, to+"/export", "", "If-None-Match", tag); a.status != http.StatusOK || a.header.Get("ETag") == tag {
		t.Errorf("the table under the tag of the JSON form: %d", a.status)
	}
	h.send(planck, http.MethodPatch, to, `{"title":"Other"}`).want(http.StatusOK, "")
	if a := h.send(ada, http.MethodGet, to+"/export", "", "Accept", "application/json", "If-None-Match", tag); a.status != http.StatusOK {
		t.Errorf("after a change of the event: %d", a.status)
	}
}

// imported waits for the end of an import.
func (h *harness) imported(at, status string) (now answer) {
	h.t.Helper()
	testkit.Eventually(h.t, 60*time.Second, func() error {
		now = h.send(ada, http.MethodGet, at, "").want(http.StatusOK, "")
		if s := now.text("status"); s != "completed" && s != "failed" {
			return fmt.Errorf("the import is %s", s)
		}
		return nil
	})
	if now.text("status") != status {
		h.t.Fatalf("the import is not %s: %.1500s", status, now.body)
	}
	return now
}

// TestAFileOfSeveralTypesTeaches: faults of its rows name the headings of the file, and nothing is imported.
func TestAFileOfSeveralTypesTeaches(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	for file, want := range map[string]string{
		"treatment,weightKg\nlandfill,1\n":                                                                  `"code":"REQUIRED"`,
		"type,treatment,weightKg\nbins,landfill,1\n":                                                        `"suggestions":["flights"`,
		"type,treatment,weightKg\n,landfill,1\n":                                                            `"column":"type","code":"REQUIRED"`,
		"type,treatment,weightKg,from\nwaste,landfill,1,LHR\n":                                              `"column":"from","code":"NOT_ALLOWED"`,
		"type,Reference,externalReference,treatment,weightKg\nwaste,x,A,landfill,1\nwaste,x,A,landfill,2\n": `"code":"DUPLICATE"`,
	} {
		a := h.send(ada, http.MethodPost, event+"/import", file, "Content-Type", "text/csv", "X-Dry-Run", "true")
		if !strings.Contains(a.body, want) {
			t.Errorf("%q: %d %s, want %s", file, a.status, a.body, want)
		}
	}
	// One reference in two types is two records.
	ok := h.send(ada, http.MethodPost, event+"/import", "type,externalReference,treatment,weightKg,source,volumeLitres\nwaste,A,landfill,1,,\nenergy,A,,,diesel,5\n",
		"Content-Type", "text/csv").want(http.StatusAccepted, "")
	if now := h.imported(event+"/imports/"+ok.text("_id"), "completed"); now.data["imported"] != 2.0 {
		t.Errorf("imported: %s", now.body)
	}
	undone := h.send(ada, http.MethodPost, event+"/imports/"+ok.text("_id")+"/undo", "").want(http.StatusOK, "")
	if undone.data["removed"] != 2.0 {
		t.Errorf("undone: %s", undone.body)
	}
}
