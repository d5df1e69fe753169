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

// Check is one thing a service needs to be ready. Name is shown to anybody, so
// it says what ("database"), never where. Probe must respect its context.
type Check struct {
	Name  string
	Probe func(ctx context.Context) error
}

// How long the outcome of the checks is kept, and how long one may take.
const (
	healthCache = time.Second
	probeLimit  = 2 * time.Second
)

// Health answers whether a service lives and is ready. It shows no address, no
// setting and no error text.
type Health struct {
	now      func() time.Time
	draining atomic.Bool

	mu      sync.Mutex // held while probing, so that one caller probes for all
	checks  []Check
	watched []Check // shown, and do not decide
	checked time.Time
	failed  []failedCheck
	missing []failedCheck // of those watched
}

type failedCheck struct {
	name string
	err  error
}

// NewHealth returns the health of a service from its checks; now is its clock,
// time.Now when nil.
func NewHealth(now func() time.Time, checks ...Check) *Health {
	if now == nil {
		now = time.Now
	}
	return &Health{now: now, checks: checks}
}

// Add adds checks: what the service stands on is opened one after the other.
func (h *Health) Add(checks ...Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks, h.checked = append(h.checks, checks...), time.Time{}
}

// Watch adds checks whose outcome is shown among the others and does not decide
// whether the service is ready: it can answer without them.
func (h *Health) Watch(checks ...Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watched, h.checked = append(h.watched, checks...), time.Time{}
}

// Drain makes the service not ready from now on, so that no new requests are
// sent to it while it finishes the ones it has.
func (h *Health) Drain() { h.draining.Store(true) }

// Register adds /health, /health/live and /health/ready below the prefix. They
// need no token.
func (h *Health) Register(app *fiber.App, prefix string) {
	app.Get(prefix+"/health", ServeLive)
	app.Get(prefix+"/health/live", ServeLive)
	app.Get(prefix+"/health/ready", h.ServeReady)
}

// ServeLive answers that the process serves requests.
func ServeLive(c *fiber.Ctx) error {
	knownOf(c).quiet = true
	return OK(c, fiber.Map{"status": "ok"})
}

// ServeReady answers whether the service is ready, and with which checks.
func (h *Health) ServeReady(c *fiber.Ctx) error {
	knownOf(c).quiet = true
	if err := h.Ready(c.UserContext()); err != nil {
		return err
	}
	return OK(c, fiber.Map{"status": "ready", "checks": h.states()})
}

// states returns the outcome of every check of a service that is ready: ok, or
// unavailable for what it only watches.
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

// Ready returns nil when every check passes and the service is not draining,
// else UNAVAILABLE with a detail for each check that fails. The outcome is kept
// for one second.
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
		e = e.With(apperr.Detail{Field: f.name, Code: "NOT_READY", Message: "This dependency does not answer."})
		causes = append(causes, fmt.Errorf("%s: %w", f.name, f.err))
	}
	return e.Because(errors.Join(causes...))
}

func (h *Health) probe(ctx context.Context) []failedCheck {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A negative age is of a clock that was put back.
	if age := h.now().Sub(h.checked); !h.checked.IsZero() && age >= 0 && age < healthCache {
		return h.failed
	}
	// The outcome serves other callers as well, so it must not depend on how
	// much time this one has left.
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

// isHealthPath knows the health routes before a route is found.
func isHealthPath(path string) bool {
	switch path {
	case "/health", "/health/live", "/health/ready", BasePath + "/health", BasePath + "/health/live", BasePath + "/health/ready":
		return true
	}
	return false
}
