package records

import (
	"context"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/backend"
)

// Run runs the service as a process of its own until ctx ends.
func Run(ctx context.Context, env app.Env) error {
	b, err := backend.Open(ctx, env, "records")
	if err != nil {
		return err
	}
	defer b.Close()
	health := b.Health()
	var imports sync.WaitGroup
	defer imports.Wait() // before the connections close
	return b.Serve(ctx, health, func(ctx context.Context) (*fiber.App, error) {
		store, err := b.Records(ctx)
		if err != nil {
			return nil, err
		}
		importer := NewImporter(store, b.Logger, time.Now)
		imports.Go(func() { _ = importer.Run(ctx) }) // it ends with ctx
		return New(Deps{Store: store, Notifier: b.Notifier(), Verifier: b.Verifier(), Quotas: b.Settings.Quotas, Logger: b.Logger, Health: health, Now: time.Now, Importer: importer})
	})
}
