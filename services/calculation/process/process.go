// Package process runs the service calculation as a process of its own. It is
// apart from the service because it knows the storage engine.
package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/backend"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// The roles of the process.
const (
	roleServe = "serve"
	roleWork  = "work"
)

// workGrace is how long running recalculations may take to end. What is not
// done then goes back into the queue.
const workGrace = 25 * time.Second

// Run runs the role that --role names, until ctx ends.
func Run(ctx context.Context, env app.Env) error {
	role, rest, err := takeRole(env.Args)
	if err != nil {
		return err
	}
	env.Args = rest
	b, err := backend.Open(ctx, env, "calculation")
	if err != nil {
		return err
	}
	defer b.Close()
	if role == roleWork {
		return work(ctx, b)
	}
	health := b.Health()
	return b.Serve(ctx, health, func(ctx context.Context) (*fiber.App, error) {
		records, results, err := open(ctx, b)
		if err != nil {
			return nil, err
		}
		keys, err := reportKeys(ctx, b)
		if err != nil {
			return nil, err
		}
		return calculation.New(calculation.Deps{
			Records: records, Results: results, Notifier: b.Notifier(), Bulk: b.Bulk(), Keys: keys,
			Verifier: b.Verifier(), Logger: b.Logger, Health: health, Now: time.Now,
		})
	})
}

// reportKeys reads the keys of reports. They are not made here: each copy of
// the service would make another one. Without any, reports are not signed.
func reportKeys(ctx context.Context, b *backend.Backend) (*bundle.Keys, error) {
	dir := calculation.ReportKeysDir(b.Settings.SigningKeysDir)
	keys, err := bundle.OpenKeys(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		b.Logger.InfoContext(ctx, "reports are not signed: there is no key for them", "folder", dir)
		return nil, nil //nolint:nilnil // no key is no fault
	}
	return keys, err
}

func work(ctx context.Context, b *backend.Backend) error {
	insight, err := notify.NewInsight(b.Queue, nil, time.Now)
	if err != nil {
		return err
	}
	defer func() { _ = insight.Close() }()
	group := app.NewGroup(ctx)
	b.Debug(group, b.Health(), insight)
	group.Go("work", func(ctx context.Context) error {
		records, results, err := open(ctx, b)
		if err != nil {
			return err
		}
		b.Logger.InfoContext(ctx, "working", "workers", b.Settings.Workers, "version", b.Env.Version)
		return resulttree.Work(ctx, resulttree.WorkerDeps{
			Records: records, Results: results, Queue: b.Queue, Notifier: b.Notifier(), Workers: b.Settings.Workers,
			Sweep: b.Settings.SweepInterval, Grace: workGrace, Insight: insight, Logger: b.Logger, Now: time.Now,
		})
	})
	return group.Wait()
}

func open(ctx context.Context, b *backend.Backend) (calculation.RecordStore, resulttree.Store, error) {
	records, err := b.Records(ctx)
	if err != nil {
		return nil, nil, err
	}
	results, err := backend.Await(ctx, b.Logger, "results database", func(ctx context.Context) (resulttree.Store, error) {
		return mongostore.New(ctx, b.DB)
	})
	return records, results, err
}

// takeRole takes --role=serve|work (default serve) out of the arguments.
func takeRole(args []string) (role string, rest []string, err error) {
	role = roleServe
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !strings.HasPrefix(args[i], "-") || name != "role" {
			rest = append(rest, args[i])
			continue
		}
		if !given && i+1 < len(args) {
			i++
			value = args[i]
		}
		role = value
	}
	if !slices.Contains([]string{roleServe, roleWork}, role) {
		return "", nil, fmt.Errorf("--role must be serve or work, not %q", role)
	}
	return role, rest, nil
}
