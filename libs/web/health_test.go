package web_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/web"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var now atomic.Int64
	var failure atomic.Pointer[string]
	probes := 0
	h := web.NewHealth(func() time.Time { return time.Unix(0, now.Load()) },
		web.Check{Name: "database", Probe: func(ctx context.Context) error {
			probes++
			if _, ok := ctx.Deadline(); !ok {
				t.Error("a probe has no deadline")
			}
			if text := failure.Load(); text != nil {
				return errors.New(*text)
			}
			return nil
		}},
		web.Check{Name: "queue", Probe: func(context.Context) error { return nil }},
	)
	h.Register(b.app, "/api/v2")
	h.Register(b.app, "")
	now.Store(int64(time.Hour))

	for _, path := range []string{"/health", "/health/live", "/api/v2/health", "/api/v2/health/live"} {
		a := b.get(path)
		a.ok(200)
		if a.body != `{"success":true,"data":{"status":"ok"}}` || a.header.Get("ETag") != "" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %v", path, a.body, a.header)
		}
	}
	if probes != 0 {
		t.Error("liveness asks the dependencies")
	}
	a := b.get("/health/ready")
	a.ok(200)
	if a.body != `{"success":true,"data":{"checks":{"database":"ok","queue":"ok"},"status":"ready"}}` {
		t.Error(a.body)
	}

	poison := "dial tcp 10.2.3.4:27017 poison"
	failure.Store(&poison)
	b.get("/health/ready").ok(200) // cached for a second
	now.Add(int64(time.Second))
	a = b.get("/health/ready")
	e := a.fails(503, "UNAVAILABLE")
	if len(e.Details) != 1 || e.Details[0].Field != "database" || strings.Contains(a.body, "10.2.3.4") || strings.Contains(a.body, "poison") {
		t.Error(a.body)
	}
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if !strings.Contains(b.log.String(), "poison") {
		t.Errorf("the log does not say why: %s", b.log)
	}
	if probes != 2 {
		t.Errorf("%d probes, want 2", probes)
	}
	failure.Store(nil)
	now.Add(int64(time.Second))
	b.get("/health/ready").ok(200)
	h.Drain()
	b.get("/health/ready").fails(503, "UNAVAILABLE")
	b.get("/health/live").ok(200)
	for _, line := range b.log.lines(t) {
		if line["status"] == 200.0 && line["level"] != "DEBUG" {
			t.Errorf("a healthy answer is logged at %v", line["level"])
		}
	}
}

// TestOneProbeForAll verifies that concurrent callers share the outcome of a check.
func TestOneProbeForAll(t *testing.T) {
	t.Parallel()
	var probes atomic.Int64
	h := web.NewHealth(nil, web.Check{Name: "x", Probe: func(context.Context) error { probes.Add(1); return nil }})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := h.Ready(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := probes.Load(); n != 1 {
		t.Errorf("%d probes", n)
	}
}

func TestPanickingProbe(t *testing.T) {
	t.Parallel()
	h := web.NewHealth(nil, web.Check{Name: "x", Probe: func(context.Context) error { panic("poison") }})
	if err := h.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "poison") {
		t.Error(err)
	}
}
