package spec

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestSampleOfATemplateIsReadAsOne: the table that the document shows has the columns of
// its type and rows that an import takes.
func TestSampleOfATemplateIsReadAsOne(t *testing.T) {
	t.Parallel()
	answer := object(object(object(object(object(tree(t)["paths"])["/record-types/{type}/template"])["get"])["responses"])["200"])
	samples := object(object(object(answer["content"])["text/csv"])["examples"])
	for _, typ := range slices.Sorted(maps.Keys(samples)) {
		text := str(object(samples[typ])["value"])
		var names []string
		for _, c := range sheet.Columns(typ) {
			names = append(names, c.Name)
		}
		if head, _, _ := strings.Cut(text, "\r\n"); head != strings.Join(names, ",") {
			t.Errorf("%s: the head is %s, want %s", typ, head, strings.Join(names, ","))
		}
		r, err := sheet.NewReader(strings.NewReader(text), typ, sheet.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err = errors.Join(err, row.Err); err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			rows++
		}
		if rows == 0 {
			t.Errorf("%s: no rows", typ)
		}
	}
	if len(samples) == 0 {
		t.Error("there is no sample")
	}
}
