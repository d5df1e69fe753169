package gateway

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/console"
	"github.com/eventcarbon/ecf/services/gateway/session"
)

// useBrowser registers what browsers need, before the routes: the files of the console
// and the session backend, which reads cookies.
func (g *gateway) useBrowser(app *fiber.App) error {
	files, err := console.New(g.Version)
	if err != nil {
		return err
	}
	sessions := session.New(session.Options{Scheme: func(c *fiber.Ctx) string { return g.schemeOf(c.Context()) }, Refresh: g.refreshForSignOut, Now: g.Now})
	app.Use(g.allowOrigins, sessions.Use, files.Use)
	return nil
}

// strictTransport is one year, without subdomains: they may not belong to this
// deployment.
const strictTransport = "max-age=31536000"

// keepToTLS makes the server set Strict-Transport-Security on responses to https
// requests.
func (g *gateway) keepToTLS(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		next(rc)
		if g.schemeOf(rc) == "https" {
			rc.Response.Header.Set(fiber.HeaderStrictTransportSecurity, strictTransport)
		}
	}
}

// refreshForSignOut returns a new access token for a refresh token. It counts against
// the same limit as any other refresh.
func (g *gateway) refreshForSignOut(c *fiber.Ctx, refreshToken string) (string, error) {
	if err := g.limitAddress(c, api.SignIn); err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]string{"refreshToken": refreshToken})
	if err != nil {
		return "", err
	}
	to := g.clients[api.Auth]
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	requestHeader(c.UserContext(), &c.Request().Header, &req.Header, g.callerOf(passedBy(c), api.Auth))
	req.Header.SetMethod(http.MethodPost)
	req.Header.SetContentType(fiber.MIMEApplicationJSON)
	req.SetRequestURI(web.BasePath + "/auth/refresh")
	req.Header.SetHost(to.Name)
	req.SetBodyRaw(body)
	timeout := g.Timeout
	if deadline, ok := c.UserContext().Deadline(); ok {
		timeout = time.Until(deadline)
	}
	if err := to.Do(req, resp, time.Now().Add(timeout/2)); err != nil {
		return "", noAnswer(err)
	}
	switch resp.StatusCode() {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return "", apperr.New(apperr.Unauthenticated, "The session has ended.")
	default:
		return "", apperr.New(apperr.Unavailable, "The session could not be renewed.")
	}
	var answer struct {
		Data struct {
			AccessToken string `json:"accessToken"`
		} `json:"data"`
	}
	if err := json.Unmarshal(resp.Body(), &answer); err != nil || answer.Data.AccessToken == "" {
		return "", apperr.New(apperr.Unavailable, "The session could not be renewed.").Because(err)
	}
	return answer.Data.AccessToken, nil
}
