package gateway

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/console"
)

// missing is the middleware that answers 404 with a page instead of JSON to a browser
// that looks for documentation at a wrong address. Everywhere else a path is either one of
// the console, which says so itself, or one that programs call.
func (d *docs) missing(c *fiber.Ctx) error {
	err := c.Next()
	if err == nil || !isDocumentation(c.Path()) || !console.NamesHTML(c.Get(fiber.HeaderAccept)) {
		return err
	}
	if _, status := web.Translate(err); status != http.StatusNotFound {
		return err
	}
	c.Set(fiber.HeaderContentType, d.notFound.contentType)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentSecurityPolicy, d.notFound.policy)
	c.Vary(fiber.HeaderAccept)
	c.Status(http.StatusNotFound).Response().SetBodyRaw(d.notFound.plain())
	return nil
}

// isDocumentation reports whether a path is of, or below, a page that is meant to be read.
func isDocumentation(path string) bool {
	pages := []string{"/docs", web.BasePath + "/docs"}
	for _, t := range api.Texts() {
		pages = append(pages, t.Path())
	}
	for _, page := range pages {
		if below, ok := strings.CutPrefix(path, page); ok && (below == "" || below[0] == '/') {
			return true
		}
	}
	return false
}
