package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
)

// Route maps an operation to its handler.
type Route struct {
	// Operation is the id in the table of operations, which defines everything else:
	// method, path, minimum role, timeout and body limit.
	Operation string
	// Resolve, if set, runs between authentication and the role check, for errors that
	// the contract answers with 404 before 403 (an unknown type).
	Resolve func(*fiber.Ctx) error
	Handler fiber.Handler
}

// Register adds the operations of a table below a prefix such as BasePath, and those at
// the root of the host there. It fails, with all errors together and nothing
// registered, unless the table passes its Check, each of its operations has exactly one
// route, and each route is for one of its operations.
//
// On a route that is not public the caller is authenticated (401), then the afterAuth
// handlers run, which return nil to continue (for 429), then Resolve (404), then the
// role is checked (403), then an expensive operation acquires a slot of its
// organization (429), then the handler runs.
//
// Only api.Matcher decides which operation a path belongs to; the order of the routes
// does not matter. Below the prefix an unknown path is 401 without a token and 404 with
// one; a known path with another method is 405 with Allow, after authentication unless
// all operations of the path are public.
func Register(app *fiber.App, prefix string, v TokenVerifier, table api.Table, routes []Route, afterAuth ...func(*fiber.Ctx) error) error {
	bound, err := bind(v, table, routes)
	if err != nil {
		return err
	}
	matcher, err := api.NewMatcher(prefix, table)
	if err != nil {
		return err
	}
	every, err := api.NewMatcher(prefix, api.Operations())
	if err != nil {
		return err
	}
	r := &router{prefix: prefix, matcher: matcher, every: every, verifier: v, afterAuth: afterAuth, shares: newShares(table)}
	app.Use(r.unrouted)
	// fiber uses the first route that matches, only to parse the parameters of a path;
	// in this order it is that of the right operation.
	for _, o := range inOrder(matcher.Operations()) {
		path := routePattern(prefix, o)
		handler := func(c *fiber.Ctx) error { return r.serve(c, o, bound[o.ID]) }
		if o.Method == fiber.MethodGet {
			app.Head(path, handler) // HEAD is GET without the body
		}
		app.Add(o.Method, path, handler)
	}
	return nil
}

// inOrder moves the operations below /events to the front. fiber tries routes one after
// the other, and most requests are for those. No operation with another first segment
// matches their paths, so the route found is the same.
func inOrder(operations []api.Operation) []api.Operation {
	slices.SortStableFunc(operations, func(a, b api.Operation) int {
		return cmp.Compare(afterEvents(a), afterEvents(b))
	})
	return operations
}

func afterEvents(o api.Operation) int {
	if strings.HasPrefix(o.Path, "/events") {
		return 0
	}
	return 1
}

// bind verifies that routes and table match, and returns the routes by operation id.
func bind(v TokenVerifier, table api.Table, routes []Route) (map[string]Route, error) {
	errs := []error{table.Check()}
	bound := map[string]Route{}
	for _, r := range routes {
		o, ok := table.Find(r.Operation)
		_, twice := bound[r.Operation]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("route %q is not an operation of this table", r.Operation))
			continue
		case twice:
			errs = append(errs, fmt.Errorf("route %s is registered twice", o.ID))
		case !o.Public() && v == nil:
			errs = append(errs, fmt.Errorf("route %s needs a token and there is no verifier", o.ID))
		case r.Handler == nil:
			errs = append(errs, fmt.Errorf("route %s has no handler", o.ID))
		}
		bound[r.Operation] = r
	}
	for _, o := range table {
		if _, ok := bound[o.ID]; !ok {
			errs = append(errs, fmt.Errorf("operation %s has no route", o))
		}
	}
	return bound, errors.Join(errs...)
}

// routePattern returns the path pattern of an operation in fiber's syntax, which
// differs from that of OpenAPI.
func routePattern(prefix string, o api.Operation) string {
	path := strings.NewReplacer("{", ":", "}", "").Replace(o.Path)
	if o.Root {
		return path
	}
	return prefix + path
}

