package review

import (
	"context"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/access"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/infra/taskqueue"
	"github.com/eventcarbon/ecf/libs/settings"
)

// Start creates the service in a process. It adds to d what all services of the process share.
func Start(p *app.Process, d Deps) (app.Service, error) {
	d.Logger, d.Health, d.Now = p.Logger, p.Health, p.Now
	d.Timeout, d.Work = p.ServiceTimeout(), p.Work
	httpApp, err := New(d)
	return app.Service{Name: "review", App: httpApp}, err
}

// settingsOf are all settings of the service process.
type settingsOf struct {
	app.Log
	app.Listen
	MongoDB mongodb.Records
	Queue   taskqueue.Config
	Access  access.Config
}

// Describe implements settings.Config.
func (c *settingsOf) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	s.Default("ECF_ADDR", "127.0.0.1:8083")
	c.MongoDB.Describe(s)
	c.Queue.Describe(s)
	c.Access.Describe(s)
	c.Log.Describe(s)
}

// Program returns the service as a process of its own.
func Program() app.Program {
	return app.Program{Name: "review", Commands: []app.Command{app.NewCommand("", "handles decisions on records", run)}}
}

func run(ctx context.Context, env app.Env, c *settingsOf) error {
	return app.Serve(ctx, env, "review", c.Listen, func(ctx context.Context, p *app.Process) (app.Service, error) {
		callers, err := access.Open(ctx, p, "review", c.Access)
		if err != nil {
			return app.Service{}, err
		}
		q, err := taskqueue.Open(p, c.Queue.URL)
		if err != nil {
			return app.Service{}, err
		}
		_, store, err := mongodb.OpenRecords(ctx, p, "ecf-review", c.MongoDB)
		if err != nil {
			return app.Service{}, err
		}
		s, err := Start(p, Deps{Store: store, Notifier: q.Interactive, Verifier: callers})
		s.Wrap = callers.Peers.Listener
		return s, err
	})
}
