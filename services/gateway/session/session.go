// Package session is the backend of the console. A browser holds its tokens in cookies
// that no script can read, and only requests below /session use them. /session/api/… is
// forwarded to /api/v2/… with the access token in Authorization; /session/sign-in,
// /session/refresh and /session/sign-out are the API's own operations, with the tokens
// removed from the responses.
//
// Requests pass through the gateway like all others, so limits, permissions, the audit
// log and routes apply equally.
package session

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// Prefix is the path prefix of all requests of the console.
	Prefix    = "/session"
	apiPrefix = Prefix + "/api"
)

// Options are the options of a Handler.
type Options struct {
	// Scheme returns the scheme used by the client, "http" or "https", as far as
	// trusted proxies state it.
	Scheme func(*fiber.Ctx) string
	// Refresh returns a new access token for a refresh token. It is called when a user
	// signs out with an expired access token.
	Refresh func(c *fiber.Ctx, refreshToken string) (string, error)
	// RefreshLifetime is how long a browser keeps the cookies; the server decides how
	// long they are valid. Default: 30 days.
	RefreshLifetime time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Handler handles the requests of the console.
type Handler struct{ o Options }

// New returns a Handler, which Use and Rewrite register.
func New(o Options) *Handler {
	if o.RefreshLifetime <= 0 {
		o.RefreshLifetime = 30 * 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Handler{o}
}

// operation is an operation below Prefix.
type operation string

const (
	forward operation = "forward"
	signIn  operation = "sign-in"
	refresh operation = "refresh"
	signOut operation = "sign-out"
)

type key struct{}

// target returns the operation of a request line and the URL below web.BasePath that
// handles it.
func target(method, uri string) (operation, string, bool) {
	if rest, ok := strings.CutPrefix(uri, apiPrefix); ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
		return forward, web.BasePath + rest, true
	}
	rest, ok := strings.CutPrefix(uri, Prefix+"/")
	if !ok || method != http.MethodPost {
		return "", "", false
	}
	name, _, _ := strings.Cut(rest, "?")
	switch op := operation(strings.TrimSuffix(name, "/")); op {
	case signIn:
		return op, web.BasePath + "/auth/login", true
	case refresh:
		return op, web.BasePath + "/auth/refresh", true
	case signOut:
		return op, web.BasePath + "/auth/logout", true
	}
	return "", "", false
}

var prefix = []byte(Prefix)

// Rewrite makes a server treat requests below Prefix as those of the API, before it
// looks up their route and body limit. It is called after the routes have been
// registered.
func Rewrite(server *fasthttp.Server) {
	if received := server.HeaderReceived; received != nil {
		server.HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
			if !bytes.HasPrefix(h.RequestURI(), prefix) {
				return received(h)
			}
			if _, uri, ok := target(string(h.Method()), string(h.RequestURI())); ok {
				var rewritten fasthttp.RequestHeader
				h.CopyTo(&rewritten)
				rewritten.SetRequestURI(uri)
				return received(&rewritten)
			}
			return received(h)
		}
	}
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		if bytes.HasPrefix(rc.Request.Header.RequestURI(), prefix) {
			if op, uri, ok := target(string(rc.Method()), string(rc.Request.Header.RequestURI())); ok {
				rc.SetUserValue(key{}, op)
				rc.Request.SetRequestURI(uri)
			}
		}
		next(rc)
	}
}

// Use is the middleware that checks requests below Prefix, adds tokens to them and
// removes tokens from their responses. It is registered before the routes. From all
// other requests it removes cookies.
func (h *Handler) Use(c *fiber.Ctx) error {
	op, ok := c.Context().UserValue(key{}).(operation)
	if !ok {
		c.Request().Header.DelAllCookies()
		return c.Next()
	}
	if op == forward && isVisit(c) {
		return h.visit(c)
	}
	return h.pass(c, op)
}

// pass checks a request and handles its operation.
func (h *Handler) pass(c *fiber.Ctx, op operation) error {
	jar, err := h.check(c)
	if err != nil {
		return err
	}
	access, renew := jar.read(c, accessCookie), jar.read(c, refreshCookie)
	c.Request().Header.DelAllCookies()
	switch op {
	case signIn:
		return h.signIn(c, jar)
	case refresh:
		return h.refresh(c, jar, access, renew)
	case signOut:
		return h.signOut(c, jar, access, renew)
	default:
		return h.forward(c, access)
	}
}

