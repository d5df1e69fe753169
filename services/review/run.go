package review

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/backend"
)

// Run runs the service as a process of its own until ctx ends.
func Run(ctx context.Context, env app.Env) error {
	b, err := backend.Open(ctx, env, "review")
	if err != nil {
		return err
	}
	defer b.Close()
	health := b.Health()
	return b.Serve(ctx, health, func(ctx context.Context) (*fiber.App, error) {
		store, err := b.Records(ctx)
		if err != nil {
			return nil, err
		}
		return New(Deps{Store: store, Notifier: b.Notifier(), Verifier: b.Verifier(), Logger: b.Logger, Health: health, Now: time.Now})
	})
}
