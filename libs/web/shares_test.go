package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestExpensiveRequestsOfOneOrganization verifies that the requests of one organization fill
// its slots and queue, and are rejected beyond that, while those of another start at once and
// pages are never rejected.
func TestExpensiveRequestsOfOneOrganization(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *web.Options) { o.Timeout = time.Minute })
	end := make(chan struct{})
	begun := make(chan string, 1000)
	work := func(c *fiber.Ctx) error {
		begun <- web.PrincipalOf(c).Org
		if c.Query("wait") != "" {
			<-end
		}
		return web.OK(c, "done")
	}
	table := api.Table{
		{ID: "report", Method: http.MethodGet, Path: "/report", Least: identity.User, Reach: api.Organization, Cost: api.Whole},
		{ID: "list", Method: http.MethodGet, Path: "/list", Least: identity.User, Reach: api.Organization, Cost: api.Page},
	}
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "report", Handler: work}, {Operation: "list", Handler: work}}); err != nil {
		t.Fatal(err)
	}
	greedy, other := []string{"Authorization", "Bearer user-a"}, []string{"Authorization", "Bearer admin-b"}
	const asked = 100
	statuses := make(chan *answer, asked)
	var all sync.WaitGroup
	for range asked {
		all.Go(func() { statuses <- b.in(t).get("/report?wait=1", greedy...) })
	}
	<-begun // its slots are in use, and requests beyond its queue rejected
	refused := <-statuses
	refused.fails(http.StatusTooManyRequests, "RATE_LIMITED")
	if refused.header.Get("Retry-After") != "1" || !strings.HasSuffix(refused.header.Get("RateLimit"), `, "expensive-waiting";r=0`) || refused.header.Get("RateLimit-Policy") != `"expensive";q=6000;w=60, "expensive-waiting";q=128` {
		t.Errorf("headers %v", refused.header)
	}
	a := b.get("/report", other...)
	if a.ok(http.StatusOK); a.header.Get("RateLimit") != `"expensive";r=5996;t=1, "expensive-waiting";r=128` {
		t.Errorf("RateLimit = %q", a.header.Get("RateLimit"))
	}
	for range 50 {
		b.get("/list", greedy...).ok(http.StatusOK)
	}
	close(end)
	all.Wait()
	close(statuses)
	ok := 0
	for a := range statuses {
		if a.status == http.StatusOK {
			ok++
		}
	}
	if ok < 32 || ok > asked-1 {
		t.Errorf("%d of %d were answered", ok, asked)
	}
}

