package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAnIntegrationThroughTheGateway plays a day of an integration: dry run, creation
// with keys, a batch, submission and approval of many, export. Every response is
// checked against the document.
func TestAnIntegrationThroughTheGateway(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager, admin := s.user(t), s.manager(t), s.as(t, "admin@example.test")
		keyed := func(key string) map[string]string { return map[string]string{"Idempotency-Key": key} }
		dry := map[string]string{"X-Dry-Run": "true"}

		rehearsed := manager.do(http.MethodPost, "/events", map[string]any{"title": "Fair", "country": "GB"}, dry).want(http.StatusCreated)
		if rehearsed.header.Get("X-Dry-Run") != "true" || manager.get("/events").number("pagination", "total") != "0" ||
			manager.get("/organization").number("eventQuota", "used") != "0" {
			t.Errorf("dry run: %v", rehearsed.header)
		}
		var first, replayed atomic.Int64
		var group sync.WaitGroup
		for range 12 {
			group.Go(func() {
				a := manager.do(http.MethodPost, "/events", map[string]any{"title": "Fair", "country": "GB"}, keyed("event"))
				switch {
				case a.status == http.StatusCreated && a.header.Get("Idempotent-Replayed") == "true":
					replayed.Add(1)
				case a.status == http.StatusCreated:
					first.Add(1)
				case a.status != http.StatusConflict || a.header.Get("Retry-After") == "":
					t.Errorf("%d: %s", a.status, a.body)
				}
			})
		}
		group.Wait()
		events := manager.get("/events").want(http.StatusOK)
		if first.Load() != 1 || events.number("pagination", "total") != "1" {
			t.Fatalf("%d first responses, %d replayed: %s", first.Load(), replayed.Load(), events.body)
		}
		event := "/events/" + events.str("items", 0, "_id")
		manager.do(http.MethodPost, "/events", map[string]any{"title": "Other"}, keyed("event")).wantError(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")

		var bodies []string
		for i := range 5 {
			bodies = append(bodies, fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, 1000*(i+1)))
		}
		bodies[3] = `{"treatment":"landfill","weightKg":"heavy"}`
		text := `{"items":[` + strings.Join(bodies, ",") + `]}`
		batch := user.do(http.MethodPost, event+"/waste/batch", text, keyed("batch")).want(http.StatusOK)
		again := user.do(http.MethodPost, event+"/waste/batch", text, keyed("batch")).want(http.StatusOK)
		if string(again.body) != string(batch.body) || again.header.Get("Idempotent-Replayed") != "true" || batch.number("succeeded") != "4" {
			t.Errorf("batch %s\nagain %s", batch.body, again.body)
		}
		var ids []string
		for _, i := range []int{0, 1, 2, 4} {
			ids = append(ids, batch.str("items", i, "record", "_id"))
		}
		user.post(event+"/waste/submit", map[string]any{"ids": append(ids, "none")}).want(http.StatusOK)
		user.post(event+"/review/approve", map[string]any{"ids": ids}).wantError(http.StatusForbidden, "FORBIDDEN")
		many := manager.do(http.MethodPost, event+"/review/approve", map[string]any{"ids": ids}, dry).want(http.StatusOK)
		if many.number("succeeded") != "4" || manager.get(event+"/review").number("pagination", "total") != "4" {
			t.Errorf("dry run: %s", many.body)
		}
		manager.do(http.MethodPost, event+"/review/approve", map[string]any{"ids": ids}, keyed("approve")).want(http.StatusOK)
		// 1 + 2 + 3 + 5 t × 520.58023
		if got := user.result(events.str("items", 0, "_id"), 4).number("total", "kgCO2e"); got != "5726.382530" {
			t.Errorf("total %s", got)
		}
		if rows := table(t, user.get(event+"/export")); len(rows) != 4 || rows[3]["status"] != "approved" || rows[3]["kgCO2e"] != "2602.901150" {
			t.Errorf("export: %v", rows)
		}
		admin.do(http.MethodPatch, "/organization", map[string]any{"name": "Renamed"}, nil).want(http.StatusOK)
		manager.do(http.MethodPatch, "/organization", map[string]any{"name": "Mine"}, nil).wantError(http.StatusForbidden, "FORBIDDEN")
		user.get("/record-types").want(http.StatusOK)
		user.get("/record-types/waste").want(http.StatusOK)
		user.get("/record-types/bins").wantError(http.StatusNotFound, "TYPE_NOT_FOUND")
		table(t, user.get("/record-types/waste/template"))
		index := user.get("/locations/index").want(http.StatusOK)
		user.do(http.MethodGet, "/locations/index", nil, map[string]string{"If-None-Match": index.header.Get("ETag")}).want(http.StatusNotModified)
		user.get("/locations/LON").want(http.StatusOK)
		user.get("/locations/nowhere").wantError(http.StatusNotFound, "NOT_FOUND")
		user.get("/events/none/export").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	})
}
