// Package calculation is the service of results: it serves them (role serve)
// and brings them up to date with the approved records (role work). The
// arithmetic itself is libs/footprint; this package is the protocol around it.
package calculation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/recalc"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// RecordStore is what the service needs of the records' owner.
type RecordStore interface {
	record.Marks
	record.Keys
	Event(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
	CountByStatus(ctx context.Context, org record.OrgID, event record.EventID) (map[record.Status]int64, error)
	ReviewQueue(ctx context.Context, org record.OrgID, event record.EventID, skip, limit int64) ([]record.Record, int64, error)
	Waiting(ctx context.Context, org record.OrgID, event record.EventID, after record.QueuePlace, limit int64) ([]record.Record, error)
	ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error
}

// Deps is what the role serve is made of.
type Deps struct {
	Records RecordStore
	Results Store
	Bell    recalc.Bell
	// Bulk rings for what is calculated anew in every record of an event, which
	// people who approve must not wait for; nil: Bell does.
	Bulk     recalc.Bell
	Verifier web.TokenVerifier
	// Keys sign reports; nil: reports are not signed.
	Keys   *bundle.Keys
	Logger *slog.Logger
	Health *web.Health
	Now    func() time.Time
}

type server struct {
	Deps
	checks *checks
	keys   *idempotency.Keeper
	slots  chan struct{} // see oneOfFew
}

// New makes the service's HTTP application.
func New(d Deps) (*fiber.App, error) {
	if d.Bulk == nil {
		d.Bulk = d.Bell
	}
	s := &server{Deps: d, checks: newChecks(), slots: make(chan struct{}, atOnce), keys: &idempotency.Keeper{Store: d.Records, Now: d.Now, Logger: d.Logger}}
	httpApp := web.New(web.Options{Service: "calculation", Logger: d.Logger, Now: d.Now})
	if d.Health != nil {
		d.Health.Register(httpApp, "")
	}
	httpApp.Get(reportKeysPath, s.reportKeys)
	if err := web.Register(httpApp, web.BasePath, d.Verifier, api.Operations(), s.routes()); err != nil {
		return nil, err
	}
	return httpApp, nil
}

// routes is every operation of the service. Its path, and who may call it, are
// in libs/api.
func (s *server) routes() []web.Route {
	return []web.Route{
		{Operation: "listFactorSets", Handler: s.factorSets},
		{Operation: "getFactorSet", Handler: s.factorSet},
		{Operation: "adoptFactorSet", Timeout: adoptTimeout, Handler: s.keys.Handler(s.oneOfFew(s.adopt))},

		{Operation: "listReviewQueue", Timeout: togetherTimeout, Handler: s.queue},
		{Operation: "listEventReviewQueue", Timeout: togetherTimeout, Handler: s.queue},

		{Operation: "getResult", Handler: s.result},
		{Operation: "listResultHistory", Handler: s.history},
		{Operation: "explainResult", Handler: s.explained},
		{Operation: "getReport", Timeout: togetherTimeout, Handler: s.oneOfFew(s.report)},
		{Operation: "previewResult", Timeout: togetherTimeout, Handler: s.preview},
		{Operation: "getResultRevision", Handler: s.revision},
		{Operation: "compareResults", Timeout: togetherTimeout, Handler: s.waterfall},
	}
}

// arithmetic is libs/footprint behind the Arithmetic interface.
type arithmetic struct{}

// Evaluate implements Arithmetic.
func (arithmetic) Evaluate(typ string, fields json.RawMessage, ev footprint.EventContext) (preview, contribution json.RawMessage, err error) {
	return record.Evaluate(typ, fields, nil, ev)
}

// Sum implements Arithmetic.
func (arithmetic) Sum(parts []json.RawMessage) (json.RawMessage, error) {
	contributions := make([]footprint.Contribution, len(parts))
	for i, part := range parts {
		// Not by json.Unmarshal, which would read all of it once more to see where
		// it ends: this is most of what an approval costs.
		if err := contributions[i].UnmarshalJSON(part); err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
	}
	return json.Marshal(footprint.Sum(contributions...))
}

// Total implements Arithmetic. In the stored form, which is canonical, the total
// comes before anything that could look like it.
func (arithmetic) Total(contribution json.RawMessage) (string, error) {
	if _, rest, found := bytes.Cut(contribution, []byte(`,"total":"`)); found {
		if digits, _, ended := bytes.Cut(rest, []byte(`"`)); ended && isNumber(digits) {
			return string(digits), nil
		}
	}
	var sum struct {
		Total string `json:"total"`
	}
	if err := json.Unmarshal(contribution, &sum); err != nil {
		return "", fmt.Errorf("total: %w", err)
	}
	return sum.Total, nil
}

// Current implements Arithmetic.
func (arithmetic) Current(contribution json.RawMessage) bool {
	return footprint.OfThisEngine(contribution)
}

// isNumber says whether a text is a whole number, which may be negative.
func isNumber(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("-"))
	return len(text) > 0 && !bytes.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// NewRecalculator makes the Recalculator of a worker.
func NewRecalculator(records Records, results Results, now func() time.Time) Recalculator {
	return Recalculator{Records: records, Results: results, Arithmetic: arithmetic{}, Now: now, Fanout: Fanout}
}