// TestExpensiveRequestsHaveABudget verifies that requests are charged by cost, are refunded if
// not done, and are rejected beyond the allowance until it is replenished, independently of
// other organizations.
func TestExpensiveRequestsHaveABudget(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	b := setup(t, func(o *web.Options) {
		o.Work = fairshare.New(fairshare.Options{Slots: 2, Share: 1, Waiting: 128, Pause: 1, AloneAfter: time.Hour, Allowance: 12, Within: time.Minute,
			Now: clock.Now, After: func(_ time.Duration, f func()) { go f() }})
	})
	answered := func(c *fiber.Ctx) error { return web.OK(c, "done") }
	table := api.Table{
		{ID: "report", Method: http.MethodGet, Path: "/report", Least: identity.User, Reach: api.Organization, Cost: api.Whole},
		{ID: "explain", Method: http.MethodGet, Path: "/explain", Least: identity.User, Reach: api.Organization, Cost: api.Part},
		{ID: "edit", Method: http.MethodPatch, Path: "/edit", Least: identity.User, Reach: api.Organization, RehearsalCost: api.Whole},
	}
	if err := web.Register(b.app, "", members(), table, []web.Route{
		{Operation: "report", Handler: func(c *fiber.Ctx) error {
			if web.NotModified(c, `"tag"`) {
				return web.SendNotModified(c, `"tag"`)
			}
			return web.OK(c, "done")
		}},
		{Operation: "explain", Handler: answered},
		{Operation: "edit", Handler: func(c *fiber.Ctx) error {
			if dry, err := web.DryRun(c); err != nil || dry {
				return errors.Join(err, web.BeginRehearsal(c), web.OK(c, "rehearsed"))
			}
			return web.OK(c, "done")
		}},
	}); err != nil {
		t.Fatal(err)
	}
	ask := func(who, method, path string, want int, left string, headers ...string) *answer {
		t.Helper()
		a := b.do(method, path, "", append(headers, "Authorization", "Bearer "+who)...)
		if got, _, _ := strings.Cut(a.header.Get("RateLimit"), ", "); a.status != want || got != left {
			t.Errorf("%s %s of %s: %d, RateLimit %q; want %d, %q", method, path, who, a.status, got, want, left)
		}
		return a
	}
	get, patch := http.MethodGet, http.MethodPatch
	ask("admin-b", get, "/explain", http.StatusOK, `"expensive";r=10;t=10`)
	ask("user-a", get, "/explain", http.StatusOK, `"expensive";r=10;t=10`)
	ask("user-a", get, "/report", http.StatusOK, `"expensive";r=6;t=30`)
	ask("user-a", get, "/report", http.StatusNotModified, `"expensive";r=2;t=50`, "If-None-Match", `"tag"`)
	ask("user-a", patch, "/edit", http.StatusOK, "")
	ask("user-a", patch, "/edit", http.StatusOK, `"expensive";r=2;t=50`, web.HeaderDryRun, "true")
	refused := ask("user-a", get, "/report", http.StatusTooManyRequests, `"expensive";r=2;t=50`)
	if refused.header.Get("Retry-After") != "10" {
		t.Errorf("Retry-After: %s", refused.header.Get("Retry-After"))
	}
	ask("user-a", patch, "/edit", http.StatusTooManyRequests, `"expensive";r=2;t=50`, web.HeaderDryRun, "true")
	ask("user-a", get, "/explain", http.StatusOK, `"expensive";r=0;t=60`)
	ask("user-a", patch, "/edit", http.StatusOK, "")
	ask("admin-b", get, "/report", http.StatusOK, `"expensive";r=6;t=30`)
	clock.Advance(20 * time.Second)
	ask("user-a", get, "/report", http.StatusOK, `"expensive";r=0;t=60`)
}

// TestRehearsalsDeclareTheirCost verifies that a handler gets only slots declared in the table,
// and does not wait where nothing is scheduled.
func TestRehearsalsDeclareTheirCost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rehearse := func(c *fiber.Ctx) error { return errors.Join(web.BeginRehearsal(c), web.OK(c, "done")) }
	table := api.Table{
		{ID: "silent", Method: http.MethodPatch, Path: "/silent", Least: identity.User, Reach: api.Organization},
		{ID: "unscheduled", Method: http.MethodPatch, Path: "/unscheduled", Least: identity.User, Reach: api.Organization, Cost: api.Unscheduled},
	}
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "silent", Handler: rehearse}, {Operation: "unscheduled", Handler: rehearse}}); err != nil {
		t.Fatal(err)
	}
	if a := b.do(http.MethodPatch, "/silent", "", "Authorization", "Bearer user-a"); a.status != http.StatusInternalServerError {
		t.Errorf("%d of a rehearsal whose cost nobody knows", a.status)
	}
	b.do(http.MethodPatch, "/unscheduled", "", "Authorization", "Bearer user-a").ok(http.StatusOK)
}

