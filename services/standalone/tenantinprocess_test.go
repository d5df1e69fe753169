package standalone_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// tenantInProcess is an organization in a server that is a process of its own.
type tenantInProcess struct {
	processes
	base, org, name string
	// ids are those of the accounts, by role.
	ids           map[string]string
	manager, user string // access tokens
	event         string
}

// post sends a request and returns the id in its response.
func (o *tenantInProcess) post(token, path, body string, want int) string {
	o.t.Helper()
	return o.send(http.MethodPost, token, path, body, want)
}

func (o *tenantInProcess) send(method, token, path, body string, want int) string {
	o.t.Helper()
	status, text := ask(o.t, method, o.base+path, token, body)
	if status != want {
		o.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	var made struct {
		ID          string `json:"_id"`
		AccessToken string
	}
	value(o.t, text, &made)
	return made.ID + made.AccessToken
}

func (o *tenantInProcess) login(email string) string {
	o.t.Helper()
	return o.post("", "/auth/login", `{"email":"`+email+`","password":"`+password+`","organization":"`+o.org+`"}`, http.StatusOK)
}

// found creates an organization with accounts and something of every kind that an organization can have.
func (p processes) found(base, name string) *tenantInProcess {
	p.t.Helper()
	o := &tenantInProcess{processes: p, base: base, name: name, ids: map[string]string{}}
	o.org = strings.TrimSpace(p.must("", "org", "create", "--name", name, "--plan", "team"))
	email := func(who string) string { return who + "@" + strings.ToLower(name) + ".test" }
	for _, who := range []string{"admin", "manager", "user"} {
		o.ids[who] = strings.TrimSpace(p.must(password+"\n", "user", "create", "--org", o.org, "--email", email(who), "--role", who))
	}
	admin := o.login(email("admin"))
	o.manager, o.user = o.login(email("manager")), o.login(email("user"))
	o.post(admin, "/users", `{"email":"`+email("invited")+`","role":"user"}`, http.StatusCreated)
	for _, kg := range []string{"1", "2"} {
		o.send(http.MethodPatch, admin, "/organization", `{"policy":{"autoApproveBelowKg":`+kg+`}}`, http.StatusOK)
	}
	o.post(o.manager, "/supplier-factors", `{"name":"Power","kgCO2ePerUnit":0.02,"unit":"kWh","source":"Disclosure 2025","evidence":[{"name":"d.pdf","sha256":"`+strings.Repeat("ab", 32)+`"}]}`, http.StatusCreated)
	o.event = o.post(o.manager, "/events", `{"title":"Gala of `+name+`","country":"GB","attendees":10,"startDate":"2026-06-01"}`, http.StatusCreated)
	deleted := o.post(o.user, "/events/"+o.event+"/waste", waste, http.StatusCreated)
	o.send(http.MethodDelete, o.user, "/events/"+o.event+"/waste/"+deleted, "", http.StatusOK)
	for range 3 {
		o.approved()
	}
	o.keyed()
	o.imported()
	o.settled(3)
	o.post(o.manager, "/events/"+o.event+"/sign-off", `{"revision":`+o.revision()+`,"statement":"Complete."}`, http.StatusAccepted)
	testkit.Eventually(p.t, time.Minute, func() error {
		if _, body := ask(p.t, http.MethodGet, base+"/events/"+o.event, o.manager, ""); !strings.Contains(body, `"state":"signed"`) {
			return fmt.Errorf("not signed: %s", body)
		}
		return nil
	})
	// Another event, for what comes.
	o.event = o.post(o.manager, "/events", `{"title":"Ball of `+name+`","country":"GB","team":{"members":[{"userId":"`+o.ids["user"]+`","role":"contributor"},{"userId":"`+o.ids["manager"]+`","role":"reviewer"}]}}`, http.StatusCreated)
	o.approved()
	o.settled(1)
	return o
}

// approved adds an approved record.
func (o *tenantInProcess) approved() {
	o.t.Helper()
	path := "/events/" + o.event + "/waste"
	id := o.post(o.user, path, waste, http.StatusCreated)
	o.post(o.user, path+"/"+id+"/submit", "", http.StatusOK)
	o.post(o.manager, path+"/"+id+"/approve", "", http.StatusOK)
}

// keyed adds a record with an idempotency key.
func (o *tenantInProcess) keyed() {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.base+"/events/"+o.event+"/waste", strings.NewReader(waste))
	must(o.t, err)
	o.do(req, "application/json", http.StatusCreated)
}

