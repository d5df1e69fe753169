package web_test

import (
	"log/slog"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
)

// BenchmarkRequest measures everything around a handler: middleware, authentication with a free
// verifier, envelope, entity tag, log.
func BenchmarkRequest(b *testing.B) {
	app := web.New(web.Options{Logger: telemetry.Logger(discard{}, "bench", slog.LevelInfo)})
	if err := register(app, "/api/v2", members(), []served{
		{Method: "GET", Path: "/events/{id}", Role: identity.User, Handler: func(c *fiber.Ctx) error {
			return web.OK(c, c.Params("id"))
		}},
	}); err != nil {
		b.Fatal(err)
	}
	handler := app.Handler()
	b.ReportAllocs()
	for b.Loop() {
		var ctx fasthttp.RequestCtx
		ctx.Request.SetRequestURI("/api/v2/events/1")
		ctx.Request.Header.Set("Authorization", "Bearer user-a")
		handler(&ctx)
		if ctx.Response.StatusCode() != fiber.StatusOK {
			b.Fatal(string(ctx.Response.Body()))
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
