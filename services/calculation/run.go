package calculation

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/infra/access"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/infra/taskqueue"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// WorkConfig is the settings of the worker.
type WorkConfig struct {
	// Workers is how many recalculations run at once in one process.
	Workers int
	// SweepInterval is how often lost recalculations are looked for.
	SweepInterval time.Duration
}

// Describe implements settings.Config.
func (c *WorkConfig) Describe(s *settings.Set) {
	s.Number(&c.Workers, "ECF_WORKERS", "4", "concurrent recalculations per process", 1, 1024)
	s.Duration(&c.SweepInterval, "ECF_SWEEP_INTERVAL", "1s", "interval of the sweep for lost recalculations", 10*time.Millisecond)
}

// Start makes the service, in the role that answers requests, for a process. Of
// d, what every service of the process shares is filled in.
func Start(p *app.Process, d Deps) (app.Service, error) {
	d.Logger, d.Health, d.Now = p.Logger, p.Health, p.Now
	d.Timeout, d.Work = p.ServiceTimeout(), p.Work
	d.Spool = NewSpool()
	p.OnClose(d.Spool.Remove)
	// The first response with a settled tag does not wait for it, nor is it that of a program which has replaced the file
	// of this one.
	go func() { _, _ = programHash() }()
	s := newServer(d)
	httpApp, err := s.app()
	signOffs := s.signOffs()
	return app.Service{Name: "calculation", App: httpApp, Tasks: []app.Task{{Name: "sign-offs", Run: func(ctx context.Context) error {
		return sweepSignOffs(ctx, signOffs, d.Logger)
	}}}}, err
}

// stuckAfter is how long the sweeper of a worker may take for one iteration, in addition to ten intervals: far above
// the timeouts of its database and queue.
const stuckAfter = 5 * time.Minute

// StartWorker makes the service, in the role that recalculates, for a process.
func StartWorker(p *app.Process, c WorkConfig, d resulttree.WorkerDeps) app.Service {
	d.Workers, d.Sweep, d.Grace, d.Logger, d.Now = c.Workers, c.SweepInterval, app.WorkGrace, p.Logger, p.Now
	d.Looked = p.LivesBy(stuckAfter + 10*c.SweepInterval)
	return app.Service{
		Name: "worker", Status: d.Insight,
		Tasks: []app.Task{{Name: "work", Run: func(ctx context.Context) error { return resulttree.Work(ctx, d) }}},
	}
}

// The roles of the process.
const (
	roleServe = "serve"
	roleWork  = "work"
)

// settingsOf are the settings of the service's process.
type settingsOf struct {
	app.Log
	app.Listen
	Role    string
	MongoDB mongodb.Records
	Queue   taskqueue.Config
	Access  access.Config
	Folder  keys.Folder
	Work    WorkConfig
}

// Describe implements settings.Config.
func (c *settingsOf) Describe(s *settings.Set) {
	s.TextFlag(&c.Role, "role", roleServe, "serve handles requests, work recalculates", settings.OneOf(roleServe, roleWork))
	c.Listen.Describe(s)
	s.Default("ECF_ADDR", "127.0.0.1:8084")
	c.MongoDB.Describe(s)
	c.Queue.Describe(s)
	c.Access.Describe(s)
	c.Folder.Describe(s)
	c.Work.Describe(s)
	c.Log.Describe(s)
}

// ServiceName is what the process calls itself in logs and telemetry.
func (c *settingsOf) ServiceName() string {
	if c.Role == roleWork {
		return "worker"
	}
	return "calculation"
}

// Program is the service as a process of its own, in one of its roles.
func Program() app.Program {
	return app.Program{Name: "calculation", Commands: []app.Command{app.NewCommand("", "calculates footprints", run)}}
}

func run(ctx context.Context, env app.Env, c *settingsOf) error {
	return app.Serve(ctx, env, c.ServiceName(), c.Listen, func(ctx context.Context, p *app.Process) (app.Service, error) {
		q, err := taskqueue.Open(p, c.Queue.URL)
		if err != nil {
			return app.Service{}, err
		}
		db, records, err := mongodb.OpenRecords(ctx, p, "ecf-"+c.ServiceName(), c.MongoDB)
		if err != nil {
			return app.Service{}, err
		}
		results, err := mongodb.Await(ctx, p.Env, "results database", func(ctx context.Context) (resulttree.Store, error) {
			store, slow, err := mongostore.Serve(ctx, db)
			mongodb.WarnSlow(ctx, p.Env, slow)
			return store, err
		})
		if err != nil {
			return app.Service{}, err
		}
		// The serving role exports the metrics of due results too, since it runs even without a worker.
		insight, err := q.Insight(p)
		if err != nil {
			return app.Service{}, err
		}
		insight.Watch(records.MarkedEvents)
		if c.Role == roleWork {
			return StartWorker(p, c.Work, resulttree.WorkerDeps{
				Records: records, Results: results, Queue: q.Connection, Notifier: q.Interactive, Insight: insight,
			}), nil
		}
		callers, err := access.Open(ctx, p, "calculation", c.Access)
		if err != nil {
			return app.Service{}, err
		}
		reports, err := reportKeys(ctx, p, c.Folder.Path)
		if err != nil {
			return app.Service{}, err
		}
		s, err := Start(p, Deps{
			Records: records, Results: results, Notifier: q.Interactive, Bulk: q.Bulk, Keys: reports,
			Verifier: callers, Audit: callers.Audit,
		})
		s.Wrap = callers.Peers.Listener
		return s, err
	})
}

// reportKeys reads the keys of reports. They are not created here: each replica of the service would create another
// one. Without keys, reports are not signed.
func reportKeys(ctx context.Context, p *app.Process, folder string) (*bundle.Keys, error) {
	dir := ReportKeysDir(folder)
	list, err := bundle.OpenKeys(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		p.Logger.InfoContext(ctx, "reports are not signed: there is no key for them", "folder", dir)
		return nil, nil //nolint:nilnil // without a key reports are not signed
	}
	return list, err
}
