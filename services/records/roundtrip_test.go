package records_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// nasty are texts that files, spreadsheets and parsers are known to change.
var nasty = []string{" ", "  ", "\r\n", "\n", "\t", `"`, ",", ";", "'", "=1+1", "-2", "@x", "null", "true", "1,5", "Zoë 東京", "total", "''", "' ", "|", `\`, "{}", "[1]", "112 mi", "x"}

// said are texts by which a row of a supplier's table is another record than it looks like, or none at all; a record of ours
// that is called so is a record.
var said = []string{
	"Seat selection", "Service fee", "Excess baggage", "City tax", "Breakfast", "Coffee break", "Sewerage", "Standing charge", "Exchange ticket", "Cancelled", "Refund", "No-show", "Total", "Subtotal", "All sites", "Online", "Room charge", "Off-peak return", "17 09 04", "120 veg / 80 vegan",
	"Sitzplatzreservierung", "Servicegebühr", "Übergepäck", "Kurtaxe", "Frühstück", "Kaffeepause", "Abwassergebühr", "Grundpreis", "Umbuchung", "Storniert", "Gutschrift", "Nicht erschienen", "Gesamt", "Zwischensumme", "Alle Standorte", "Virtuell", "Übernachtung", "Hin- und Rückfahrt", "20 03 01", "80 vegetarisch, 40 vegan",
}

func nastyText(rng *rand.Rand) string {
	if rng.IntN(2) == 0 {
		return said[rng.IntN(len(said))]
	}
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

	other := start(t) // an organization has three events
	same := func(form string, at *harness, to string) {
		for _, typ := range footprint.Types() {
			want, got := h.items(from+"/"+typ), at.items(to+"/"+typ)
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
	table := h.send(ada, http.MethodGet, from+"/export", "").body
	for form, c := range map[string]struct {
		at                     *harness
		to, query, media, file string
	}{
		"CSV":                            {h, to, "", "text/csv", table},
		"XLSX":                           {h, h.event(), "", workbook.MediaType, h.send(ada, http.MethodGet, from+"/export", "", "Accept", workbook.MediaType).body},
		"CSV, saved by a German program": {other, other.event(), "?decimal=comma", "text/csv", savedInGerman(t, table)},
	} {
		began := c.at.send(ada, http.MethodPost, c.to+"/import"+c.query, c.file, "Content-Type", c.media).want(http.StatusAccepted, "")
		if began.text("type") != "mixed" {
			t.Errorf("the import is of type %q", began.text("type"))
		}
		ended := c.at.imported(c.to+"/imports/"+began.text("_id"), "completed")
		if n, ok := ended.data["notices"].([]any); ok && len(n) > 0 || fmt.Sprint(ended.data["ignoredColumns"]) != "[]" {
			t.Errorf("%s: there is something to say about our own file: %v %v", form, n, ended.data["ignoredColumns"])
		}
		same(form, c.at, c.to)
	}
	asJSON := other.event()
	items := h.send(ada, http.MethodGet, from+"/export", "", "Accept", "application/json").want(http.StatusOK, "").data["items"].([]any)
	for _, item := range items {
		if fields := item.(map[string]any); fields["type"] == footprint.AttendeeTravel { // whose rows are read at a path of their own
			of := fmt.Sprintf("%s/%s/%s/origins?limit=100", from, footprint.AttendeeTravel, fields["_id"])
			fields["origins"] = h.send(ada, http.MethodGet, of, "").want(http.StatusOK, "").data["items"]
		}
	}
	other.sendItems(asJSON, items)
	same("JSON", other, asJSON)

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

// sendItems creates the records of a JSON export, and expects no notice beside those that the records had.
func (h *harness) sendItems(to string, items []any) {
	h.t.Helper()
	byType := map[string][]any{}
	for _, item := range items {
		typ := item.(map[string]any)["type"].(string)
		byType[typ] = append(byType[typ], item)
	}
	for typ, items := range byType {
		for some := range slices.Chunk(items, 100) {
			text, err := json.Marshal(map[string]any{"items": some})
			if err != nil {
				h.t.Fatal(err)
			}
			a := h.send(ada, http.MethodPost, to+"/"+typ+"/batch", string(text)).want(http.StatusOK, "")
			if a.data["succeeded"] != float64(len(some)) || strings.Contains(a.body, "UNKNOWN_FIELD") {
				h.t.Errorf("JSON, %s: %.800s", typ, a.body)
			}
		}
	}
}

// savedInGerman returns a table as a spreadsheet program in German saves it: semicolons between cells, and numbers with a
// decimal comma.
func savedInGerman(t *testing.T, table string) string {
	t.Helper()
	r, err := sheet.NewReader(strings.NewReader(table), sheet.Mixed, sheet.Options{Rules: sheet.Rules, Known: sheet.LeadingColumns()})
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]bool{"kgCO2e": true, "low": true, "high": true}
	for _, c := range sheet.All(footprint.Types()) {
		numbers[c.Name] = c.Type == "number" || c.Type == "integer"
	}
	out := []byte(strings.Join(r.Heads(), ";") + "\r\n")
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return string(out)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range row.Cells {
			if numbers[r.Heads()[i]] {
				cell = strings.Replace(cell, ".", ",", 1)
			}
			out = append(out, `"`+strings.ReplaceAll(cell, `"`, `""`)+`";`...)
		}
		out = append(out[:len(out)-1], "\r\n"...)
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
