package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// Exports for Excel write ="0049", so that it keeps the digits of a text: such cells are their texts, in heads too.
// Other formulas are no text, and what an export of the service has guarded remains.
func TestFormulasOfTexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want string }{
		"bare":             {"treatment,weightKg,description\nlandfill,=\"200\",=\"0049\"\n", `2 {"treatment":"landfill","weightKg":200,"description":"0049"}`},
		"first":            {"weightKg;treatment\r\n=\"200\";=\"landfill\"\r\n", `2 {"weightKg":200,"treatment":"landfill"}`},
		"quoted":           {"treatment,weightKg\nlandfill,\"=\"\"200\"\"\"\n", `2 {"treatment":"landfill","weightKg":200}`},
		"heads":            {"=\"treatment\",=\"weightKg\"\nlandfill,200\n", `2 {"treatment":"landfill","weightKg":200}`},
		"heads and titles": {"=\"Waste, all\"\n=\"treatment\",=\"weightKg\"\nlandfill,200\n", `3 {"treatment":"landfill","weightKg":200}`},
		"with separators":  {"treatment,description,weightKg\nlandfill,=\"a, \"\"b\"\"\nc\",200\n", `2 {"treatment":"landfill","description":"a, \"b\"\nc","weightKg":200}`},
		"a guarded one":    {"treatment,weightKg,description\nlandfill,200,'=\"\"\n", "no CSV"},
		"guarded":          {"treatment,weightKg,description\nlandfill,200,\"'=\"\"0049\"\"\"\n", `2 {"treatment":"landfill","weightKg":200,"description":"=\"0049\""}`},
		"a calculation":    {"treatment,weightKg,description\nlandfill,200,\"=\"\"a\"\"+\"\"b\"\"\"\n", `2 {"treatment":"landfill","weightKg":200,"description":"=\"a\"+\"b\""}`},
		"a bare one":       {"treatment,weightKg,description\nlandfill,200,=\"a\"+\"b\"\n", "no CSV"},
		"later in a cell":  {"treatment,weightKg,description\nlandfill,200,a=\"b\"\n", "no CSV"},
	} {
		o := sheet.Options{Rules: sheet.Rules}
		head, err := sheet.HeadRow(strings.NewReader(c.file), o, "waste")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		o.HeadRow = head
		got, _, err := all(c.file, "waste", o)
		if c.want == "no CSV" && err != nil {
			continue
		}
		if err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
	if _, _, err := all("treatment,weightKg\nlandfill,=\"200\"\n", "waste", sheet.Options{}); err == nil {
		t.Error("a file that was accepted before has other cells")
	}
}
