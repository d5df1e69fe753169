package standalone_test

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/signature"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// write puts text into a file of the test and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pack.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// value reads one member of an answer's data.
func value(t *testing.T, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &struct{ Data any }{into}); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
}

// packedServer is a server with an organization, an event with one approved
// record, and the token of a manager.
type packedServer struct {
	*commands
	base, token, event string
}

func newPackedServer(t *testing.T, env map[string]string) packedServer {
	t.Helper()
	env["ECF_REQUEST_TIMEOUT"] = "1m" // composing a set at its first use is slow with the race detector
	c := &commands{t, env}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	c.must(password+"\n", "user", "create", "--org", org, "--email", "manager@example.test", "--role", "manager")
	s := packedServer{commands: c, base: c.serve() + "/api/v2"}
	_, body := ask(t, "POST", s.base+"/auth/login", "", `{"email":"manager@example.test","password":"`+password+`"}`)
	var login struct{ AccessToken string }
	value(t, body, &login)
	s.token = login.AccessToken
	var made struct {
		ID string `json:"_id"`
	}
	value(t, s.ask("POST", "/events", `{"title":"Gala","country":"GB","startDate":"2026-06-10","endDate":"2026-06-11","attendees":10}`, http.StatusCreated), &made)
	s.event = "/events/" + made.ID
	value(t, s.ask("POST", s.event+"/venue", `{"electricityKWh":1000}`, http.StatusCreated), &made)
	s.ask("POST", s.event+"/venue/"+made.ID+"/submit", ``, http.StatusOK)
	s.ask("POST", s.event+"/venue/"+made.ID+"/approve", ``, http.StatusOK)
	s.result("")
	return s
}

func (s packedServer) ask(method, path, body string, want int) string {
	s.t.Helper()
	status, text := ask(s.t, method, s.base+path, s.token, body)
	if status != want {
		s.t.Fatalf("%s %s %s: %d %s", method, path, body, status, text)
	}
	return text
}

type packedResult struct {
	Revision  int64
	Status    string
	Total     struct{ KgCO2e json.Number }
	FactorSet struct{ ID, Version string }
}

// result waits for a current result with the set, or with any where set is empty.
func (s packedServer) result(set string) (r packedResult) {
	s.t.Helper()
	testkit.Eventually(s.t, time.Minute, func() error {
		status, body := ask(s.t, "GET", s.base+s.event+"/results", s.token, "")
		if status != http.StatusOK {
			return fmt.Errorf("%d %s", status, body)
		}
		value(s.t, body, &r)
		if r.Status != "current" || set != "" && r.FactorSet.ID != set {
			return fmt.Errorf("%+v", r)
		}
		return nil
	})
	return r
}

// TestOperatorAddsAFactorPack exports the set of 2026 as a new pack, adds it to a running server, and has an event
// adopt it; then it tries a pack with another figure.
func TestOperatorAddsAFactorPack(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"the embedded engine": {},
		"MongoDB":             {"ECF_MONGODB_URI": emptyMongo(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env["ECF_ADDR"], env["ECF_DATA_DIR"] = "127.0.0.1:0", t.TempDir()
			s := newPackedServer(t, env)
			before := s.result("")
			exported, err := s.run("", "factors", "export", "desnz-2026", "--name", "as-if-new-"+strings.ReplaceAll(strings.ToLower(name), " ", "-"))
			if err != nil {
				t.Fatal(err)
			}
			s.refusals(exported)
			signed, err := s.run(exported, "factors", "sign", "-")
			if err != nil {
				t.Fatal(err)
			}
			id := s.must(signed, "factors", "add", "-")
			if again := s.must(signed, "factors", "add", "-"); again != id {
				t.Errorf("added again: %s, want %s", again, id)
			}
			other := strings.Replace(exported, "The rows of", "Other rows of", 1)
			if out, err := s.run(other, "factors", "add", "-", "--unsigned"); err == nil || !strings.Contains(err.Error(), "different content") {
				t.Errorf("the same id with other content: %v %s", err, out)
			}
			s.ask("POST", s.event+"/factor-set", `{"factorSet":"`+id+`"}`, http.StatusOK)
			after := s.result(id)
			if after.Total != before.Total || after.FactorSet.Version == before.FactorSet.Version {
				t.Errorf("%+v, before %+v", after, before)
			}
			s.listed(id)
			s.moves(exported, before)
		})
	}
}

