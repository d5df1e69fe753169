package system

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestPocketBase compares the product with PocketBase, with the same rows in a
// collection visible to members of an organization. PocketBase does not sync to disk at
// each commit (synchronous=NORMAL), does not calculate, keeps no history and hashes
// passwords with bcrypt. It is built and run only if ECF_BENCH_POCKETBASE is set.
func TestPocketBase(t *testing.T) {
	if os.Getenv("ECF_BENCH_POCKETBASE") == "" {
		t.Skip("ECF_BENCH_POCKETBASE is not set: PocketBase is not built")
	}
	p := planned(t)
	s, other := start(t), startPocketBase(t)
	list := s.fill(p.records)
	for i := range p.records {
		other.made(other.flights, other.flight("listed", i))
	}
	create := s.creation(s.event())
	create.goal = 2
	s.print(p,
		other.beside(s.read("list of 25 records", "/events/"+list+"/flights?limit=25", "", 0), other.list()),
		other.beside(create, other.create()),
		other.beside(s.signInWork(), other.signIn()),
	)
	s.keep("pocketbase")
}

// pocketBase is a server with one collection and one user.
type pocketBase struct {
	*system
	flights string // the URL of the collection
}

func startPocketBase(t *testing.T) *pocketBase {
	t.Helper()
	bin, data := t.TempDir(), t.TempDir()
	run := func(env []string, name string, args ...string) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run([]string{"GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOBIN=" + bin}, "go", "install", "github.com/pocketbase/pocketbase/examples/base@"+pocketbaseVersion)
	program, address := filepath.Join(bin, "base"), freeAddress(t)
	const root = "root@bench.test"
	run(nil, program, "superuser", "upsert", root, password, "--dir="+data)
	testkit.Process(t, program, []string{"serve", "--http=" + address, "--dir=" + data}, nil).WaitHTTP("http://" + address + "/api/health")
	p := &pocketBase{system: &system{t: t, url: "http://" + address}, flights: "http://" + address + "/api/collections/flights/records"}
	p.token = p.signedIn("_superusers", root)
	text := func(name string) map[string]any { return map[string]any{"name": name, "type": "text"} }
	users := p.sent(http.MethodGet, p.url+"/api/collections/users", nil)
	var collection struct {
		Fields []map[string]any `json:"fields"`
	}
	if err := json.Unmarshal(users, &collection); err != nil {
		t.Fatal(err)
	}
	p.sent(http.MethodPatch, p.url+"/api/collections/users", map[string]any{"fields": append(collection.Fields, text("org"))})
	rule := `@request.auth.id != "" && org = @request.auth.org`
	p.made(p.url+"/api/collections", map[string]any{
		"name": "flights", "type": "base", "listRule": rule, "viewRule": rule, "createRule": rule,
		"indexes": []string{"CREATE INDEX flights_event ON flights (event, created)"},
		"fields": []map[string]any{text("org"), text("event"), text("from"), text("to"), text("class"), text("group"), text("description"),
			{"name": "passengers", "type": "number"}, {"name": "roundTrip", "type": "bool"}, {"name": "created", "type": "autodate", "onCreate": true}},
	})
	p.made(p.url+"/api/collections/users/records", map[string]any{"email": email, "password": password, "passwordConfirm": password, "org": "bench", "verified": true})
	p.token = p.signedIn("users", email)
	return p
}

func (p *pocketBase) signedIn(collection, who string) string {
	p.t.Helper()
	var answer struct {
		Token string `json:"token"`
	}
	text := p.sent(http.MethodPost, p.url+"/api/collections/"+collection+"/auth-with-password", map[string]any{"identity": who, "password": password})
	if err := json.Unmarshal(text, &answer); err != nil {
		p.t.Fatal(err)
	}
	return answer.Token
}

func (p *pocketBase) made(address string, body map[string]any) {
	p.t.Helper()
	p.sent(http.MethodPost, address, body)
}

func (p *pocketBase) sent(method, address string, body map[string]any) []byte {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, address, bytes.NewReader(encoded(body)))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header = p.header()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %d %s %v", method, address, response.StatusCode, text, err)
	}
	return text
}

func (p *pocketBase) header() http.Header {
	return http.Header{"Authorization": {p.token}, "Content-Type": {"application/json"}, "Accept-Encoding": {"identity"}}
}

// encoded returns body as JSON.
func encoded(body map[string]any) []byte {
	text, _ := json.Marshal(body) //nolint:errchkjson // of texts, numbers and lists of them
	return text
}

// flight returns the record of the constant flight as PocketBase stores it.
func (p *pocketBase) flight(event string, n int) map[string]any {
	return map[string]any{"org": "bench", "event": event, "from": "FRA", "to": "LHR", "passengers": 1 + n%900, "class": "economy",
		"roundTrip": true, "group": "speakers", "description": "To the venue and back"}
}

// beside compares a work of the product with one of PocketBase.
func (p *pocketBase) beside(w, theirs work) work {
	theirs.status = http.StatusOK
	w.baselines = []baseline{{"PocketBase, " + theirs.name, func(_ context.Context, d time.Duration) float64 { return p.saturate(theirs, d) }}}
	return w
}

func (p *pocketBase) list() work {
	query := url.Values{"perPage": {"25"}, "filter": {"event = 'listed'"}, "sort": {"-created"}}
	return work{name: "25 by a filter", product: vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: p.flights + "?" + query.Encode(), Header: p.header()})}
}

func (p *pocketBase) create() work {
	var n atomic.Int64
	header := p.header()
	return work{name: "not durable", product: func(target *vegeta.Target) error {
		*target = vegeta.Target{Method: http.MethodPost, URL: p.flights, Header: header, Body: encoded(p.flight("made", int(n.Add(1))))}
		return nil
	}}
}

func (p *pocketBase) signIn() work {
	body := encoded(map[string]any{"identity": email, "password": password})
	return work{name: "bcrypt", product: vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodPost,
		URL: fmt.Sprint(p.url, "/api/collections/users/auth-with-password"), Header: http.Header{"Content-Type": {"application/json"}}, Body: body})}
}
