package session

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

// HeaderConsole is the request field by which the console identifies itself; pages of
// other origins cannot set it.
const HeaderConsole = "X-ECF-Console"

// check rejects requests that may not come from the console of this origin. It returns
// the cookie jar of the origin.
func (h *Handler) check(c *fiber.Ctx) (jar, error) {
	if len(c.Request().Header.PeekAll(fiber.HeaderAuthorization)) > 0 {
		return jar{}, refuse("Below %s no Authorization is accepted; call %s with it.", Prefix, web.BasePath)
	}
	site, ok := one(c, "Sec-Fetch-Site")
	switch {
	case !ok:
		return jar{}, refuse("This browser is too old: it does not say which site a request comes from (Sec-Fetch-Site).")
	case site != "same-origin":
		return jar{}, refuse("Only the console of this server may call this address; the request came from %s.", quoteSite(site))
	}
	if mark, ok := one(c, HeaderConsole); (!ok || mark != "1") && !h.isDownload(c) {
		return jar{}, refuse("The header %s: 1 is missing.", HeaderConsole)
	}
	scheme := h.o.Scheme(c)
	host, ok := one(c, fiber.HeaderHost)
	if !ok {
		return jar{}, refuse("The request must name one host.")
	}
	if !slices.Contains([]string{http.MethodGet, http.MethodHead}, c.Method()) {
		origin, ok := one(c, fiber.HeaderOrigin)
		if !ok || !strings.EqualFold(origin, scheme+"://"+host) {
			return jar{}, refuse("The Origin of a write must be %s://%s, the address of this server. Behind a proxy that speaks https, "+
				"the server must be told to trust it (ECF_TRUSTED_PROXIES).", scheme, host)
		}
	}
	j, ok := jarOf(scheme, host)
	if !ok {
		return jar{}, refuse("Signing in needs https: over http a password could be read on the way. " +
			"Open the console over https, or on the machine itself at http://localhost.")
	}
	return j, nil
}

func refuse(format string, args ...any) error {
	return apperr.New(apperr.Forbidden, format, args...)
}

// quoteSite bounds what a response repeats of a header field.
func quoteSite(site string) string {
	if site == "cross-site" || site == "same-site" || site == "none" {
		return site
	}
	return "elsewhere"
}

// one returns the value of a header field that occurs exactly once.
func one(c *fiber.Ctx, name string) (string, bool) {
	if strings.EqualFold(name, fiber.HeaderHost) {
		host := string(c.Request().Header.Host())
		return host, host != ""
	}
	values := c.Request().Header.PeekAll(name)
	if len(values) != 1 || len(values[0]) == 0 {
		return "", false
	}
	return string(values[0]), true
}

// isDownload reports whether the browser itself requests a document to show, print or
// save, a request in which no script can set a header field.
func (h *Handler) isDownload(c *fiber.Ctx) bool {
	if c.Method() != http.MethodGet || !frameable(c) && !isExport(c) {
		return false
	}
	destination, ok := one(c, "Sec-Fetch-Dest")
	return ok && slices.Contains([]string{"document", "iframe", "empty"}, destination)
}

// isVisit reports whether a person opened the address of a report in a window, not in a
// frame.
func isVisit(c *fiber.Ctx) bool {
	mode, _ := one(c, "Sec-Fetch-Mode")
	destination, _ := one(c, "Sec-Fetch-Dest")
	return c.Method() == http.MethodGet && mode == "navigate" && destination == "document" && frameable(c)
}

// frameable reports whether a request is for the report of an event.
func frameable(c *fiber.Ctx) bool {
	s := strings.Split(strings.Trim(apiPath(c), "/"), "/")
	return len(s) >= 4 && s[0] == "events" && s[2] == "results" && s[len(s)-1] == "report"
}

// isExport reports whether a request is for the export of an event's records.
func isExport(c *fiber.Ctx) bool {
	s := strings.Split(strings.Trim(apiPath(c), "/"), "/")
	return len(s) == 3 && s[0] == "events" && s[2] == "export"
}

// isLoopback reports whether a host, as browsers write it, is a loopback address.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
