package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/spec"
)

// bodies are valid requests for the operations that need one, so that a refusal
// is about the object and not about the body.
func bodyFor(method, path string) any {
	switch {
	case method != http.MethodPost && method != http.MethodPatch && method != http.MethodPut:
		return nil
	case strings.HasSuffix(path, "/{type}"):
		return map[string]any{"treatment": "landfill", "weightKg": 1}
	case strings.HasSuffix(path, "/{recordId}"):
		return map[string]any{"weightKg": 2}
	case strings.HasSuffix(path, "/request-changes"), strings.HasSuffix(path, "/reject"), strings.HasSuffix(path, "/reopen"):
		return map[string]any{"comment": "why"}
	case strings.HasSuffix(path, "/batch"):
		return map[string]any{"items": []any{map[string]any{"treatment": "landfill", "weightKg": 1}}}
	case strings.HasSuffix(path, "/import"):
		return "treatment,weightKg\nlandfill,1\n"
	case strings.HasSuffix(path, "/{type}/submit"), strings.HasSuffix(path, "/review/approve"):
		return map[string]any{"ids": []string{"00000000000000000000000000"}}
	case strings.HasSuffix(path, "/factor-set"):
		return map[string]any{"factorSet": "desnz-2026"}
	case strings.HasSuffix(path, "/{userId}"):
		return map[string]any{"name": "Someone"}
	case strings.HasSuffix(path, "/{eventId}"):
		return map[string]any{"title": "Taken over"}
	}
	return nil
}

var requestIDField = regexp.MustCompile(`"requestId":"[^"]*"`)

// Statement 17: TestOrganizationsAreApart walks every operation of the OpenAPI document that
// names an object in its path, with the ids of another organization: each
// answers 404, with the very body that an id which never existed gets, and
// nothing has changed afterwards.
func TestOrganizationsAreApart(t *testing.T) {
	t.Parallel()
	document, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager, admin := s.user(t), s.manager(t), s.as(t, "admin@example.test")
		event := manager.post("/events", map[string]any{"title": "Ours", "country": "GB"}).want(http.StatusCreated).str("_id")
		record := approved(user, manager, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 1000})
		user.result(event, 1)
		ours := map[string]string{
			"{eventId}": event, "{recordId}": record, "{type}": "waste", "{revision}": "1", "{other}": "1",
			"{userId}":    admin.get("/auth/me").want(http.StatusOK).str("_id"),
			"{sessionId}": user.get("/auth/sessions").want(http.StatusOK).str("items", 0, "_id"),
			"{importId}":  "00000000000000000000000001",
		}
		nobodys := map[string]string{}
		for name, value := range ours {
			nobodys[name] = value
			if name == "{eventId}" || name == "{recordId}" || name == "{userId}" || name == "{sessionId}" || name == "{importId}" {
				nobodys[name] = strings.Repeat("0", len(value))
			}
		}
		before := snapshot(user, manager, event, record)

		org := s.organization(t, "Other Ltd", "team")
		s.account(t, org, "admin@other.test", identity.Admin)
		stranger := s.as(t, "admin@other.test")
		// An event of the stranger's own, so that only the record is another's.
		own := stranger.post("/events", map[string]any{"title": "Theirs", "country": "GB"}).want(http.StatusCreated).str("_id")

		walked := 0
		for _, operation := range document.Operations {
			names := regexp.MustCompile(`\{[a-zA-Z]+\}`).FindAllString(operation.Path, -1)
			owned := false
			for _, name := range names {
				owned = owned || nobodys[name] != ours[name]
				if ours[name] == "" && name != "{asset}" && name != "{code}" && name != "{factorSetId}" && name != "{setId}" && name != "{id}" {
					t.Errorf("%s %s: no id for %s; add one to this test", operation.Method, operation.Path, name)
				}
			}
			if !owned {
				continue
			}
			walked++
			body := bodyFor(operation.Method, operation.Path)
			ask := func(ids map[string]string) *answer {
				path := operation.Path
				for name, id := range ids {
					path = strings.ReplaceAll(path, name, id)
				}
				var header map[string]string
				if strings.HasSuffix(path, "/import") {
					header = map[string]string{"Content-Type": "text/csv"}
				}
				return stranger.do(operation.Method, path, body, header)
			}
			theirs, none := ask(ours), ask(nobodys)
			if theirs.status != http.StatusNotFound || same(theirs) != same(none) {
				t.Errorf("%s %s: another organization's id gets %d %s, one of nobody %d %s",
					operation.Method, operation.Path, theirs.status, theirs.body, none.status, none.body)
			}
			if strings.Contains(operation.Path, "{recordId}") {
				// The stranger's own event with our record below it.
				mixed := maps.Clone(ours)
				mixed["{eventId}"] = own
				if a := ask(mixed); a.status != http.StatusNotFound {
					t.Errorf("%s %s: our record below another event gets %d %s", operation.Method, operation.Path, a.status, a.body)
				}
			}
		}
		if walked < 15 {
			t.Errorf("only %d operations walked", walked)
		}
		for _, path := range []string{"/events", "/review"} {
			list := stranger.get(path).want(http.StatusOK)
			if strings.Contains(string(list.body), event) || strings.Contains(string(list.body), record) {
				t.Errorf("%s shows another organization's: %s", path, list.body)
			}
		}
		if after := snapshot(user, manager, event, record); after != before {
			t.Errorf("the walk has changed something:\n%s\n%s", before, after)
		}
	})
}

// same is a body without what differs in every answer.
func same(a *answer) string { return requestIDField.ReplaceAllString(string(a.body), "") }

// snapshot is what the owners see of an event.
func snapshot(user, manager *caller, event, record string) string {
	var all []json.RawMessage
	for _, a := range []*answer{
		user.get("/events/" + event), user.get("/events/" + event + "/waste/" + record), user.get("/events/" + event + "/waste/" + record + "/history"),
		user.get("/events/" + event + "/results"), manager.get("/events/" + event + "/review"),
	} {
		all = append(all, a.body)
	}
	text, err := json.Marshal(all)
	if err != nil {
		user.t.Fatal(err)
	}
	return string(text)
}
