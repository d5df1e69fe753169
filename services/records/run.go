package records

import (
	"context"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/infra/access"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/infra/taskqueue"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// Config are the settings of the service.
type Config struct {
	// Quotas are the numbers of events of the plans.
	Quotas settings.Quotas
	// Limits are the other limits of plans.
	Limits settings.PlanLimits
}

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) {
	settings.Parsed(s, &c.Quotas, "ECF_QUOTAS", "free=3,team=50,enterprise=unlimited", "events of each plan", settings.ParseQuotas, settings.Quotas.String)
	settings.Parsed(s, &c.Limits, "ECF_PLAN_LIMITS", "", "further limits of plans: rowsPerImport, openImports, recordsPerEvent, recordsPerOrganization, such as free.recordsPerEvent=5000; unlimited where not given", settings.ParsePlanLimits, settings.PlanLimits.String)
	s.After(func() error { return c.Limits.CheckPlans(c.Quotas) })
}

// Start creates the service in a process. It adds to d what all services of the process share.
func Start(p *app.Process, c Config, d Deps) (app.Service, error) {
	d.Quotas, d.Limits, d.Logger, d.Health, d.Now = c.Quotas, c.Limits, p.Logger, p.Health, p.Now
	d.Timeout, d.Work = p.ServiceTimeout(), p.Work
	d.Importer = imports.New(d.Store, d.Logger, d.Now)
	d.Importer.Work = p.Work
	d.Spool = web.NewSpool("")
	p.OnClose(d.Spool.Remove)
	httpApp, recall, err := newApp(d)
	return app.Service{Name: "records", App: httpApp, Recall: recall, Tasks: []app.Task{{Name: "imports", Run: d.Importer.Run}}}, err
}

// settingsOf are all settings of the service process.
type settingsOf struct {
	app.Log
	app.Listen
	MongoDB mongodb.Records
	Queue   taskqueue.Config
	Access  access.Config
	Config
}

// Describe implements settings.Config.
func (c *settingsOf) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	s.Default("ECF_ADDR", "127.0.0.1:8082")
	c.MongoDB.Describe(s)
	c.Queue.Describe(s)
	c.Access.Describe(s)
	c.Config.Describe(s)
	c.Log.Describe(s)
}

// Program returns the service as a process of its own.
func Program() app.Program {
	return app.Program{Name: "records", Commands: []app.Command{app.NewCommand("", "manages events and records", run)}}
}

func run(ctx context.Context, env app.Env, c *settingsOf) error {
	return app.Serve(ctx, env, "records", c.Listen, func(ctx context.Context, p *app.Process) (app.Service, error) {
		callers, err := access.Open(ctx, p, "records", c.Access)
		if err != nil {
			return app.Service{}, err
		}
		q, err := taskqueue.Open(p, c.Queue.URL)
		if err != nil {
			return app.Service{}, err
		}
		_, store, err := mongodb.OpenRecords(ctx, p, "ecf-records", c.MongoDB)
		if err != nil {
			return app.Service{}, err
		}
		s, err := Start(p, c.Config, Deps{Store: store, Notifier: q.Interactive, Verifier: callers, Members: members.NewRemote(c.Access.Keys.AuthURL, callers.Auth), Audit: callers.Audit})
		s.Wrap = callers.Peers.Listener
		return s, err
	})
}