// TestPagesAreDelayedAndNeverRefused verifies that a thousand concurrent pages of one
// organization are all answered while another one reads too.
func TestPagesAreDelayedAndNeverRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *web.Options) { o.Timeout = time.Minute })
	const pages = 1000
	end, arrived := make(chan struct{}), make(chan struct{}, pages+1)
	table := api.Table{{ID: "list", Method: http.MethodGet, Path: "/list", Least: identity.User, Reach: api.Organization, Cost: api.Page}}
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "list", Handler: func(c *fiber.Ctx) error {
		if c.Query("wait") != "" {
			<-end
		}
		return web.OK(c, "done")
	}}}, func(*fiber.Ctx) error { arrived <- struct{}{}; return nil }); err != nil {
		t.Fatal(err)
	}
	b.get("/list", "Authorization", "Bearer admin-b").ok(http.StatusOK)
	<-arrived
	var all sync.WaitGroup
	for range pages {
		all.Go(func() {
			a := b.in(t).get("/list?wait=1", "Authorization", "Bearer user-a")
			if a.ok(http.StatusOK); a.header.Get("RateLimit") != "" || a.header.Get("RateLimit-Policy") != "" {
				t.Errorf("a page is announced as limited: %v", a.header)
			}
		})
	}
	for range pages {
		<-arrived // each is about to wait, or running
	}
	close(end)
	all.Wait()
}

// TestExpensiveWorkOfAProcessIsOneShare verifies that the expensive work of an organization in
// all services of a process is counted together, and that of another organization starts beside
// it.
func TestExpensiveWorkOfAProcessIsOneShare(t *testing.T) {
	t.Parallel()
	work := fairshare.New(fairshare.Options{Slots: 2, Share: 1})
	begun, end := make(chan string, 10), make(chan struct{})
	service := func() *bundle {
		b := setup(t, func(o *web.Options) { o.Timeout, o.Work = time.Minute, work })
		table := api.Table{{ID: "report", Method: http.MethodGet, Path: "/report", Least: identity.User, Reach: api.Organization, Cost: api.Whole}}
		if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "report", Handler: func(c *fiber.Ctx) error {
			begun <- web.PrincipalOf(c).Org
			<-end
			return web.OK(c, "done")
		}}}); err != nil {
			t.Fatal(err)
		}
		return b
	}
	one, two := service(), service()
	var all sync.WaitGroup
	ask := func(b *bundle, token string) {
		all.Go(func() { b.in(t).get("/report", "Authorization", "Bearer "+token).ok(http.StatusOK) })
	}
	ask(one, "user-a")
	org := <-begun
	ask(two, "user-a")
	testkit.Eventually(t, time.Minute, func() error {
		if n := work.Waiting(org); n != 1 {
			return fmt.Errorf("%d requests wait at the other service, want 1", n)
		}
		return nil
	})
	ask(two, "admin-b")
	if got := <-begun; got == org {
		t.Errorf("the other service began work of %s, which has its share", got)
	}
	close(end)
	all.Wait()
}

// TestShortReadsKeepTheirTurn verifies that concurrent short reads of one organization, and 304
// responses of expensive ones, leave processors to another active organization.
func TestShortReadsKeepTheirTurn(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *web.Options) { o.Timeout, o.Work = time.Minute, web.NewWork() })
	table := api.Table{
		{ID: "list", Method: http.MethodGet, Path: "/list", Least: identity.User, Reach: api.Organization, Cost: api.Page},
		{ID: "report", Method: http.MethodGet, Path: "/report", Least: identity.User, Reach: api.Organization, Cost: api.Whole},
	}
	done := func(c *fiber.Ctx) error {
		testkit.Takes(t, 100*time.Microsecond)
		return web.OK(c, "done")
	}
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "list", Handler: done}, {Operation: "report", Handler: done}}); err != nil {
		t.Fatal(err)
	}
	b.get("/list", "Authorization", "Bearer admin-b").ok(http.StatusOK)
	const times, clients = 200, 8
	for _, path := range []string{"/list", "/report"} {
		began := time.Now()
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for range times / clients {
					b.get(path, "Authorization", "Bearer user-a").ok(http.StatusOK)
				}
			})
		}
		all.Wait()
		share := max(2, runtime.GOMAXPROCS(0)) / 2
		if took, least := time.Since(began), (time.Duration(times/share)*web.MinSlotTime-web.SlotBurst)/2; took < least {
			t.Errorf("%d times %s took %v beside another organization, want %v at least", times, path, took, least)
		}
	}
}