// router serves one table of operations.
type router struct {
	prefix  string
	matcher *api.Matcher
	// every is the matcher of all operations: a service has only its own, and what looks like a type of records in its paths
	// may be meant for another service.
	every     *api.Matcher
	verifier  TokenVerifier
	afterAuth []func(*fiber.Ctx) error
	shares    *shares
}

// pathOf returns the path as sent: dot segments are not resolved and nothing is
// decoded. It shares memory with the request and must not be kept.
func pathOf(c *fiber.Ctx) string { return utils.UnsafeString(c.Context().URI().PathOriginal()) }

func (r *router) serve(c *fiber.Ctx, o api.Operation, route Route) error {
	if found, ok := r.matcher.Find(c.Method(), pathOf(c)); !ok || found.ID != o.ID {
		return fiber.ErrNotFound // unrouted handles it
	}
	if o.Timeout > 0 {
		// The deadline of the application may be shorter, and a child context cannot
		// outlive its parent.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), o.Timeout)
		defer cancel()
		c.SetUserContext(ctx)
	}
	if !o.Public() {
		if err := r.admit(c); err != nil {
			return err
		}
	}
	if route.Resolve != nil {
		if err := route.Resolve(c); err != nil {
			return err
		}
	}
	if !o.Public() {
		if err := requireRole(c, o.Least); err != nil {
			return err
		}
	}
	waited := o.Cost.Expensive()
	if bodies, ok := c.Locals(keyIntake).(*intake); ok {
		// Read before a slot is acquired: a slow client must not hold one.
		waited = waited || unread(c.Request())
		end, err := bodies.take(c, o)
		if err != nil {
			return err
		}
		defer end()
	}
	end, err := r.shares.begin(c, o)
	if err != nil {
		return err
	}
	defer end()
	if waited && !o.Public() {
		// The session may have ended while the body was sent or the slot was in use.
		token, _ := BearerToken(c)
		if err := Readmit(c.UserContext(), r.verifier, token, PrincipalOf(c)); err != nil {
			return err
		}
	}
	return route.Handler(c)
}

// admit authenticates the caller and calls the handlers after authentication.
func (r *router) admit(c *fiber.Ctx) error {
	if err := authenticate(c, r.verifier); err != nil {
		return err
	}
	for _, h := range r.afterAuth {
		if err := h(c); err != nil {
			return err
		}
	}
	return nil
}

// unrouted answers requests that match no operation. fiber's own decision is not used:
// it knows neither reserved words nor encoded paths.
func (r *router) unrouted(c *fiber.Ctx) error {
	err := c.Next()
	if refused, ok := errors.AsType[*apperr.Error](err); ok && refused.Code == apperr.TypeNotFound {
		return withSimilar(c, refused, r.every)
	}
	fe, ok := errors.AsType[*fiber.Error](err)
	if !ok || fe.Code != http.StatusNotFound && fe.Code != http.StatusMethodNotAllowed {
		return err
	}
	path := pathOf(c)
	found := r.matcher.Match(path)
	if found == nil && !r.below(path) {
		return err
	}
	knownOf(c).unrouted = true
	public := found != nil && !slices.ContainsFunc(found, func(o api.Operation) bool { return !o.Public() })
	if !public && PrincipalOf(c).UserID == "" && r.verifier != nil {
		if err := r.admit(c); err != nil {
			return err
		}
	}
	allowed := api.Methods(found)
	if found == nil || slices.Contains(allowed, c.Method()) {
		none, _ := translateFiber(fiber.ErrNotFound)
		return withSimilar(c, none, r.matcher)
	}
	e := apperr.New(apperr.MethodNotAllowed, "This path does not support that method.")
	e.Allow = allowed
	return e
}

// withSimilar adds the routes that a request may have been meant for.
func withSimilar(c *fiber.Ctx, e *apperr.Error, among *api.Matcher) error {
	similar := among.Similar(c.Method(), pathOf(c), 2)
	if len(similar) == 0 {
		return e
	}
	return e.With(apperr.Detail{Field: "path", Code: "UNKNOWN_ROUTE", Message: "Similar routes are in suggestions.", Suggestions: similar})
}

// below reports whether a path is below the prefix.
func (r *router) below(path string) bool {
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && (rest == "" || rest[0] == '/')
}
