package web_test

import (
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestLanguage verifies that the language follows the preference, that regions count as their
// language, and that the first one is the default.
func TestLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/words", func(c *fiber.Ctx) error { return web.OK(c, web.Language(c, "en", "de")) })
	b.app.Get("/refused", func(c *fiber.Ctx) error {
		web.Language(c, "en", "de")
		return apperr.New(apperr.ResultNotFound, "No result has been calculated for this event.")
	})
	if r := b.get("/refused", "Accept-Language", "de"); r.header.Get("Content-Language") != "" || r.header.Get("Vary") != "Accept-Language" {
		t.Errorf("an error, which is in English, is said to be in %q", r.header.Get("Content-Language"))
	}
	tags := map[string]string{}
	for wanted, want := range map[string]string{
		"": "en", "*": "en", "de": "de", "de-AT": "de", "DE": "de", "de-DE,de;q=0.9,en;q=0.8": "de", "en-GB,de;q=0.5": "en",
		"fr": "en", "fr,de;q=0.2": "de", "nl": "en", "de;q=0": "en", "de;q=x": "en", "?;=": "en",
	} {
		r := b.get("/words", "Accept-Language", wanted)
		r.ok(200)
		if got := r.header.Get("Content-Language"); got != want {
			t.Errorf("%q is answered in %s, not in %s", wanted, got, want)
		}
		if r.header.Get("Vary") != "Accept-Language" {
			t.Errorf("Vary is %q", r.header.Get("Vary"))
		}
		tags[want] = r.header.Get("ETag")
	}
	if tags["en"] == tags["de"] {
		t.Error("two languages have one entity tag")
	}
}
