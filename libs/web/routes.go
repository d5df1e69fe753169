package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
)

// Route is how a service answers one operation.
type Route struct {
	// Operation is the id in the table of permissions, which says the method,
	// the path and the least role.
	Operation string
	// Resolve, if set, runs between authentication and the check of the role,
	// for what the contract answers with 404 before 403 (an unknown type).
	Resolve func(*fiber.Ctx) error
	// Timeout, if set, replaces the deadline of Options.
	Timeout time.Duration
	// BodyLimit, if set, replaces the limit of Options, in bytes. It may be
	// more or less; it is known before the body is read.
	BodyLimit int
	Handler   fiber.Handler
}

// bound is a route with what the table of permissions says about it.
type bound struct {
	Route
	method string
	// path is fiber's pattern below the prefix, "/events/:eventId".
	path   string
	public bool
	role   identity.Role
}

// Register adds routes below a prefix such as BasePath. Method, path and role
// of each are those of its operation in the table: a route that is not in the
// table is a fault. On each route that is not public the caller is authenticated (401), then the
// afterAuth handlers run (they return nil to go on; the place for 429), then
// Resolve (404), then the role is checked (403), then the handler runs.
//
// Below the prefix a route that does not exist is 401 without a token and 404
// with one; a known path with another method is 405 with Allow, after
// authentication unless all the path's routes are public.
//
// Faults are returned all at once; then nothing is registered.
func Register(app *fiber.App, prefix string, v TokenVerifier, table api.Table, list []Route, afterAuth ...func(*fiber.Ctx) error) error {
	routes, err := bind(v, table, list)
	if err != nil {
		return err
	}
	limitBodies(app, prefix, routes)
	for _, r := range routes {
		handler := func(c *fiber.Ctx) error { return serve(c, v, r, afterAuth) }
		if r.method == fiber.MethodGet {
			app.Head(prefix+r.path, handler) // HEAD is GET without the body
		}
		app.Add(r.method, prefix+r.path, handler)
	}
	app.Use(prefix, func(c *fiber.Ctx) error {
		err := c.Next() // routes that were added after this table
		var fe *fiber.Error
		if !errors.As(err, &fe) || (fe.Code != http.StatusNotFound && fe.Code != http.StatusMethodNotAllowed) {
			return err
		}
		c.Locals(keyUnrouted, true)
		if fe.Code == http.StatusMethodNotAllowed && publicPath(c.Path(), prefix, routes) {
			return err
		}
		if PrincipalOf(c).UserID != "" {
			return err // another table's fallback has been here
		}
		if err := authenticate(c, v); err != nil {
			return err
		}
		for _, h := range afterAuth {
			if err := h(c); err != nil {
				return err
			}
		}
		return err
	})
	return nil
}

// bind looks the routes up in the table.
func bind(v TokenVerifier, table api.Table, list []Route) ([]bound, error) {
	faults := []error{table.Check()}
	routes := make([]bound, 0, len(list))
	seen := map[string]bool{}
	for _, r := range list {
		o, ok := table.Find(r.Operation)
		switch {
		case !ok:
			faults = append(faults, fmt.Errorf("route %q is not in the table of permissions", r.Operation))
			continue
		case seen[o.ID]:
			faults = append(faults, fmt.Errorf("route %s is there twice", o.ID))
		case !o.Public() && v == nil:
			faults = append(faults, fmt.Errorf("route %s needs a token and there is no verifier", o.ID))
		}
		seen[o.ID] = true
		if r.Handler == nil {
			faults = append(faults, fmt.Errorf("route %s has no handler", o.ID))
		}
		if !slices.Contains(fiber.DefaultMethods, o.Method) || o.Method == http.MethodTrace || o.Method == http.MethodConnect {
			faults = append(faults, fmt.Errorf("route %s has a method that is not served", o.ID))
		}
		routes = append(routes, bound{Route: r, method: o.Method, path: pattern(o.Path), public: o.Public(), role: o.Least})
	}
	return routes, errors.Join(faults...)
}

// pattern gives fiber's pattern of a path as the OpenAPI document writes it.
func pattern(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

func serve(c *fiber.Ctx, v TokenVerifier, r bound, afterAuth []func(*fiber.Ctx) error) error {
	if r.Timeout > 0 {
		// The deadline of the application may be the shorter one, and a child
		// cannot outlive its parent.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), r.Timeout)
		defer cancel()
		c.SetUserContext(ctx)
	}
	if !r.public {
		if err := authenticate(c, v); err != nil {
			return err
		}
		for _, h := range afterAuth {
			if err := h(c); err != nil {
				return err
			}
		}
	}
	if r.Resolve != nil {
		if err := r.Resolve(c); err != nil {
			return err
		}
	}
	if !r.public {
		if err := requireRole(c, r.role); err != nil {
			return err
		}
	}
	return r.Handler(c)
}

// publicPath reports whether path belongs to public routes of the table only.
func publicPath(path, prefix string, routes []bound) bool {
	public := false
	for _, r := range routes {
		if fiber.RoutePatternMatch(path, prefix+r.path, fiber.Config{CaseSensitive: true}) {
			if !r.public {
				return false
			}
			public = true
		}
	}
	return public
}

// limitBodies tells the server the limits of routes that have their own, when
// it has read the header of a request and before it reads the body.
func limitBodies(app *fiber.App, prefix string, routes []bound) {
	own := slices.DeleteFunc(slices.Clone(routes), func(r bound) bool { return r.BodyLimit <= 0 })
	if len(own) == 0 {
		return
	}
	server := app.Server()
	next := server.HeaderReceived
	server.HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		var config fasthttp.RequestConfig
		if next != nil {
			config = next(h)
		}
		method := string(h.Method())
		for _, r := range own {
			if r.method != method {
				continue
			}
			path, _, _ := strings.Cut(string(h.RequestURI()), "?")
			if fiber.RoutePatternMatch(path, prefix+r.path, fiber.Config{CaseSensitive: true}) {
				config.MaxRequestBodySize = r.BodyLimit
				break
			}
		}
		return config
	}
}