// imported imports a file of which a row is bad, so that the file is kept.
func (o *tenantInProcess) imported() {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.base+"/events/"+o.event+"/waste/import?partial=true", strings.NewReader("treatment,weightKg\nlandfill,1\nlandfil,1\n"))
	must(o.t, err)
	o.do(req, "text/csv", http.StatusAccepted)
	testkit.Eventually(o.t, time.Minute, func() error {
		if _, body := ask(o.t, http.MethodGet, o.base+"/events/"+o.event+"/imports", o.user, ""); !strings.Contains(body, `"status":"completed"`) {
			return fmt.Errorf("not imported: %s", body)
		}
		return nil
	})
}

func (o *tenantInProcess) do(req *http.Request, contentType string, want int) {
	o.t.Helper()
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+o.user)
	req.Header.Set("Idempotency-Key", "a key of "+o.name+" "+contentType)
	res, err := http.DefaultClient.Do(req)
	must(o.t, err)
	_ = res.Body.Close()
	if res.StatusCode != want {
		o.t.Fatalf("%s: %d", req.URL, res.StatusCode)
	}
}

// settled waits for a current result of so many records.
func (o *tenantInProcess) settled(records int) {
	o.t.Helper()
	testkit.Eventually(o.t, time.Minute, func() error {
		if _, body := ask(o.t, http.MethodGet, o.base+"/events/"+o.event+"/results", o.manager, ""); !strings.Contains(body, `"status":"current"`) || !strings.Contains(body, fmt.Sprintf(`"records":%d`, records)) {
			return fmt.Errorf("not current: %s", body)
		}
		return nil
	})
}

func (o *tenantInProcess) revision() string {
	o.t.Helper()
	_, body := ask(o.t, http.MethodGet, o.base+"/events/"+o.event+"/results", o.manager, "")
	var result struct{ Revision json.Number }
	value(o.t, body, &result)
	return result.Revision.String()
}

// load writes for the organization in several streams, with recalculations, until the returned function is called,
// which returns how many records were approved. It returns once some were.
func (o *tenantInProcess) load() (stop func() int64) {
	var done atomic.Int64
	ctx, cancel := context.WithCancel(o.t.Context())
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for ctx.Err() == nil {
				path := o.base + "/events/" + o.event + "/waste"
				_, body := ask(o.t, http.MethodPost, path, o.user, waste)
				var made struct {
					Data struct {
						ID string `json:"_id"`
					}
				}
				if json.Unmarshal([]byte(body), &made) != nil || made.Data.ID == "" {
					continue
				}
				_, _ = ask(o.t, http.MethodPost, path+"/"+made.Data.ID+"/submit", o.user, "")
				if status, _ := ask(o.t, http.MethodPost, path+"/"+made.Data.ID+"/approve", o.manager, ""); status == http.StatusOK {
					done.Add(1)
				}
			}
		})
	}
	testkit.Eventually(o.t, 2*time.Minute, func() error {
		if n := done.Load(); n < 3 {
			return fmt.Errorf("%d records are approved", n)
		}
		return nil
	})
	return func() int64 {
		cancel()
		group.Wait()
		return done.Load()
	}
}

// deleted deletes the organization. The MongoDB engine of the tests is so slow under load that a command may time out:
// then it is repeated, as it says.
func (o *tenantInProcess) deleted(out *bytes.Buffer) (err error) {
	for range 5 {
		out.Reset()
		cmd := o.command("org", "delete", "--org", o.org, "--name", o.name, "--quiet", "1s")
		cmd.Stdout, cmd.Stderr = out, out
		if err = cmd.Run(); err == nil || !strings.Contains(out.String(), "UNAVAILABLE") {
			return err
		}
	}
	return err
}
