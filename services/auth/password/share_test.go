package password_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// TestKeysHashInTurn verifies that a new key is served next after a flood of another
// key, and that background work waits for both.
func TestKeysHashInTurn(t *testing.T) {
	t.Parallel()
	h := hasher(t, password.Options{Params: cheap, Slots: 1, Queue: 10, Wait: time.Minute})
	release, err := h.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan func(), 1)
	order := make(chan string, 100)
	waits := 0
	want := func(name string, ctx context.Context) {
		t.Helper()
		go func() {
			end, err := h.Acquire(ctx)
			if err != nil {
				name = err.Error()
			}
			order <- name
			ends <- end
		}()
		waits++
		testkit.Eventually(t, 10*time.Second, func() error {
			if n := h.Waiting(); n != waits {
				return fmt.Errorf("%d wait, want %d", n, waits)
			}
			return nil
		})
	}
	want("c", password.LowPriority(t.Context(), "org"))
	for range 4 {
		want("a", password.For(t.Context(), "192.0.2.1"))
	}
	want("b", password.For(t.Context(), "192.0.2.2"))
	want("b", password.For(t.Context(), "192.0.2.2"))
	release()
	var got strings.Builder
	for range waits {
		got.WriteString(<-order)
		(<-ends)()
	}
	if got.String() != "ababaac" {
		t.Errorf("order %s", got.String())
	}
}
