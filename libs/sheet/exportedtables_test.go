package sheet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestExportedTables: tables as suppliers export them (testdata/exported.txt), as people everywhere write them
// (testdata/ordinary.txt), with numbers beside the one that counts (testdata/beside.txt), and of each type in five languages
// (testdata/languages.txt), in the shapes of files that programs export and public bodies publish (testdata/published.txt), and with
// a column that says that what counts was otherwise (testdata/asides.txt), with what a careful reader counts of each row. The
// expectations of the first two files were written before the tables were read, some of the others were checked by such a reader afterwards. A row is expected with its fields; as -
// where it does not count; as ? where it cannot be known from the table, so that it has to be asked about; with ~ where the reader
// could know it, and asks.
func TestExportedTables(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]int{"testdata/exported.txt": 97, "testdata/ordinary.txt": 163, "testdata/beside.txt": 178, "testdata/languages.txt": 82, "testdata/published.txt": 25, "testdata/asides.txt": 14} {
		for _, table := range expectedTables(t, file, least) {
			table.check(t, countedRows(t, table.typ, table.country, table.text+"\n"))
		}
	}
}

// expectedTable is a table with what is expected of its rows.
type expectedTable struct{ name, typ, country, text, want string }

// expectedTables returns the tables of a file, of which there are at least so many.
func expectedTables(t testing.TB, file string, least int) (out []expectedTable) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range strings.Split(string(text), "\n### ")[1:] {
		head, rest, _ := strings.Cut(table, "\n")
		text, want, _ := strings.Cut(rest, "\n---\n")
		is := strings.Split(head, " | ")
		out = append(out, expectedTable{head, is[0], is[1], text, want})
	}
	if len(out) < least {
		t.Errorf("%s has %d tables", file, len(out))
	}
	return out
}

// check compares the rows that were counted with the expected ones.
func (e expectedTable) check(t *testing.T, got map[string]string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(e.want), "\n") {
		number, fields, _ := strings.Cut(line, " ")
		if fault := sameRow(got[number], fields); fault != "" {
			t.Errorf("%s, row %s: %s", e.name, number, fault)
		}
		delete(got, number)
	}
	for number, row := range got {
		t.Errorf("%s, row %s: %s", e.name, number, row)
	}
}

// notQuantities are fields that say nothing of how much there is.
var notQuantities = []string{"country", "city", "date", "description", "externalReference", "journey", "derived", "stated", "numberFormat", "site", "name", "treated", "kgCO2ePerUnit", "factorSource", "evidence"}

// countedRows returns what is counted of each row of a file, by its number: its fields, or after ! why it is refused. Of a row that
// is several records the second one is at 2.2 if the row is number 2.
func countedRows(t *testing.T, typ, country, file string) map[string]string {
	t.Helper()
	o := sheet.Options{Rules: sheet.Rules}
	out := map[string]string{}
	at, err := sheet.HeadRow(strings.NewReader(file), o, typ)
	if err != nil {
		t.Fatal(err)
	}
	o.HeadRow = at
	form, err := sheet.DetectForm(strings.NewReader(file), typ, o)
	if err != nil {
		out["file"] = "! " + whyRefused(err)
		return out
	}
	o.NumberFormat, o.DateOrder, o.Doubts = form.NumberFormat, form.DateOrder, form.Doubts
	r, err := sheet.NewReader(strings.NewReader(file), typ, o)
	if err != nil {
		out["file"] = "! " + whyRefused(err)
		return out
	}
	event := footprint.EventContext{Country: country, StartDate: "2026-05-12", EndDate: "2026-05-14", Attendees: 500, FactorSet: "desnz-2026", GWP: "published", RadiativeForcing: true}
	for {
		row, err := r.Next()
		if err != nil {
			return out
		}
		number := strconv.FormatInt(row.Number, 10)
		for n := 2; out[number] != ""; n++ {
			number = fmt.Sprintf("%d.%d", row.Number, n)
		}
		body := row.Body
		if row.Err == nil && typ == footprint.OriginRows {
			row.Err = footprint.CheckOrigin(body, event)
		} else if row.Err == nil {
			var decoded footprint.Decoded
			decoded, row.Err = footprint.Decode(typ, body, event)
			body = decoded.Fields
		}
		if row.Err != nil {
			out[number] = "! " + whyRefused(row.Err)
			continue
		}
		out[number] = fieldsOf(t, body, typ == footprint.OriginRows)
	}
}

func whyRefused(err error) string {
	e, ok := errors.AsType[*apperr.Error](err)
	if !ok || len(e.Details) == 0 {
		return err.Error()
	}
	return fmt.Sprintf("%s %s: %s", e.Details[0].Field, e.Details[0].Code, e.Details[0].Message)
}

// fieldsOf writes the quantities of a record as the expectations are written.
func fieldsOf(t *testing.T, body json.RawMessage, origins bool) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	var out []string
	for name, value := range fields {
		if slices.Contains(notQuantities, name) && (!origins || name != "country") {
			continue
		}
		if of, ok := value.(map[string]any); ok {
			for key, value := range of {
				out = append(out, fmt.Sprintf("%s.%s=%v", name, key, value))
			}
			continue
		}
		out = append(out, fmt.Sprintf("%s=%v", name, value))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// sameRow returns what differs of a row; empty where it is as expected.
func sameRow(got, want string) string {
	refused := strings.HasPrefix(got, "!")
	if want == "-" || want == "?" || strings.HasPrefix(want, "~ ") {
		if got != "" && !refused {
			return "counted: " + got
		}
		return ""
	}
	if refused || got == "" {
		return "refused: " + got + " of " + want
	}
	values := func(text string) map[string]string {
		out := map[string]string{}
		for field := range strings.SplitSeq(text, "; ") {
			name, value, _ := strings.Cut(field, "=")
			out[name] = value
		}
		return out
	}
	have := values(got)
	for name, value := range values(want) {
		if have[name] == "" && (name == "roundTrip" && value == "false" || name == "people" && value == "1") {
			continue // what a record has without the field
		}
		if !sameValue(have[name], value) {
			return fmt.Sprintf("%s is %q instead of %q in %s", name, have[name], value, got)
		}
		delete(have, name)
	}
	for _, name := range []string{"from", "to"} {
		delete(have, name) // where a journey is given by its distance, places say nothing
	}
	if have["distanceKm"] != "" && values(want)["distanceKm"] == "" {
		delete(have, "distanceKm") // between the places
	}
	if values(want)["rooms"] != "" {
		delete(have, "guests") // hotels count by the room in most countries
	}
	if have["meals"] == "0" {
		delete(have, "meals")
		delete(have, "diet")
	}
	if len(have) > 0 {
		return fmt.Sprintf("more than expected: %v", have)
	}
	return ""
}

func sameValue(got, want string) bool {
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA == nil && errB == nil {
		return math.Abs(a-b) <= 1e-9*math.Abs(b)
	}
	return got == want
}
