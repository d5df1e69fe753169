package deploy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	collectionInGo = regexp.MustCompile(`\.Collection\("([^"]+)"[,)]`)
	serviceInInit  = regexp.MustCompile(`(?m)^  (\w+): \{$`)
	rightsInInit   = regexp.MustCompile(`(?m)^    (\w+): \[(.*)\],$`)
)

// collections returns the collections that the stores in a folder open.
func collections(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources in %s: %v", folder, err)
	}
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range collectionInGo.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestSchemaVersionsCanBeWritten verifies that each service has rights in the
// collection of schema versions, by the name that the program uses.
func TestSchemaVersionsCanBeWritten(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(root, "libs/mongox/schema.go"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`const versions = "(\w+)"`).FindSubmatch(source)
	if m == nil {
		t.Fatal("libs/mongox/schema.go names no collection of versions")
	}
	text, err := os.ReadFile(filepath.Join(root, "deploy/mongo/init.js"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "collections."+string(m[1])+" = [...read, ...make, ...write];") {
		t.Errorf("no service may write %s", m[1])
	}
}

// TestMongoRightsCoverTheStores verifies that a service has rights in exactly the
// collections that its stores open.
func TestMongoRightsCoverTheStores(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/mongo/init.js"))
	if err != nil {
		t.Fatal(err)
	}
	records := collections(t, "libs/record/mongostore")
	results := collections(t, "services/calculation/mongostore")
	both := slices.Sorted(slices.Values(slices.Concat(records, results)))
	rights := map[string][]string{}
	services := serviceInInit.FindAllStringSubmatchIndex(string(text), -1)
	for i, m := range services {
		end := len(text)
		if i+1 < len(services) {
			end = services[i+1][0]
		}
		name := string(text[m[2]:m[3]])
		for _, r := range rightsInInit.FindAllStringSubmatch(string(text[m[0]:end]), -1) {
			rights[name] = append(rights[name], r[1])
			if !strings.Contains(r[2], "...read") || !strings.Contains(r[2], "...make") {
				t.Errorf("%s: may not read %s, or make its indexes", name, r[1])
			}
		}
		slices.Sort(rights[name])
	}
	for service, want := range map[string][]string{"records": records, "review": records, "calculation": both} {
		if !slices.Equal(rights[service], want) {
			t.Errorf("%s has rights in %v, but its stores open %v", service, rights[service], want)
		}
	}
	if len(rights) != 3 {
		t.Errorf("rights of %v", slices.Sorted(maps.Keys(rights)))
	}
}

// accountRights are the lines of the accounts' rights in init.js.
var accountRights = regexp.MustCompile(`(?m)^  (\w+): \[(.*)\],$`)

// TestAuditLogIsAppendOnly verifies that auth has rights in exactly the collections
// that its store opens, and none to change or delete entries of the audit log.
func TestAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/mongo/init.js"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range accountRights.FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
		if m[1] == "audit" && (strings.Contains(m[2], "write") || strings.Contains(m[2], "update") || strings.Contains(m[2], "remove") || !strings.Contains(m[2], `"insert"`)) {
			t.Errorf("entries of the audit log can be changed: %s", m[2])
		}
	}
	slices.Sort(found)
	if want := collections(t, "services/auth/account/mongostore"); !slices.Equal(found, want) {
		t.Errorf("auth has rights in %v, but its store opens %v", found, want)
	}
	if strings.Contains(string(text), "readWrite") {
		t.Error("an account has rights in a whole database")
	}
}
