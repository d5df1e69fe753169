package sheet_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

func TestDocumentsInCells(t *testing.T) {
	hash := strings.Repeat("0aF9", 16)
	for cell, want := range map[string]string{
		"Hotel invoice 4711":                   `[{"name":"Hotel invoice 4711"}]`,
		"Rechnung 1; Rechnung 2 |Lieferschein": `[{"name":"Rechnung 1"},{"name":"Rechnung 2"},{"name":"Lieferschein"}]`,
		"https://example.org/a?b=1":            `[{"url":"https://example.org/a?b=1"}]`,
		"see https://example.org/a":            `[{"name":"see https://example.org/a"}]`,
		"\"Invoice 4\nhttps://example.org/4\"": `[{"name":"Invoice 4"},{"url":"https://example.org/4"}]`,
		hash:                                   `[{"sha256":"` + hash + `"}]`,
		hash + "0":                             `[{"name":"` + hash + `0"}]`,
		`"[{""name"":""Invoice""}]"`:           `[{"name":"Invoice"}]`,
		`"[{""name"":"`:                        `["[{\"name\":"]`,
		";":                                    `null`,
	} {
		r, err := sheet.NewReader(strings.NewReader("treatment,weightKg,evidence\nlandfill,1,"+cell+"\n"), "waste", sheet.Options{Rules: sheet.Rules})
		if err != nil {
			t.Fatal(err)
		}
		row, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(string(row.Body), `"evidence":`); got != want+"}" {
			t.Errorf("%s is %s (%v), want %s", cell, got, row.Err, want)
		}
	}
}
