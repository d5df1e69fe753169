package standalone_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// carriesOrg reports whether a type is an organization's id or has one.
func carriesOrg(t reflect.Type, depth int) bool {
	if t == reflect.TypeFor[record.OrgID]() {
		return true
	}
	if t.Kind() != reflect.Struct || depth == 0 {
		return false
	}
	for field := range t.Fields() {
		if carriesOrg(field.Type, depth-1) {
			return true
		}
	}
	return false
}

// Statements 18 and 19: every store operation on an organization's data has a parameter of its own type for the
// organization, and so has every task. The conformance suites of the engines verify that it is respected.
func TestEveryStoreOperationNamesTheOrganization(t *testing.T) {
	t.Parallel()
	// Operations over all organizations, on the engine, and on factor sets, which are shared.
	of := map[string]bool{"Together": true, "MarkedEvents": true, "OpenImports": true, "Ping": true, "ClosingEvents": true,
		"InsertFactorPack": true, "FactorPack": true, "FactorPackIDs": true}
	for _, store := range []reflect.Type{reflect.TypeFor[record.Store](), reflect.TypeFor[resulttree.Store]()} {
		if store.NumMethod() < 5 {
			t.Errorf("%s has only %d methods", store, store.NumMethod())
		}
		for m := range store.Methods() {
			named := false
			for in := range m.Type.Ins() {
				named = named || carriesOrg(in, 3)
			}
			if !named && !of[m.Name] {
				t.Errorf("%s.%s does not say whose data it is about", store, m.Name)
			}
		}
	}
	if !carriesOrg(reflect.TypeFor[notify.Payload](), 1) {
		t.Error("a task does not say whose event it is about")
	}
}

// Statement 18 for accounts, whose organization ids are strings.
func TestEveryOperationOnAccountsNamesTheOrganization(t *testing.T) {
	t.Parallel()
	// Operations that determine a caller's organization, that follow changes or clean up for all, and on the engine.
	// A person may be in several organizations.
	of := []string{"UserByEmail", "Person", "Memberships", "Session", "PurgeSessions", "MarkedUsers", "MarkedSessions", "AuditHeads", "OrgAfter", "Ping"}
	methods := 0
	for _, file := range []string{"../auth/account/store.go", "../auth/account/audit.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			list, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, m := range list.Methods.List {
				f, ok := m.Type.(*ast.FuncType)
				if !ok {
					continue // another interface in it
				}
				methods++
				named := false
				for _, p := range f.Params.List {
					if kind, ok := p.Type.(*ast.Ident); ok && slices.Contains([]string{"User", "Session", "AuditEntry"}, kind.Name) {
						named = true // which have the organization in them
					}
					for _, name := range p.Names {
						named = named || name.Name == "org"
					}
				}
				if name := m.Names[0].Name; !named && !slices.Contains(of, name) {
					t.Errorf("%s does not say whose account it is about", name)
				}
			}
			return true
		})
	}
	if methods < 15 {
		t.Errorf("only %d methods found", methods)
	}
}

// Statement 4: the address in the audit log is that of the connection, whatever headers the client sends.
func TestAuditLogHasTheAddressOfTheConnection(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir()}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	c.must(password+"\n", "user", "create", "--org", org, "--email", "admin@example.test", "--role", "admin")
	base := c.serve()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v2/auth/login",
		strings.NewReader(`{"email":"admin@example.test","password":"`+password+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip"} {
		req.Header.Set(name, "203.0.113.9")
	}
	req.Header.Set("Forwarded", "for=203.0.113.9")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var login struct{ Data struct{ AccessToken string } }
	if err := json.NewDecoder(res.Body).Decode(&login); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %v", res.StatusCode, err)
	}
	status, body := ask(t, http.MethodGet, base+"/api/v2/organization/audit", login.Data.AccessToken, "")
	if status != http.StatusOK || strings.Contains(body, "203.0.113.9") || !strings.Contains(body, `"address":"127.0.0.1"`) {
		t.Errorf("%d %s", status, body)
	}
}
