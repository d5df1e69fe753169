package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestQuotaOnManyReplicas makes a hundred concurrent requests on four replicas for the
// last places of a plan: exactly as many events are created as there are places. A
// change of the plan applies to the next request on every replica (statement 24).
func TestQuotaOnManyReplicas(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		const manager, racing = "org/bob/manager", 100
		store := open()
		organization := record.Organization{ID: "org", Name: "Org", Plan: "free", Rev: 1}
		if err := store.InsertOrganization(t.Context(), organization); err != nil {
			t.Fatal(err)
		}
		replicas := []*pair{newPair(t, store, newMovable())}
		for range 3 {
			replicas = append(replicas, newPair(t, open(), newMovable()))
		}
		onPlan := func(plan string) {
			t.Helper()
			organization.Plan, organization.Rev = plan, organization.Rev+1
			if err := store.ReplaceOrganization(t.Context(), organization, organization.Rev-1); err != nil {
				t.Fatal(err)
			}
		}
		create := func(replica int, title string) int {
			a := replicas[replica].ask(manager, http.MethodPost, "/events", fmt.Sprintf(`{"title":%q}`, title))
			if a.status == http.StatusPaymentRequired {
				a.wantError(http.StatusPaymentRequired, "QUOTA_EXCEEDED")
			}
			return a.status
		}
		race := func(what string, places int64) {
			t.Helper()
			var made, refused atomic.Int64
			var group sync.WaitGroup
			start := make(chan struct{})
			for i := range racing {
				group.Go(func() {
					<-start
					switch status := create(i%len(replicas), fmt.Sprint(what, " ", i)); status {
					case http.StatusCreated:
						made.Add(1)
					case http.StatusPaymentRequired:
						refused.Add(1)
					default:
						t.Errorf("%s: status %d", what, status)
					}
				})
			}
			close(start)
			group.Wait()
			if made.Load() != places || refused.Load() != racing-places {
				t.Errorf("%s: %d created and %d refused, with %d places", what, made.Load(), refused.Load(), places)
			}
		}
		wantUsed := func(used, left string) {
			t.Helper()
			for i, replica := range replicas {
				a := replica.ask(manager, http.MethodGet, "/organization", "").want(http.StatusOK)
				if a.number("eventQuota", "used") != used || a.number("eventQuota", "left") != left {
					t.Errorf("replica %d: %s", i, a.body)
				}
			}
			list := replicas[1].ask(manager, http.MethodGet, "/events?limit=1", "").want(http.StatusOK)
			if list.number("pagination", "total") != used {
				t.Errorf("%s used, but the list is %s", used, list.body)
			}
		}
		race("one place", 1)
		wantUsed("1", "0")
		onPlan("small")
		for i := range replicas {
			if status := create(i, "Larger plan"); status != http.StatusCreated {
				t.Errorf("replica %d does not apply the larger plan: %d", i, status)
			}
		}
		race("the rest of the larger plan", 5)
		wantUsed("10", "0")
		onPlan("free")
		for i := range replicas {
			if status := create(i, "Smaller plan"); status != http.StatusPaymentRequired {
				t.Errorf("replica %d does not apply the smaller plan: %d", i, status)
			}
		}
	})
}