// TestTurnsAhead verifies that work ahead of a response waits for a slot only while another
// organization has work.
func TestTurnsAhead(t *testing.T) {
	t.Parallel()
	work := fairshare.New(fairshare.Options{Slots: 2, Share: 1, AloneAfter: time.Hour, Least: time.Nanosecond})
	b := setup(t, func(o *web.Options) { o.Work = work })
	table := api.Table{{ID: "export", Method: http.MethodGet, Path: "/export", Least: identity.User, Reach: api.Organization, Cost: api.Whole}}
	handler := func(c *fiber.Ctx) error { // it holds the organization's slot
		ctx, cancel := context.WithTimeout(c.UserContext(), 50*time.Millisecond)
		defer cancel()
		end, err := web.SlotFuncAhead(c)(ctx)
		if err != nil {
			return web.OK(c, "waits")
		}
		end()
		return web.OK(c, "goes on")
	}
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "export", Handler: handler}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"goes on", "waits"} {
		if a := b.get("/export", "Authorization", "Bearer user-a"); !strings.Contains(a.body, want) {
			t.Errorf("%s, want that it %s", a.body, want)
		}
		b.get("/export", "Authorization", "Bearer admin-b")
	}
}

// TestYield verifies that another organization runs between two parts of long work, other work
// of its own does not, and without other organizations it continues.
func TestYield(t *testing.T) {
	t.Parallel()
	work := fairshare.New(fairshare.Options{Slots: 1, Share: 1, AloneAfter: time.Hour, Least: time.Nanosecond})
	b := setup(t, func(o *web.Options) { o.Work = work })
	table := api.Table{{ID: "report", Method: http.MethodGet, Path: "/report", Least: identity.User, Reach: api.Organization, Cost: api.Whole}}
	var done []string // written by the holder of the slot
	begun, queued := make(chan struct{}), make(chan struct{})
	handler := func(c *fiber.Ctx) error {
		for part := range 3 {
			done = append(done, fmt.Sprint(c.Query("as"), part))
			if c.Query("as") == "long" && part == 0 {
				close(begun)
				<-queued
			}
			if err := fairshare.Yield(c.UserContext()); err != nil {
				return err
			}
		}
		return web.OK(c, "done")
	}
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "report", Handler: handler}}); err != nil {
		t.Fatal(err)
	}
	b.get("/report?as=alone", "Authorization", "Bearer user-a").ok(http.StatusOK)
	var all sync.WaitGroup
	ask := func(as, token string) {
		all.Go(func() { b.in(t).get("/report?as="+as, "Authorization", "Bearer "+token).ok(http.StatusOK) })
	}
	waiting := func(org string, n int) {
		testkit.Eventually(t, time.Minute, func() error {
			if got := work.Waiting(org); got != n {
				return fmt.Errorf("%d requests of %s wait, want %d", got, org, n)
			}
			return nil
		})
	}
	ask("long", "user-a")
	a, other := orgOf(t, "user-a"), orgOf(t, "admin-b")
	<-begun
	ask("next", "user-a")
	waiting(a, 1)
	ask("other", "admin-b")
	waiting(other, 1)
	close(queued)
	all.Wait()
	want := []string{"alone0", "alone1", "alone2", "long0", "other0", "long1"}
	if !slices.Equal(done[:len(want)], want) || len(done) != 12 {
		t.Errorf("%v, want them to begin with %v", done, want)
	}
	if slices.Index(done, "next0") < slices.Index(done, "long2") {
		t.Errorf("%v: what the organization asked for later went between the parts", done)
	}
}

// orgOf returns the organization of a token.
func orgOf(t *testing.T, token string) string {
	t.Helper()
	p, err := members().Verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return p.Org
}
