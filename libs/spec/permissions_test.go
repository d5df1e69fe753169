package spec

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
)

var update = flag.Bool("update", false, "write the roles and the table of permissions into openapi.yaml")

// The table is in the description of the document, from its heading to the next one.
const heading = "    ## Every operation\n"

// permissionTable returns the table of permissions as the document shows it.
func permissionTable(table api.Table) string {
	var b strings.Builder
	line := func(cells ...string) { fmt.Fprintf(&b, "    | %s |\n", strings.Join(cells, " | ")) }
	line("Operation", "Least role", "In a team", "Reaches", "Costs")
	line("---", "---", "---", "---", "---")
	for _, o := range table {
		role := o.Least.String()
		if o.Others != identity.RoleNone {
			role += fmt.Sprintf("; %s for what others created", o.Others)
		}
		line(fmt.Sprintf("%s `%s`", o.Method, o.Path), role, o.InTeam(), o.Reach.String(), costOf(o))
	}
	return b.String()
}

// costOf returns what an operation takes of the policy "expensive".
func costOf(o api.Operation) string {
	switch {
	case o.Cost.Expensive():
		return strconv.Itoa(int(o.Cost))
	case o.RehearsalCost.Expensive():
		return fmt.Sprintf("%d rehearsed", o.RehearsalCost)
	}
	return ""
}

// TestDocumentAndPermissionsAgree: what is documented is in the table of
// permissions and the other way round, with the same method, path and role, and
// the page shows the whole table. With -update it writes roles and table.
func TestDocumentAndPermissionsAgree(t *testing.T) {
	t.Parallel()
	table := api.Operations()
	if *update {
		write(t, table)
		return
	}
	documented := map[string]Operation{}
	for _, o := range load(t).Operations {
		documented[o.ID] = o
		row, ok := table.Find(o.ID)
		switch {
		case !ok:
			t.Errorf("%s is documented and not in the table", o.ID)
		case row.Method != o.Method || row.Path != o.Path || row.Root != o.Root:
			t.Errorf("%s is documented as %s %s and is %s %s in the table", o.ID, o.Method, o.Path, row.Method, row.Path)
		case row.Public() != o.Public:
			t.Errorf("%s: without a token: %t in the document, %t in the table", o.ID, o.Public, row.Public())
		case row.Least.String() != o.RequiredRole:
			t.Errorf("%s needs x-required-role: %s, not %q (go test ./spec -update writes it)", o.ID, row.Least, o.RequiredRole)
		}
	}
	for _, row := range table {
		if _, ok := documented[row.ID]; !ok {
			t.Errorf("%s is in the table and not documented", row.ID)
		}
	}
	_, after, ok := strings.Cut(string(source(t)), heading)
	section, _, _ := strings.Cut(after, "\n    # ")
	_, shown, found := strings.Cut(section, "\n\n    | Operation |")
	want := permissionTable(table)
	if shown = "    | Operation |" + shown; !ok || !found || strings.TrimSpace(shown) != strings.TrimSpace(want) {
		t.Errorf("the document does not show the table as it is (go test ./spec -update writes it); want\n%s", want)
	}
}

// write brings the document up to date with the table.
func write(t *testing.T, table api.Table) {
	t.Helper()
	text := string(source(t))
	start := strings.Index(text, heading)
	if start < 0 {
		t.Fatalf("no %q", heading)
	}
	start += strings.Index(text[start:], "    | Operation |")
	length := strings.Index(text[start:], "\n\n") + 1
	text = text[:start] + permissionTable(table) + text[start+length:]
	operation := regexp.MustCompile(`(?m)^( +)operationId: (\w+)\n(?: +x-required-role: \w*\n)?`)
	text = operation.ReplaceAllStringFunc(text, func(found string) string {
		m := operation.FindStringSubmatch(found)
		row, ok := table.Find(m[2])
		if !ok {
			t.Errorf("%s is documented and not in the table", m[2])
		}
		return fmt.Sprintf("%soperationId: %s\n%sx-required-role: %s\n", m[1], m[2], m[1], row.Least)
	})
	if err := os.WriteFile("openapi.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
