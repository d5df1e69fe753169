package idempotency_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestKeptResponsesAreStoredBytes: a response that is kept counts as what its organization stores, once.
func TestKeptResponsesAreStoredBytes(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, _ *place) {
		text := strings.Repeat("x", 10_000)
		succeed := func(c *fiber.Ctx) error { return web.Created(c, text, "/things/1") }
		refuse := func(*fiber.Ctx) error { return apperr.New(apperr.InvalidTransition, "%s", text) } // is not kept
		for _, step := range []struct {
			name, key   string
			work        func(c *fiber.Ctx) error
			status      int
			least, most int64
		}{
			{"kept", "k1", succeed, http.StatusCreated, 10_500, 12_000}, // with its entry
			{"repeated", "k1", succeed, http.StatusCreated, 0, 0},
			{"without a key", "", succeed, http.StatusCreated, 0, 0},
			{"not kept", "k2", refuse, http.StatusConflict, 0, 0},
		} {
			a.does(step.work)
			got := a.ask(step.key, `{}`)
			n, err := strconv.ParseInt(got.header.Get(web.HeaderStored), 10, 64)
			if got.status != step.status || step.most > 0 && err != nil || n < step.least || n > step.most {
				t.Errorf("%s: %d stores %q, want %d to %d", step.name, got.status, got.header.Get(web.HeaderStored), step.least, step.most)
			}
		}
	})
}
