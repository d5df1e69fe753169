package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// suspendable is the store as a process sees it that can be suspended, and then changes nothing.
type suspendable struct {
	record.Keys
	suspended atomic.Bool
	renewed   atomic.Int64
}

func (s *suspendable) ReplaceKey(ctx context.Context, org record.OrgID, e record.KeyEntry, lease string) (bool, error) {
	if s.suspended.Load() {
		return false, errors.New("suspended")
	}
	taken, err := s.Keys.ReplaceKey(ctx, org, e, lease)
	if taken && e.Lease == lease {
		s.renewed.Add(1)
	}
	return taken, err
}

// TestALeaseIsTakenOver verifies that when the lease of a suspended process expires, one other
// process takes over with the same ids and name, and that a late response of the first one
// changes nothing.
func TestALeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, c *clock, a, b *place) {
		type facts struct {
			ids     [2]string
			once    string
			resumed bool
		}
		factsOf := func(c *fiber.Ctx) facts {
			r := idempotency.Of(c)
			return facts{[2]string{r.NewID(0), r.NewID(1)}, r.Once(), r.Resumed}
		}
		begun, proceed := make(chan facts, 1), make(chan struct{})
		a.does(func(c *fiber.Ctx) error {
			begun <- factsOf(c)
			<-proceed
			return web.OK(c, "the late one")
		})
		late := make(chan reply, 1)
		go func() { late <- a.ask("k", "{}") }()
		first := <-begun
		var second facts
		b.does(func(c *fiber.Ctx) error {
			second = factsOf(c)
			return web.OK(c, "the other")
		})
		b.want(b.ask("k", "{}"), http.StatusConflict, false, "IDEMPOTENCY_IN_PROGRESS")
		a.keys.suspended.Store(true)
		c.advance(6 * time.Second)
		b.want(b.ask("k", "{}"), http.StatusOK, false, "the other")
		if first.resumed || !second.resumed || first.ids != second.ids || first.once != second.once {
			t.Errorf("%+v, then %+v", first, second)
		}
		if first.ids[0] == first.ids[1] || len(first.ids[0]) != 26 || len(first.once) < 32 {
			t.Errorf("%+v", first)
		}
		a.keys.suspended.Store(false)
		close(proceed)
		a.want(<-late, http.StatusOK, false, "the late one")
		b.want(b.ask("k", "{}"), http.StatusOK, true, "the other")
	})
}

// TestALeaseOfTheFutureIsTakenOver verifies that a lease from a clock an hour ahead does not
// last an hour.
func TestALeaseOfTheFutureIsTakenOver(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, c *clock, a, b *place) {
		begun, proceed := make(chan struct{}), make(chan struct{})
		a.does(func(c *fiber.Ctx) error {
			close(begun)
			<-proceed
			return web.OK(c, "the late one")
		})
		b.does(func(c *fiber.Ctx) error { return web.OK(c, "the other") })
		late := make(chan reply, 1)
		go func() { late <- a.ask("k", "{}") }()
		<-begun
		b.want(b.ask("k", "{}"), http.StatusConflict, false, "IDEMPOTENCY_IN_PROGRESS")
		a.keys.suspended.Store(true)
		c.advance(-time.Hour)
		b.want(b.ask("k", "{}"), http.StatusOK, false, "the other")
		close(proceed)
		a.want(<-late, http.StatusOK, false, "the late one")
	})
}

// TestARunningRequestKeepsItsLease verifies that a request which takes longer than a lease is not
// taken over while its process lives.
func TestARunningRequestKeepsItsLease(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, c *clock, a, b *place) {
		begun, proceed := make(chan struct{}), make(chan struct{})
		a.does(func(c *fiber.Ctx) error {
			close(begun)
			<-proceed
			return web.OK(c, "done")
		})
		b.does(func(*fiber.Ctx) error { t.Error("done twice"); return nil })
		first := make(chan reply, 1)
		go func() { first <- a.ask("k", "{}") }()
		<-begun
		c.advance(4 * time.Second)
		testkit.Eventually(t, 20*time.Second, func() error {
			if n := a.keys.renewed.Load(); n < 2 {
				return fmt.Errorf("the lease is renewed %d times, want again and again", n)
			}
			return nil
		})
		c.advance(4 * time.Second)
		b.want(b.ask("k", "{}"), http.StatusConflict, false, "IDEMPOTENCY_IN_PROGRESS")
		close(proceed)
		a.want(<-first, http.StatusOK, false, "done")
		b.want(b.ask("k", "{}"), http.StatusOK, true, "done")
	})
}
