package auth

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestChangesOfOrganizationsTakeTurns verifies that organizations are served in turn,
// however many changes one of them has, and that few changes of one user wait.
func TestChangesOfOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	p := newPasswordChanges(nil, time.Now, time.Now, slog.New(slog.DiscardHandler))
	order := make(chan string, 100)
	ends := make(chan func(), 1)
	waiting := map[string]int{}
	begin := func(org, user string) {
		t.Helper()
		go func() {
			end, err := p.begin(context.Background(), org, user, "192.0.2.1")
			if err != nil {
				t.Error(err)
				end = func() {}
			}
			order <- user
			ends <- end
		}()
		if len(waiting) > 0 || user != "first" {
			waiting[org]++
		}
		testkit.Eventually(t, 10*time.Second, func() error {
			if n := p.slot.Waiting(org); n != waiting[org] {
				return fmt.Errorf("%d of %s wait, want %d", n, org, waiting[org])
			}
			return nil
		})
	}
	begin("greedy", "first")
	if user := <-order; user != "first" {
		t.Fatal(user)
	}
	for n := range 20 {
		begin("greedy", fmt.Sprint("u", n))
	}
	begin("small", "other")
	for range changesWaiting {
		begin("greedy", "u0")
	}
	soon, end := context.WithTimeout(t.Context(), 5*time.Second) // for a change that is not refused and waits
	defer end()
	if _, err := p.begin(soon, "greedy", "u0", "192.0.2.1"); apperr.CodeOf(err) != apperr.RateLimited {
		t.Errorf("a user with %d waiting changes: %v", changesWaiting+1, err)
	}
	for n := waiting["greedy"]; n < changesOfOrganization; n++ {
		begin("greedy", fmt.Sprint("v", n))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // for a change that waits
	defer cancel()
	if _, err := p.begin(ctx, "greedy", "one more", "192.0.2.1"); apperr.CodeOf(err) != apperr.RateLimited {
		t.Errorf("an organization with %d waiting changes: %v", changesOfOrganization, err)
	}
	(<-ends)()
	if user := <-order; user != "other" {
		t.Errorf("%s went before the other organization", user)
	}
	(<-ends)()
	for range waiting["greedy"] {
		<-order
		(<-ends)()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.users) != 0 {
		t.Errorf("%v are still counted", p.users)
	}
}
