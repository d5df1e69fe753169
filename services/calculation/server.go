// Package calculation is the HTTP server of results: results, their
// history and differences, explanations, reports, the review queue with its
// figures, and factor sets. Results are kept up to date by resulttree, the records
// behind them are read by eventreader, and the arithmetic is libs/footprint.
package calculation

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
	"github.com/eventcarbon/ecf/services/calculation/crosscheck"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// RecordStore is what the service needs of the records' owner.
type RecordStore interface {
	record.Marks
	record.Counting
	record.Keys
	writes.Store
	record.SupplierFactors
	record.FactorPacks
	record.ReviewQueue
	record.Drafts
	signoff.Store
	record.Pages
	EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error)
}

// Deps is what the role serve is made of.
type Deps struct {
	// Work schedules the expensive requests of a process; nil: the service's own.
	Work *fairshare.Scheduler
	// Timeout is the time limit of a request; 0: the default of web.
	Timeout  time.Duration
	Records  RecordStore
	Results  resulttree.Store
	Notifier notify.Notifier
	// Bulk notifies of changes that recalculate every record of an event, which
	// must not delay approvals; nil: Notifier does.
	Bulk     notify.Notifier
	Verifier web.TokenVerifier
	// Audit receives the actions on events; nil: only the gateway enters them.
	Audit audit.Recorder
	// Spool stores reports until they are sent; nil: in memory.
	Spool *web.Spool
	// Keys sign reports; nil: reports are not signed.
	Keys   *bundle.Keys
	Logger *slog.Logger
	Health *web.Health
	Now    func() time.Time
}

type server struct {
	Deps
	reader      eventreader.Reader
	crosschecks *crosscheck.Checker
	writes      writes.Maker
	keys        *idempotency.Keeper
	slots       chan struct{} // see limitConcurrency
	sets        setViews
	superseded  *revisionTexts
}

// New makes the service's HTTP application.
func New(d Deps) (*fiber.App, error) { return newServer(d).app() }

func (s *server) app() (*fiber.App, error) {
	httpApp := web.New(web.Options{Service: "calculation", Logger: s.Logger, Now: s.Now, Timeout: s.Timeout, Work: s.Work})
	if s.Health != nil {
		s.Health.Register(httpApp, "")
	}
	if err := web.Register(httpApp, web.BasePath, s.Verifier, api.Operations().Of(api.Calculation), teams.Guard(s.Records, s.routes())); err != nil {
		return nil, err
	}
	return httpApp, nil
}

func newServer(d Deps) *server {
	if d.Bulk == nil {
		d.Bulk = d.Notifier
	}
	reader := eventreader.Reader{Records: d.Records, Results: d.Results}
	return &server{
		Deps: d, reader: reader,
		crosschecks: crosscheck.New(reader, d.Results, d.Records, wholeEventTimeout),
		writes:      writes.Maker{Store: d.Records, Notifier: d.Bulk, Now: d.Now, Audit: d.Audit},
		keys:        &idempotency.Keeper{Store: d.Records, Now: d.Now, Logger: d.Logger},
		slots:       make(chan struct{}, maxReports), sets: newSetViews(), superseded: newRevisionTexts(),
	}
}

// routes are the operations of the service. Their paths, and who may call them, are in libs/api.
func (s *server) routes() []web.Route {
	return []web.Route{
		{Operation: "listFactorSets", Handler: s.factorSets},
		{Operation: "getFactorSet", Handler: s.factorSet},
		{Operation: "adoptFactorSet", Handler: s.keys.Handler(s.limitConcurrency(s.repeatable(s.adopt, s.adoptedBefore)))},

		{Operation: "signOffEvent", Handler: s.keys.Handler(s.repeatable(s.signOff, s.signedOffBefore))},
		{Operation: "withdrawSignOff", Handler: s.keys.Handler(s.repeatable(s.withdrawSignOff, s.changedBefore))},
		{Operation: "listEventChanges", Handler: s.changes},
		{Operation: "approveEventChange", Handler: s.keys.Handler(s.repeatable(s.approveChange, s.approvedBefore))},
		{Operation: "assessEventChange", Handler: s.keys.Handler(s.limitConcurrency(s.repeatable(s.assessChange, s.assessedBefore)))},
		{Operation: "rejectEventChange", Handler: s.keys.Handler(s.repeatable(s.rejectChange, s.changedBefore))},

		{Operation: "reportKeys", Handler: s.reportKeys},

		{Operation: "listReviewQueue", Handler: s.queue},
		{Operation: "listEventReviewQueue", Handler: s.queue},

		{Operation: "getResult", Handler: s.result},
		{Operation: "listResultHistory", Handler: s.history},
		{Operation: "explainResult", Handler: s.explained},
		{Operation: "getReport", Handler: s.limitConcurrency(s.report)},
		{Operation: "previewResult", Handler: s.preview},
		{Operation: "previewRows", Handler: s.previewRows},
		{Operation: "rehearseEvent", Handler: s.limitConcurrency(s.rehearseEvent)},
		{Operation: "getResultRevision", Handler: s.revision},
		{Operation: "explainResultRevision", Handler: s.revisionExplained},
		{Operation: "getRevisionReport", Handler: s.limitConcurrency(s.revisionReport)},
		{Operation: "compareResults", Handler: s.diff},
	}
}

// begin returns the write of a request for an operation that may calculate for long: it ends if the caller's right to
// it does before anything is changed.
func (s *server) begin(c *fiber.Ctx, operation string) (writes.Write, error) {
	w, err := s.writes.Begin(c)
	if err != nil {
		return w, err
	}
	w.Still, err = teams.Revalidate(c, s.Verifier, s.Records, s.Now, operation)
	return w, err
}

const (
	// wholeEventTimeout bounds the answers that read all counted records of an event.
	wholeEventTimeout = 30 * time.Second
	// maxReports bounds the reports generated concurrently.
	maxReports = 4
)

// limitConcurrency makes a handler wait while maxReports of its kind are running, to bound their memory.
func (s *server) limitConcurrency(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		select {
		case s.slots <- struct{}{}:
		case <-c.UserContext().Done():
			return &apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
				Message: "Too many reports are being created. Please try again in a moment."}
		}
		defer func() { <-s.slots }()
		return next(c)
	}
}
