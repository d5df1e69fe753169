package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestEveryReadTellsWhetherItChanged verifies that each operation that reads returns a
// strong entity tag, and answers a conditional request with it without a body.
func TestEveryReadTellsWhetherItChanged(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, _, paths := s.readable(t)
	admin := s.as(t, "admin@example.test")
	for name, path := range paths {
		first := admin.get(path)
		if first.status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, first.status, first.body)
		}
		tag := first.header.Get("ETag")
		if len(tag) < 3 || !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) {
			t.Errorf("%s has no strong tag: %q", name, tag)
			continue
		}
		for _, has := range []string{tag, `"other", ` + tag, "W/" + tag, "*"} {
			again := admin.do(http.MethodGet, path, nil, map[string]string{"If-None-Match": has})
			want := tag
			if has == "*" { // the client's format is not known
				want = strings.NewReplacer(`+gzip"`, `"`, `+br"`, `"`).Replace(tag)
			}
			if got := again.header.Get("ETag"); again.status != http.StatusNotModified || len(again.body) > 0 || got != tag && got != want {
				t.Errorf("%s with %s: %d, tag %s, body %s", name, has, again.status, again.header.Get("ETag"), again.body)
			}
		}
		if other := admin.do(http.MethodGet, path, nil, map[string]string{"If-None-Match": `"other"`}); other.status != http.StatusOK || string(other.body) != string(first.body) {
			t.Errorf("%s with another tag: %d", name, other.status)
		}
	}
}

// readable fills an organization so that each operation that reads finds something, and
// returns an event, its approved record, and the paths of those operations by their
// paths in the document.
func (s *system) readable(t *testing.T) (event, item string, paths map[string]string) {
	t.Helper()
	document, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	user, manager, admin := s.user(t), s.manager(t), s.as(t, "admin@example.test")
	event = manager.post("/events", map[string]any{"title": "Read", "country": "GB", "externalReference": "bin"}).want(http.StatusCreated).str("_id")
	item = approved(user, manager, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 1000, "externalReference": "bin"})
	user.result(event, 1)
	approved(user, manager, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 2000})
	user.result(event, 2)
	waiting := user.post("/events/"+event+"/waste", map[string]any{"treatment": "recycling", "weightKg": 3}).want(http.StatusCreated).str("_id")
	user.post("/events/"+event+"/waste/"+waiting+"/submit", nil).want(http.StatusOK)
	imported := user.do(http.MethodPost, "/events/"+event+"/waste/import?partial=true", "treatment,weightKg\nlandfill,1\nlandfil,1\n",
		map[string]string{"Content-Type": "text/csv"}).want(http.StatusAccepted).str("_id")
	testkit.Eventually(t, 20*time.Second, func() error {
		if a := user.get("/events/" + event + "/imports/" + imported).want(http.StatusOK); a.str("status") != "completed" {
			return fmt.Errorf("the import is %s", a.str("status"))
		}
		return nil
	})
	manager.post("/events/"+event+"/sign-off", map[string]any{"revision": 2, "statement": "Final."}).want(http.StatusAccepted)
	testkit.Eventually(t, 20*time.Second, func() error {
		if state := user.get("/events/"+event).want(http.StatusOK).str("signOff", "state"); state != "signed" {
			return fmt.Errorf("the sign-off is %s", state)
		}
		return nil
	})
	ids := strings.NewReplacer("/record-types/{type}", "/record-types/waste", "{type}", "waste", "{revision}", "2", "{other}", "1",
		"{code}", "LHR", "{setId}", "desnz-2026", "{eventId}", event, "{recordId}", item, "{importId}", imported, "{reference}", "bin",
		"{factorId}", manager.post("/supplier-factors", power).want(http.StatusCreated).str("_id"),
		"{userId}", admin.get("/auth/me").want(http.StatusOK).str("_id"))
	paths = map[string]string{}
	for _, operation := range document.Operations {
		// Health changes at any moment, and the pages of the documentation have assets.
		if operation.Method != http.MethodGet || strings.HasPrefix(operation.Path, "/health") || strings.HasPrefix(operation.Path, "/docs") ||
			strings.HasPrefix(operation.Path, "/setup") {
			continue
		}
		paths[operation.Path] = ids.Replace(operation.Path)
		if operation.Root {
			paths[operation.Path] = "/" + paths[operation.Path]
		}
	}
	if len(paths) < 30 {
		t.Fatalf("only %d operations", len(paths))
	}
	return event, item, paths
}