// refusals tries to add invalid packs.
func (s packedServer) refusals(exported string) {
	s.t.Helper()
	for input, want := range map[string]string{
		exported: "not signed",
		strings.Replace(exported, `"unit":"kWh"`, `"unit":"MWh"`, 1): ".unit: ",
		`{}`: "no factor pack",
	} {
		if out, err := s.run(input, "factors", "add", "-"); err == nil || !strings.Contains(err.Error(), want) {
			s.t.Errorf("%.60s: %v %s", input, err, out)
		}
	}
	signed, keys := signedByAStranger(s.t, exported)
	if out, err := s.run(signed, "factors", "add", "-"); err == nil || !strings.Contains(err.Error(), "neither one of the report keys") {
		s.t.Errorf("signed by a stranger: %v %s", err, out)
	}
	if out, err := s.run(signed, "factors", "check", "-", "--keys", keys); err != nil || !strings.Contains(out, "signed with the key ") {
		s.t.Errorf("signed by who is named: %v %s", err, out)
	}
	if out, err := s.run(strings.Replace(signed, "The rows of", "Other rows of", 1), "factors", "add", "-", "--unsigned"); err == nil || !strings.Contains(err.Error(), "signature of the pack is wrong") {
		s.t.Errorf("changed after it was signed: %v %s", err, out)
	}
	if status, body := ask(s.t, "POST", s.base+s.event+"/factor-set", s.token, `{"factorSet":"no-such-v1"}`); status != http.StatusBadRequest || !strings.Contains(body, "UNKNOWN_FACTOR_SET") {
		s.t.Errorf("%d %s", status, body)
	}
}

// signedByAStranger signs a pack with a new key, and returns the file of that key.
func signedByAStranger(t *testing.T, text string) (signed, keys string) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := pack.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Sign(func(text []byte) (signature.Signature, error) { return signature.Of(text, key) }); err != nil {
		t.Fatal(err)
	}
	encoded, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := identity.NewJWK(public)
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(identity.JWKS{Keys: []identity.JWK{jwk}})
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded), write(t, string(set))
}

// listed verifies that a pack is listed.
func (s packedServer) listed(id string) {
	s.t.Helper()
	var list struct {
		Items []struct {
			ID   string
			Pack *struct {
				Name, SignedBy string
				Release        int
				Unsigned       bool
			}
		}
	}
	value(s.t, s.ask("GET", "/factor-sets", "", http.StatusOK), &list)
	found := false
	for _, item := range list.Items {
		if item.ID == id {
			found = item.Pack != nil && item.Pack.SignedBy != "" && !item.Pack.Unsigned && item.Pack.Release == 1
		} else if strings.HasPrefix(item.ID, "desnz-") && item.Pack != nil {
			s.t.Errorf("%s is no pack", item.ID)
		}
	}
	if !found {
		s.t.Errorf("%s is not among %+v", id, list.Items)
	}
	if body := s.ask("GET", "/factor-sets/"+id, "", http.StatusOK); !strings.Contains(body, `"id":"desnz-2026-flight-domestic-average-norf"`) {
		s.t.Errorf("its rows: %.300s", body)
	}
	if out, err := s.run("", "factors", "list"); err != nil || !strings.Contains(out, id+"\t2026") || !strings.Contains(out, "desnz-2026\t2026") {
		s.t.Errorf("%v %s", err, out)
	}
}

// moves adds a second release with another figure, unsigned, and adopts it.
func (s packedServer) moves(exported string, before packedResult) {
	s.t.Helper()
	second := strings.NewReplacer(`"release":1`, `"release":2`, `"id":"elec.gb.location.2026"`, `"id":"elec.gb.location.2027"`,
		`"kgCO2e":0.13096,"co2":0.12943,"ch4":0.00067,"n2o":0.00086`, `"kgCO2e":0.1`).Replace(exported)
	out, err := s.run("", "factors", "add", write(s.t, second), "--unsigned")
	if err != nil {
		s.t.Fatal(err)
	}
	id := strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
	s.ask("POST", s.event+"/factor-set", `{"factorSet":"`+id+`"}`, http.StatusOK)
	after := s.result(id)
	if body := s.ask("GET", "/factor-sets/"+id, "", http.StatusOK); !strings.Contains(body, `"unsigned":true`) {
		s.t.Errorf("it is not said to be unsigned: %.400s", body)
	}
	if body := s.ask("GET", s.event+"/results/explain", "", http.StatusOK); !strings.Contains(body, "elec.gb.location.2027") {
		s.t.Errorf("the lines do not name the new row: %.800s", body)
	}
	if after.Total == before.Total || after.Total.KgCO2e == "" {
		s.t.Errorf("%+v, before %+v", after, before)
	}
	report := s.ask("GET", s.event+"/results/report", "", http.StatusOK)
	if out, err := s.run(report, "verify", "-"); err != nil || !strings.Contains(out, "which nobody signed; its rows in use, ") {
		s.t.Errorf("%v %s", err, out)
	}
	if out, err := s.run("", "audit", "verify"); err != nil || !strings.Contains(out, "system: ") {
		s.t.Errorf("%v %s", err, out)
	}
}
