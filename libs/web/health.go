package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Check is a condition of readiness. Name is public, so it names the kind of dependency
// ("database"), never its address. Probe must respect its context.
type Check struct {
	Name  string
	Probe func(ctx context.Context) error
}

// How long the outcome of the checks is cached, and how long a check may take.
const (
	healthCache = time.Second
	probeLimit  = 2 * time.Second
)

// Health reports the liveness and readiness of a service. It reveals no address,
// setting or error text.
type Health struct {
	now      func() time.Time
	draining atomic.Bool

	mu      sync.Mutex // held while probing, so that one caller probes for all
	checks  []Check
	watched []Check // shown, but not required
	checked time.Time
	failed  []failedCheck
	missing []failedCheck // of the watched checks
}

type failedCheck struct {
	name string
	err  error
}

// NewHealth returns the health of a service with the given checks; now is its clock,
// time.Now if nil.
func NewHealth(now func() time.Time, checks ...Check) *Health {
	if now == nil {
		now = time.Now
	}
	return &Health{now: now, checks: checks}
}

// Add adds checks: the dependencies of a service are opened one after the other.
func (h *Health) Add(checks ...Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks, h.checked = append(h.checks, checks...), time.Time{}
}

// Watch adds checks that are shown but do not affect readiness, because the service can
// answer without them.
func (h *Health) Watch(checks ...Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watched, h.checked = append(h.watched, checks...), time.Time{}
}

// Drain makes the service not ready from now on, so that it gets no new requests while
// it finishes those it has.
func (h *Health) Drain() { h.draining.Store(true) }

// Register adds /health, /health/live and /health/ready below the prefix. They need no
// token.
func (h *Health) Register(app *fiber.App, prefix string) {
	app.Get(prefix+"/health", ServeLive)
	app.Get(prefix+"/health/live", ServeLive)
	app.Get(prefix+"/health/ready", h.ServeReady)
}

// ServeLive answers 200: the process serves requests.
func ServeLive(c *fiber.Ctx) error {
	knownOf(c).quiet = true
	return OK(c, fiber.Map{"status": "ok"})
}

// ServeReady reports whether the service is ready, with the outcome of its checks.
func (h *Health) ServeReady(c *fiber.Ctx) error {
	knownOf(c).quiet = true
	if err := h.Ready(c.UserContext()); err != nil {
		return err
	}
	return OK(c, fiber.Map{"status": "ready", "checks": h.states()})
}

// states returns the outcome of every check of a ready service: ok, or unavailable for
// one that is only watched.
func (h *Health) states() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	states := make(map[string]string, len(h.checks)+len(h.watched))
	for _, check := range slices.Concat(h.checks, h.watched) {
		states[check.Name] = "ok"
	}
	for _, f := range h.missing {
		states[f.name] = "unavailable"
	}
	return states
}

// Ready returns nil if every check passes and the service is not draining, otherwise
// UNAVAILABLE with a detail for each failed check. The outcome is cached for one
// second.
func (h *Health) Ready(ctx context.Context) error {
	if h.draining.Load() {
		return apperr.New(apperr.Unavailable, "The service is stopping.")
	}
	failed := h.probe(ctx)
	if len(failed) == 0 {
		return nil
	}
	e := apperr.New(apperr.Unavailable, "The service is not ready.")
	var causes []error
	for _, f := range failed {
		e = e.With(apperr.Detail{Field: f.name, Code: "NOT_READY", Message: "This dependency does not respond."})
		causes = append(causes, fmt.Errorf("%s: %w", f.name, f.err))
	}
	return e.Because(errors.Join(causes...))
}

func (h *Health) probe(ctx context.Context) []failedCheck {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A negative age means that the clock was set back.
	if age := h.now().Sub(h.checked); !h.checked.IsZero() && age >= 0 && age < healthCache {
		return h.failed
	}
	// The outcome serves other callers as well, so it must not depend on the deadline
	// of this one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeLimit)
	defer cancel()
	all := slices.Concat(h.checks, h.watched)
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, check := range all {
		wg.Go(func() { errs[i] = runProbe(ctx, check) })
	}
	wg.Wait()
	h.failed, h.missing = nil, nil
	for i, err := range errs {
		switch {
		case err == nil:
		case i < len(h.checks):
			h.failed = append(h.failed, failedCheck{all[i].Name, err})
		default:
			h.missing = append(h.missing, failedCheck{all[i].Name, err})
		}
	}
	h.checked = h.now()
	return h.failed
}

func runProbe(ctx context.Context, check Check) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return check.Probe(ctx)
}

// isHealthPath reports whether a path is a health route, before routing.
func isHealthPath(path string) bool {
	switch path {
	case "/health", "/health/live", "/health/ready", BasePath + "/health", BasePath + "/health/live", BasePath + "/health/ready":
		return true
	}
	return false
}