// TestNoTagOutlivesItsBody changes everything that lists show, one thing after another,
// and reads all pages after each: the tag of another body is never current, and that of
// the same body always.
func TestNoTagOutlivesItsBody(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		const user, manager = "org/ann/user", "org/bob/manager"
		store := open()
		if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1}); err != nil {
			t.Fatal(err)
		}
		p, other := newPair(t, store, newMovable()), newPair(t, open(), newMovable())
		event := p.ask(manager, http.MethodPost, "/events", `{"title":"One","country":"DE"}`).want(http.StatusCreated).str("_id")
		list := "/events/" + event + "/waste"
		create := func() string {
			return p.ask(user, http.MethodPost, list, `{"treatment":"landfill","weightKg":5}`).want(http.StatusCreated).str("_id")
		}
		ids := []string{create(), create(), create()}
		paths := []string{list, list + "?limit=2", list + "?limit=2&page=2", list + "?page=9", "/events", "/events?limit=1&page=2",
			list + "/" + ids[0], list + "/" + ids[0] + "/history", list + "/" + ids[0] + "/history?limit=1&page=2", "/events/" + event + "/export"}
		tags, bodies := map[string]string{}, map[string]string{}
		look := func(what string) (changed int) {
			t.Helper()
			for _, path := range paths {
				old, known := tags[path]
				again := other.ask(user, http.MethodGet, path, "", "If-None-Match", old)
				now := p.ask(user, http.MethodGet, path, "")
				tags[path] = now.header.Get("ETag")
				same := known && string(now.body) == bodies[path]
				bodies[path] = string(now.body)
				if known && same != (again.status == http.StatusNotModified) {
					t.Errorf("after %s %s returns %d; its body is the same: %v", what, path, again.status, same)
				}
				if again.status == http.StatusOK && string(again.body) != string(now.body) {
					t.Errorf("after %s %s returns two bodies", what, path)
				}
				if !same {
					changed++
				}
			}
			return changed
		}
		look("the beginning")
		do := func(as, method, path, body string, status int) func() {
			return func() { p.ask(as, method, path, body).want(status) }
		}
		first := list + "/" + ids[0]
		for _, step := range []struct {
			what string
			do   func()
		}{
			{"an edit", do(user, http.MethodPatch, first, `{"weightKg":6}`, http.StatusOK)},
			{"a submission", do(user, http.MethodPost, first+"/submit", "", http.StatusOK)},
			{"a withdrawal", do(user, http.MethodPost, first+"/withdraw", "", http.StatusOK)},
			{"another submission", do(user, http.MethodPost, first+"/submit", "", http.StatusOK)},
			{"a claim", do(manager, http.MethodPost, first+"/review", "", http.StatusOK)},
			{"an approval", do(manager, http.MethodPost, first+"/approve", "", http.StatusOK)},
			{"a footprint calculated under another factor set", func() {
				r, err := store.Record(t.Context(), "org", record.Key{Event: record.EventID(event), Type: "waste", ID: record.ID(ids[0])})
				if err != nil {
					t.Fatal(err)
				}
				var preview map[string]any
				if err := json.Unmarshal(r.Preview, &preview); err != nil {
					t.Fatal(err)
				}
				preview["factorSet"] = "another"
				text, err := json.Marshal(preview)
				if err != nil {
					t.Fatal(err)
				}
				if err := store.StoreContributions(t.Context(), "org", []record.Recalculated{
					{ID: r.ID, Rev: r.Rev, ContextRev: r.ContextRev + 1, Preview: text, Contribution: r.Contribution},
				}); err != nil {
					t.Fatal(err)
				}
			}},
			{"a deletion on another page", do(user, http.MethodDelete, list+"/"+ids[2], "", http.StatusOK)},
			{"a creation", func() { create() }},
			{"a change of the event's title", do(manager, http.MethodPatch, "/events/"+event, `{"title":"Two"}`, http.StatusOK)},
			{"another event", do(manager, http.MethodPost, "/events", `{"title":"More","country":"FR"}`, http.StatusCreated)},
		} {
			step.do()
			if changed := look(step.what); changed == 0 {
				t.Errorf("%s changed nothing that is visible", step.what)
			}
			if changed := look("nothing after " + step.what); changed != 0 {
				t.Errorf("after %s %d pages change by themselves", step.what, changed)
			}
		}
		p.ask(manager, http.MethodDelete, "/events/"+event, "").want(http.StatusOK)
		for _, path := range []string{list, "/events/" + event + "/export"} {
			if gone := p.ask(user, http.MethodGet, path, "", "If-None-Match", tags[path]); gone.status != http.StatusNotFound {
				t.Errorf("%s of a deleted event: %d", path, gone.status)
			}
		}
	})
}