// visit answers a person who opens the address of a report in a window. If the report
// cannot be shown there, because the person is not signed in, lacks permission, or
// comes from another site, so that no cookies are sent, it redirects to the console
// page of the report, which explains the reason and shows the report if it can.
func (h *Handler) visit(c *fiber.Ctx) error {
	if err := h.pass(c, forward); err == nil && c.Response().StatusCode() < http.StatusBadRequest {
		return nil
	}
	event := strings.Split(strings.Trim(apiPath(c), "/"), "/")[1]
	c.Response().ResetBody()
	for _, name := range []string{fiber.HeaderETag, fiber.HeaderContentType, fiber.HeaderContentEncoding, fiber.HeaderWWWAuthenticate} {
		c.Response().Header.Del(name)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Redirect("/events/"+event+"/report", http.StatusSeeOther)
}

// forward passes a request on to the API.
func (h *Handler) forward(c *fiber.Ctx, access string) error {
	if tokensAnswer(c) {
		return apperr.New(apperr.NotFound, "This operation is not available here; %s/sign-in, /refresh and /sign-out are.", Prefix)
	}
	authorize(c, access)
	err := c.Next()
	if err == nil && c.Method() == http.MethodGet && frameable(c) {
		policy := strings.ReplaceAll(c.GetRespHeader(fiber.HeaderContentSecurityPolicy), "frame-ancestors 'none'", "frame-ancestors 'self'")
		if policy != "" {
			c.Set(fiber.HeaderContentSecurityPolicy, policy)
			c.Set(fiber.HeaderXFrameOptions, "SAMEORIGIN")
		}
	}
	return err
}

// tokensAnswer reports whether an operation returns tokens, or ends the session without
// clearing the cookies.
func tokensAnswer(c *fiber.Ctx) bool {
	decoded, err := url.PathUnescape(apiPath(c))
	if err != nil {
		return true
	}
	switch path.Clean("/" + decoded) {
	case "/auth/login", "/auth/refresh", "/auth/logout":
		return true
	}
	return false
}

// apiPath returns the path of a request below web.BasePath, still encoded.
func apiPath(c *fiber.Ctx) string {
	return strings.TrimPrefix(string(c.Context().URI().PathOriginal()), web.BasePath)
}

// authorize sets the access token of a request.
func authorize(c *fiber.Ctx, access string) {
	if access != "" {
		c.Request().Header.Set(fiber.HeaderAuthorization, "Bearer "+access)
	}
}

type bundle struct {
	Data struct {
		AccessToken  string `json:"accessToken"`
		RefreshToken string `json:"refreshToken"`
		ExpiresIn    int    `json:"expiresIn"`
	} `json:"data"`
}

// Signed is the response to a sign-in or refresh.
type Signed struct {
	// ExpiresIn is the number of seconds until the next refresh is necessary.
	ExpiresIn int `json:"expiresIn"`
}

func (h *Handler) signIn(c *fiber.Ctx, j jar) error {
	c.Request().Header.Del("X-Dry-Run") // a dry run would create no session
	if err := c.Next(); err != nil {
		return err
	}
	return h.keep(c, j, true)
}

// refresh gets a new access token for the organization of the old one, or for the one
// named in the body.
func (h *Handler) refresh(c *fiber.Ctx, j jar, access, renew string) error {
	if renew == "" {
		return apperr.New(apperr.Unauthenticated, "You are not signed in.")
	}
	var wanted struct {
		Organization string `json:"organization"`
	}
	// Not Fiber's Body, which decompresses to any size.
	if sent := c.Request().Body(); len(sent) > 0 && json.Unmarshal(sent, &wanted) != nil {
		return apperr.New(apperr.ValidationError, `The body must be empty, or {"organization": "…"} to switch to an organization.`)
	}
	switching := wanted.Organization != ""
	if !switching {
		wanted.Organization = organizationOf(access)
	}
	asked := map[string]string{"refreshToken": renew}
	if wanted.Organization != "" {
		asked["organization"] = wanted.Organization
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	c.Request().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Request().SetBodyRaw(body)
	if err := c.Next(); err != nil {
		return err
	}
	switch status := c.Response().StatusCode(); {
	case status == http.StatusNotFound && !switching:
		// The membership that the console used has ended.
		j.clear(c)
		return apperr.New(apperr.Unauthenticated, "You are no longer a member of this organization. Sign in again.")
	case status == http.StatusUnauthorized:
		j.clear(c)
	}
	return h.keep(c, j, false)
}

// keep moves the tokens of a successful response into cookies.
func (h *Handler) keep(c *fiber.Ctx, j jar, both bool) error {
	if c.Response().StatusCode() != http.StatusOK {
		return nil
	}
	var b bundle
	err := json.Unmarshal(c.Response().Body(), &b)
	c.Response().ResetBody() // it contains tokens, whatever else it is
	c.Response().Header.Del(fiber.HeaderETag)
	if err != nil || b.Data.AccessToken == "" || both && b.Data.RefreshToken == "" {
		return apperr.New(apperr.Unavailable, "The sign-in service returned an unexpected response. Please try again.").Because(err)
	}
	j.set(c, accessCookie, b.Data.AccessToken, h.o.RefreshLifetime)
	if both {
		j.set(c, refreshCookie, b.Data.RefreshToken, h.o.RefreshLifetime)
	}
	return web.OK(c, Signed{ExpiresIn: b.Data.ExpiresIn})
}

// SignedOut is the response to a sign-out.
type SignedOut struct {
	// SessionEnded reports whether the server has ended the session. If not, the
	// cookies are cleared all the same, and the session continues until it expires or
	// is ended elsewhere.
	SessionEnded bool `json:"sessionEnded"`
}

// signOut ends the session and clears the cookies, even if ending the session fails.
func (h *Handler) signOut(c *fiber.Ctx, j jar, access, renew string) error {
	if access == "" && renew == "" {
		j.clear(c)
		return web.OK(c, SignedOut{SessionEnded: true})
	}
	c.Request().Header.Del("X-Dry-Run")
	c.Request().ResetBody()
	var err error
	if renew != "" && (access == "" || expired(access, h.o.Now())) {
		access, err = h.o.Refresh(c, renew)
	}
	ended := false
	if err == nil {
		authorize(c, access)
		err = c.Next()
		ended = err == nil && c.Response().StatusCode() == http.StatusOK
	}
	// A session that is no longer accepted has already ended.
	ended = ended || apperr.CodeOf(err) == apperr.Unauthenticated || err == nil && c.Response().StatusCode() == http.StatusUnauthorized
	c.Response().Reset()
	c.Set(fiber.HeaderXRequestID, web.RequestID(c))
	j.clear(c)
	return web.OK(c, SignedOut{SessionEnded: ended})
}

// Asked reports whether a request was made below Prefix.
func Asked(rc *fasthttp.RequestCtx) bool {
	_, ok := rc.UserValue(key{}).(operation)
	return ok
}
