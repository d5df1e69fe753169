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

	"github.com/eventcarbon/ecf/libs/identity"
)

// Route is one entry of a service's table of routes.
type Route struct {
	Method string
	// Path is fiber's pattern below the prefix, "/events/:eventId".
	Path string
	// Public routes need no token. Any other route must name a Role.
	Public bool
	// Role is the least role that may call the route. Its zero value on a
	// route that is not public is refused by Register.
	Role identity.Role
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

// Register adds a table of routes below a prefix such as BasePath. On each
// route that is not public the caller is authenticated (401), then the
// afterAuth handlers run (they return nil to go on; the place for 429), then
// Resolve (404), then the role is checked (403), then the handler runs.
//
// Below the prefix a route that does not exist is 401 without a token and 404
// with one; a known path with another method is 405 with Allow, after
// authentication unless all the path's routes are public.
//
// Faults in the table are returned all at once; then nothing is registered.
func Register(app *fiber.App, prefix string, v TokenVerifier, routes []Route, afterAuth ...func(*fiber.Ctx) error) error {
	if err := validate(v, routes); err != nil {
		return err
	}
	limitBodies(app, prefix, routes)
	for _, r := range routes {
		handler := func(c *fiber.Ctx) error { return serve(c, v, r, afterAuth) }
		if r.Method == fiber.MethodGet {
			app.Head(prefix+r.Path, handler) // HEAD is GET without the body
		}
		app.Add(r.Method, prefix+r.Path, handler)
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

func validate(v TokenVerifier, routes []Route) error {
	var faults []error
	for _, r := range routes {
		name := r.Method + " " + r.Path
		switch {
		case r.Public && r.Role != identity.RoleNone:
			faults = append(faults, fmt.Errorf("route %s is public and has a role", name))
		case !r.Public && (r.Role <= identity.RoleNone || r.Role > identity.Admin):
			faults = append(faults, fmt.Errorf("route %s is neither public nor has a role", name))
		case !r.Public && v == nil:
			faults = append(faults, fmt.Errorf("route %s needs a token and there is no verifier", name))
		}
		if r.Handler == nil {
			faults = append(faults, fmt.Errorf("route %s has no handler", name))
		}
		if !slices.Contains(fiber.DefaultMethods, r.Method) || r.Method == http.MethodTrace || r.Method == http.MethodConnect {
			faults = append(faults, fmt.Errorf("route %s has a method that is not served", name))
		}
		if !strings.HasPrefix(r.Path, "/") {
			faults = append(faults, fmt.Errorf("route %s does not begin with a slash", name))
		}
	}
	return errors.Join(faults...)
}

func serve(c *fiber.Ctx, v TokenVerifier, r Route, afterAuth []func(*fiber.Ctx) error) error {
	if r.Timeout > 0 {
		// The deadline of the application may be the shorter one, and a child
		// cannot outlive its parent.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), r.Timeout)
		defer cancel()
		c.SetUserContext(ctx)
	}
	if !r.Public {
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
	if !r.Public {
		if err := requireRole(c, r.Role); err != nil {
			return err
		}
	}
	return r.Handler(c)
}

// publicPath reports whether path belongs to public routes of the table only.
func publicPath(path, prefix string, routes []Route) bool {
	public := false
	for _, r := range routes {
		if fiber.RoutePatternMatch(path, prefix+r.Path, fiber.Config{CaseSensitive: true}) {
			if !r.Public {
				return false
			}
			public = true
		}
	}
	return public
}

// limitBodies tells the server the limits of routes that have their own, when
// it has read the header of a request and before it reads the body.
func limitBodies(app *fiber.App, prefix string, routes []Route) {
	own := slices.DeleteFunc(slices.Clone(routes), func(r Route) bool { return r.BodyLimit <= 0 })
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
			if r.Method != method {
				continue
			}
			path, _, _ := strings.Cut(string(h.RequestURI()), "?")
			if fiber.RoutePatternMatch(path, prefix+r.Path, fiber.Config{CaseSensitive: true}) {
				config.MaxRequestBodySize = r.BodyLimit
				break
			}
		}
		return config
	}
}
