package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func waitStatus(t *testing.T, c *caller, path string, status int) {
	t.Helper()
	testkit.Eventually(t, 30*time.Second, func() error {
		if a := c.get(path); a.status != status {
			return fmt.Errorf("status %d: %s", a.status, a.body)
		}
		return nil
	})
}

// TestThirtySignInsPerQuarterHour verifies that the 31st request of one address within
// a quarter of an hour is refused, over both routes together (statements 2 and 4).
func TestThirtySignInsPerQuarterHour(t *testing.T) {
	t.Parallel()
	onBothEngines(t, map[string]string{"ECF_AUTH_RATE_LIMIT": "30/15m"}, func(t *testing.T, s *system) {
		anyone := s.anonymous(t)
		for i := range 30 {
			if i%2 == 0 {
				anyone.post("/auth/login", map[string]any{"email": "nobody@example.test", "password": "wrong"}).wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
			} else {
				anyone.post("/auth/refresh", map[string]any{"refreshToken": "none"}).wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
			}
		}
		for _, path := range []string{"/auth/login", "/auth/refresh"} {
			// A forged client address changes nothing.
			a := anyone.do(http.MethodPost, path, map[string]any{}, map[string]string{"X-Forwarded-For": "203.0.113.9"})
			a.wantError(http.StatusTooManyRequests, "RATE_LIMITED")
			if a.header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", path)
			}
		}
	})
}

// TestQuotaIsExact verifies that of many concurrent creations exactly as many succeed
// as the plan allows.
func TestQuotaIsExact(t *testing.T) {
	t.Parallel()
	onBothEngines(t, map[string]string{"ECF_QUOTAS": "free=3,team=50,enterprise=unlimited"}, func(t *testing.T, s *system) {
		org := s.organization(t, "Small Ltd", "free")
		s.account(t, org, "boss@small.test", identity.Manager)
		manager := s.as(t, "boss@small.test")
		var made, refused atomic.Int64
		var group sync.WaitGroup
		for i := range 24 {
			group.Go(func() {
				switch a := manager.post("/events", map[string]any{"title": fmt.Sprint("Event ", i)}); a.status {
				case http.StatusCreated:
					made.Add(1)
				case http.StatusPaymentRequired:
					refused.Add(1)
				default:
					t.Errorf("status %d: %s", a.status, a.body)
				}
			})
		}
		group.Wait()
		if made.Load() != 3 || refused.Load() != 21 {
			t.Fatalf("%d created, %d refused", made.Load(), refused.Load())
		}
		manager.post("/events", map[string]any{"title": "One more"}).wantError(http.StatusPaymentRequired, "QUOTA_EXCEEDED")
		// Deleting an event does not restore its quota.
		id := manager.get("/events").want(http.StatusOK).str("items", 0, "_id")
		manager.do(http.MethodDelete, "/events/"+id, nil, nil).want(http.StatusOK)
		manager.post("/events", map[string]any{"title": "One more"}).wantError(http.StatusPaymentRequired, "QUOTA_EXCEEDED")
		if a := manager.get("/organization").want(http.StatusOK); a.number("eventQuota", "used") != "3" || a.number("eventQuota", "left") != "0" {
			t.Errorf("organization: %s", a.body)
		}
	})
}

// TestParallelApprovalsHaveOneEffect verifies that exactly one of 64 concurrent
// approvals of a record succeeds (statement 23).
func TestParallelApprovalsHaveOneEffect(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := manager.post("/events", map[string]any{"title": "Race", "country": "GB"}).want(http.StatusCreated).str("_id")
		id := user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000}).want(http.StatusCreated).str("_id")
		path := "/events/" + event + "/waste/" + id
		user.post(path+"/submit", nil).want(http.StatusOK)
		var won atomic.Int64
		var group sync.WaitGroup
		for range 64 {
			group.Go(func() {
				switch a := manager.post(path+"/approve", nil); a.status {
				case http.StatusOK:
					won.Add(1)
				case http.StatusConflict:
				default:
					t.Errorf("status %d: %s", a.status, a.body)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d approvals", won.Load())
		}
		if got := user.result(event, 1).number("total", "kgCO2e"); got != "520.580230" {
			t.Errorf("total %s", got)
		}
		if got := user.get(path+"/history").want(http.StatusOK).number("pagination", "total"); got != "3" {
			t.Errorf("%s history entries", got)
		}
	})
}
