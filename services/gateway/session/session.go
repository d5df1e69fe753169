// Package session is the backend of the browser. A browser has its tokens in
// HttpOnly cookies; only requests below /session
// read them. /session/api/… is forwarded to /api/v2/… with the access
// token in Authorization; /session/sign-in, /session/refresh and
// /session/sign-out are the API's own operations with the tokens removed from
// the responses.
//
// The requests take the same path through the gateway as any other, so that limits,
// permissions, the audit log and the routes are the same for both.
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
	// Prefix is what the paths of the browser's way begin with.
	Prefix    = "/session"
	apiPrefix = Prefix + "/api"
)

// Options says how a Handler is made.
type Options struct {
	// Scheme returns how the client reached us, "http" or "https", as far as
	// trusted proxies say.
	Scheme func(*fiber.Ctx) string
	// Refresh returns a new access token for a refresh token. It is asked when
	// somebody signs out whose access token has expired.
	Refresh func(c *fiber.Ctx, refreshToken string) (string, error)
	// RefreshLifetime is how long a browser keeps the cookies. The server decides
	// for how long they are good. Default: 30 days.
	RefreshLifetime time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Handler is the browser's way to the API.
type Handler struct{ o Options }

// New returns a Handler. Use and Rewrite put it in place.
func New(o Options) *Handler {
	if o.RefreshLifetime <= 0 {
		o.RefreshLifetime = 30 * 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Handler{o}
}

// operation is what a request below Prefix asks for.
type operation string

const (
	forward operation = "forward"
	signIn  operation = "sign-in"
	refresh operation = "refresh"
	signOut operation = "sign-out"
)

type key struct{}

// target returns what a request line asks below its path, and the address below
// web.BasePath that answers it.
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

// Rewrite lets a server see requests below Prefix as those of the API, before
// it looks for their route and for the limit of their body. It comes after the
// routes have been registered.
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

// Use is the middleware that checks requests below its path, puts tokens into them
// and takes tokens out of their answers. It comes before the routes. On all
// other requests it only makes sure that no cookie goes any further.
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

// pass checks a request, and lets it do what it asks for.
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

// visit answers a person who opens the address of a report in a window of its
// own. Who cannot have it from there, not being signed in, not being allowed to,
// or coming from another site, whose visits have no cookies, is sent to the
// console's page of that report, which says what is the matter and shows the
// report where it can.
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
		return apperr.New(apperr.NotFound, "This operation is not available to the console: %s/sign-in, /refresh and /sign-out are.", Prefix)
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

// tokensAnswer reports whether an operation answers with tokens, or ends the
// session without the cookies.
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

// apiPath returns the path of a request below web.BasePath, as it was written.
func apiPath(c *fiber.Ctx) string {
	return strings.TrimPrefix(string(c.Context().URI().PathOriginal()), web.BasePath)
}

// authorize puts an access token into a request.
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

// Signed is the answer to a sign-in and to a refresh.
type Signed struct {
	// ExpiresIn is for how many seconds requests will pass without a refresh.
	ExpiresIn int `json:"expiresIn"`
}

func (h *Handler) signIn(c *fiber.Ctx, j jar) error {
	c.Request().Header.Del("X-Dry-Run") // which would answer without a session
	if err := c.Next(); err != nil {
		return err
	}
	return h.keep(c, j, true)
}

// refresh gets a new access token for the organization that the old one was for, or
// switches to the one that the body names.
func (h *Handler) refresh(c *fiber.Ctx, j jar, access, renew string) error {
	if renew == "" {
		return apperr.New(apperr.Unauthenticated, "You are not signed in.")
	}
	var wanted struct {
		Organization string `json:"organization"`
	}
	// Fiber's own Body would unpack what is said to be compressed, to any size.
	if sent := c.Request().Body(); len(sent) > 0 && json.Unmarshal(sent, &wanted) != nil {
		return apperr.New(apperr.ValidationError, `The body is empty, or {"organization": "…"} to switch to one.`)
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
		// The membership that the console was in has ended.
		j.clear(c)
		return apperr.New(apperr.Unauthenticated, "You are no longer a member of this organization. Sign in again.")
	case status == http.StatusUnauthorized:
		j.clear(c)
	}
	return h.keep(c, j, false)
}

// keep moves the tokens of a successful answer into cookies.
func (h *Handler) keep(c *fiber.Ctx, j jar, both bool) error {
	if c.Response().StatusCode() != http.StatusOK {
		return nil
	}
	var b bundle
	err := json.Unmarshal(c.Response().Body(), &b)
	c.Response().ResetBody() // whatever it is, it holds tokens
	c.Response().Header.Del(fiber.HeaderETag)
	if err != nil || b.Data.AccessToken == "" || both && b.Data.RefreshToken == "" {
		return apperr.New(apperr.Unavailable, "Signing in did not answer as expected. Please try again.").Because(err)
	}
	j.set(c, accessCookie, b.Data.AccessToken, h.o.RefreshLifetime)
	if both {
		j.set(c, refreshCookie, b.Data.RefreshToken, h.o.RefreshLifetime)
	}
	return web.OK(c, Signed{ExpiresIn: b.Data.ExpiresIn})
}

// SignedOut is the answer to a sign-out.
type SignedOut struct {
	// SessionEnded reports whether the server has ended the session. If it has
	// not, the cookies are gone all the same; the session goes on until it expires
	// or is ended from elsewhere.
	SessionEnded bool `json:"sessionEnded"`
}

// signOut ends the session and clears the cookies, whatever becomes of the
// first.
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
	// A session that is not accepted any more has ended already.
	ended = ended || apperr.CodeOf(err) == apperr.Unauthenticated || err == nil && c.Response().StatusCode() == http.StatusUnauthorized
	c.Response().Reset()
	c.Set(fiber.HeaderXRequestID, web.RequestID(c))
	j.clear(c)
	return web.OK(c, SignedOut{SessionEnded: ended})
}

// Asked reports whether a request came by the way of the console, below Prefix.
func Asked(rc *fasthttp.RequestCtx) bool {
	_, ok := rc.UserValue(key{}).(operation)
	return ok
}
