package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

var (
	anyID  = regexp.MustCompile(`[0-9a-hjkmnp-tv-z]{26}`)
	anyTag = regexp.MustCompile(`"requestId":"[^"]*"`)
)

// alike returns a response without what differs in every request.
func alike(a *answer) string {
	text := anyTag.ReplaceAllString(anyID.ReplaceAllString(string(a.body), "ID"), "")
	return fmt.Sprintf("%d %s %s %s", a.status, anyID.ReplaceAllString(a.header.Get("Location"), "ID"), anyID.ReplaceAllString(a.header.Get("ETag"), "ID"), text)
}

// TestARehearsalIsLikeTheRealThing makes every write of the two services twice, first
// as a dry run: the response must be the same, and the dry run must write nothing, use
// no quota and send no notification.
func TestARehearsalIsLikeTheRealThing(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		counted := &mortal{Store: open(), left: 1 << 30}
		clock := newMovable()
		if err := counted.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "free", Rev: 1, CreatedAt: clock.now()}); err != nil {
			t.Fatal(err)
		}
		p := newPair(t, counted, clock)
		const user, manager, admin = "org/ann/user", "org/mia/manager", "org/ada/admin"
		both := func(as, method, path, body string, status int, header ...string) *answer {
			t.Helper()
			writes, rings := counted.writes, p.notifier.rings.Load()
			dry := p.ask(as, method, path, body, append(header, "X-Dry-Run", "true", "Idempotency-Key", "not used")...).want(status)
			if counted.writes != writes || p.notifier.rings.Load() != rings {
				t.Fatalf("%s %s: the dry run made %d writes and %d notifications", method, path, counted.writes-writes, p.notifier.rings.Load()-rings)
			}
			if status < 400 && dry.header.Get("X-Dry-Run") != "true" {
				t.Errorf("%s %s does not say that it was a dry run", method, path)
			}
			if dry.header.Get("X-Ecf-Audit") != "" {
				t.Errorf("%s %s: the dry run is entered in the audit log", method, path)
			}
			done := p.ask(as, method, path, body, header...).want(status)
			if alike(dry) != alike(done) {
				t.Errorf("%s %s: dry run\n%s\nreal\n%s", method, path, alike(dry), alike(done))
			}
			if status < 400 && counted.writes == writes {
				t.Errorf("%s %s: the real request made no write", method, path)
			}
			return done
		}
		both(user, http.MethodPost, "/events", `{"title":"E"}`, http.StatusForbidden)
		both(manager, http.MethodPost, "/events", `{"title":""}`, http.StatusBadRequest)
		event := "/events/" + both(manager, http.MethodPost, "/events", `{"title":"E","country":"GB"}`, http.StatusCreated).str("_id")
		both(manager, http.MethodPost, "/events", `{"title":"F"}`, http.StatusPaymentRequired)
		both(manager, http.MethodPatch, event, `{"title":"G","attendees":9}`, http.StatusOK)
		both(manager, http.MethodPatch, event, `{"title":"G"}`, http.StatusPreconditionFailed, "If-Match", `"9.x"`)
		both(admin, http.MethodPatch, "/organization", `{"name":"Organization","policy":{"fourEyes":true}}`, http.StatusOK)
		both(manager, http.MethodPatch, "/organization", `{"name":"Mine"}`, http.StatusForbidden)

		factor := both(manager, http.MethodPost, "/supplier-factors", `{"name":"Green Power","kgCO2ePerUnit":0.5,"unit":"kWh","source":"Disclosure","evidence":[{"name":"d.pdf","sha256":"`+strings.Repeat("ab", 32)+`"}]}`, http.StatusCreated)
		both(manager, http.MethodPatch, "/supplier-factors/"+factor.str("_id"), `{"kgCO2ePerUnit":0.4}`, http.StatusOK)
		both(admin, http.MethodPost, "/supplier-factors/"+factor.str("_id")+"/approve", "", http.StatusOK)

		const body = `{"treatment":"landfill","weightKg":1000,"externalReference":"w-1"}`
		created := both(user, http.MethodPost, event+"/waste", body, http.StatusCreated)
		if created.number("footprint", "kgCO2e") != "520.580230" {
			t.Errorf("footprint: %s", created.body)
		}
		item := event + "/waste/" + created.str("_id")
		both(user, http.MethodPost, event+"/waste", body, http.StatusConflict)
		both(user, http.MethodPost, event+"/waste", `{"treatment":"landfill","weightKg":-1}`, http.StatusBadRequest)
		both(user, http.MethodPatch, item, `{"weightKg":2000}`, http.StatusOK)
		both("org/bob/user", http.MethodPatch, item, `{"weightKg":2000}`, http.StatusForbidden)
		both(user, http.MethodPatch, item, `{"externalReference":"w-2"}`, http.StatusOK)
		both(user, http.MethodPatch, item, `{"externalReference":"w-1"}`, http.StatusOK)
		batch := both(user, http.MethodPost, event+"/waste/batch", `{"items":[`+body+`,{"treatment":"landfill","weightKg":2,"externalReference":"w-3"},`+
			`{"treatment":"landfill","weightKg":3,"externalReference":"w-3"},{"treatment":"reuse"},{"treatment":"landfill","weightKg":5}]}`, http.StatusOK)
		if batch.number("succeeded") != "2" || batch.number("failed") != "3" {
			t.Errorf("batch: %s", batch.body)
		}
		second, third := batch.str("items", 1, "record", "_id"), batch.str("items", 4, "record", "_id")
		both(user, http.MethodPatch, event+"/waste/"+third, `{"externalReference":"w-3"}`, http.StatusConflict)
		both(user, http.MethodPost, item+"/submit", "", http.StatusOK)
		both(user, http.MethodPost, item+"/submit", "", http.StatusConflict)
		both(user, http.MethodPatch, item, `{"weightKg":2000}`, http.StatusConflict)
		both(user, http.MethodPost, item+"/withdraw", "", http.StatusOK)
		both(user, http.MethodPost, item+"/submit", "", http.StatusOK, "If-Match", p.ask(user, http.MethodGet, item, "").header.Get("ETag"))
		both(user, http.MethodPost, event+"/waste/submit", `{"ids":["`+second+`","none","`+third+`","`+created.str("_id")+`"]}`, http.StatusOK)
		both(manager, http.MethodPost, item+"/review", "", http.StatusOK)
		both(manager, http.MethodPost, item+"/request-changes", `{"comment":""}`, http.StatusBadRequest)
		both(manager, http.MethodPost, item+"/request-changes", `{"comment":"Why?"}`, http.StatusOK)
		both(manager, http.MethodPost, item+"/submit", "", http.StatusOK)
		both(manager, http.MethodPost, item+"/approve", "", http.StatusForbidden)
		both(admin, http.MethodPost, item+"/approve", "", http.StatusOK)
		both(admin, http.MethodPost, item+"/reopen", `{"comment":"Again"}`, http.StatusOK)
		many := both(admin, http.MethodPost, event+"/review/approve", `{"ids":["`+third+`","none","`+second+`","`+created.str("_id")+`"]}`, http.StatusOK)
		if many.number("succeeded") != "2" || many.str("items", 3, "error", "code") != "INVALID_TRANSITION" || many.str("items", 1, "_id") != "none" {
			t.Errorf("approved: %s", many.body)
		}
		both(user, http.MethodDelete, item, "", http.StatusOK)
		both(user, http.MethodDelete, item, "", http.StatusNotFound)
		for _, id := range []string{second, third} {
			both(admin, http.MethodPost, event+"/waste/"+id+"/reopen", `{"comment":"Again"}`, http.StatusOK)
		}
		// If a record was ever approved the deletion is a proposal, and its dry run
		// shows the effect of approving it.
		for dry, want := range map[string]int{"true": http.StatusOK, "false": http.StatusAccepted} {
			if a := p.ask(manager, http.MethodDelete, event, "", "X-Dry-Run", dry); a.status != want {
				t.Errorf("deletion of the event, dry run %s: %d, want %d: %s", dry, a.status, want, a.body)
			}
		}
		if p.notifier.rings.Load() == 0 {
			t.Error("no notification was sent at all")
		}
		for _, header := range []string{"1", "yes", "TRUE!", ""} {
			p.ask(manager, http.MethodPost, "/events", `{"title":"E"}`, "X-Dry-Run", header).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
	})
}
