// Package records is the service of events and their records: creating, reading, changing and
// submitting them, and the event quota.
package records

import (
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// Deps are the dependencies of the service.
type Deps struct {
	// Work schedules the expensive requests of a process; nil: the service has its own.
	Work *fairshare.Scheduler
	// Timeout bounds a request; 0: the default of web.
	Timeout  time.Duration
	Store    record.Store
	Notifier notify.Notifier
	// Members determines who may be in the team of an event.
	Members  members.Directory
	Verifier web.TokenVerifier
	Quotas   settings.Quotas
	// Limits are the other limits of plans.
	Limits settings.PlanLimits
	Logger *slog.Logger
	Health *web.Health
	Now    func() time.Time
	// Audit records operations on events; nil: only the gateway does.
	Audit audit.Recorder
	// Importer, if there is one in this process, is notified of new files.
	Importer *imports.Importer
	// Spool stores files while they are received; nil: in memory.
	Spool *web.Spool
}

type server struct {
	Deps
	writes writes.Maker
	keys   *idempotency.Keeper
	// answers is the response cache.
	answers   *answers
	plans     *plans
	exports   *fairshare.Budget // concurrent exports
	longPages longPageTurns
}

// New returns the HTTP application of the service.
func New(d Deps) (*fiber.App, error) {
	httpApp, _, err := newApp(d)
	return httpApp, err
}

// newApp returns the HTTP application of the service, and the Recall of its response cache.
func newApp(d Deps) (*fiber.App, web.Recall, error) {
	limits := newPlans(d.Store, d.Limits, d.Now)
	if d.Importer != nil {
		d.Importer.Plans, d.Importer.Members = limits, d.Members
	}
	s := &server{
		Deps:   d,
		plans:  limits,
		writes: writes.Maker{Store: d.Store, Notifier: d.Notifier, Now: d.Now, Audit: d.Audit, Admit: limits.Admit},
		keys:   &idempotency.Keeper{Store: d.Store, Now: d.Now, Logger: d.Logger},

		answers: newAnswers(d.Store),
		exports: fairshare.NewBudget(exportsAtOnce, exportsOfOne), longPages: newLongPageTurns(),
	}
	s.keys.MayRepeat = s.mayRepeat
	httpApp := web.New(web.Options{Service: "records", Logger: d.Logger, Now: d.Now, Timeout: d.Timeout, Work: d.Work, Spool: d.Spool})
	if d.Health != nil {
		d.Health.Register(httpApp, "")
	}
	if err := web.Register(httpApp, web.BasePath, d.Verifier, api.Operations().Of(api.Records), s.answers.remember(teams.Guard(d.Store, s.routes()))); err != nil {
		return nil, nil, err
	}
	return httpApp, s.answers.recall, nil
}
