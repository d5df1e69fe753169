// Package review is the service of the managers' decisions on submitted records. It owns no
// data: a decision is a move of the record (libs/record). The review queue contains figures,
// and is therefore served by the service calculation.
package review

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// Store is the part of the record store that the service uses.
type Store interface {
	writes.Store
	record.Keys
	teams.Events
}

// Deps are the dependencies of the service.
type Deps struct {
	// Work schedules the expensive requests of a process; nil: the service has its own.
	Work *fairshare.Scheduler
	// Timeout bounds a request; 0: the default of web.
	Timeout  time.Duration
	Store    Store
	Notifier notify.Notifier
	Verifier web.TokenVerifier
	Logger   *slog.Logger
	Health   *web.Health
	Now      func() time.Time
}

type server struct {
	Deps
	writes writes.Maker
	keys   *idempotency.Keeper
}

// New returns the HTTP application of the service.
func New(d Deps) (*fiber.App, error) {
	s := &server{
		Deps:   d,
		writes: writes.Maker{Store: d.Store, Notifier: d.Notifier, Now: d.Now},
		keys:   &idempotency.Keeper{Store: d.Store, Now: d.Now, Logger: d.Logger},
	}
	httpApp := web.New(web.Options{Service: "review", Logger: d.Logger, Now: d.Now, Timeout: d.Timeout, Work: d.Work})
	if d.Health != nil {
		d.Health.Register(httpApp, "")
	}
	if err := web.Register(httpApp, web.BasePath, d.Verifier, api.Operations().Of(api.Review), append(teams.Guard(d.Store, s.routes()), s.gated()...)); err != nil {
		return nil, err
	}
	return httpApp, nil
}

// routes returns the routes of the service except those of gated. Their paths and permissions
// are defined in libs/api.
func (s *server) routes() []web.Route {
	once := s.keys.Handler // accepts an Idempotency-Key
	return []web.Route{
		{Operation: "approveRecords", Handler: once(s.decideMany("approveRecords", record.Approve))},
		{Operation: "requestChangesOfRecords", Handler: once(s.decideMany("requestChangesOfRecords", record.RequestChanges))},
		{Operation: "rejectRecords", Handler: once(s.decideMany("rejectRecords", record.Reject))},
		{Operation: "reopenRecords", Handler: once(s.decideMany("reopenRecords", record.Reopen))},
		s.decision("claimRecord", record.Review),
		s.decision("requestChanges", record.RequestChanges),
		s.decision("rejectRecord", record.Reject),
	}
}

// decision returns the route of a move of one record.
func (s *server) decision(operation string, m record.Move) web.Route {
	return web.Route{Operation: operation, Resolve: teams.KnownType, Handler: s.keys.Handler(s.decide(m))}
}

// eventExists returns an error unless the event of the path exists for the caller.
func (s *server) eventExists(c *fiber.Ctx) error {
	_, read, err := teams.Event(c)
	if !read {
		_, err = s.Store.Event(c.UserContext(), teams.Org(c), teams.EventID(c))
	}
	if errors.Is(err, record.ErrNotFound) {
		return record.NoSuchEvent()
	}
	return err
}

// decide returns the handler of a decision.
func (s *server) decide(m record.Move) fiber.Handler {
	return func(c *fiber.Ctx) error {
		comment, err := readComment(c)
		if err != nil {
			return err
		}
		w, err := s.writes.Begin(c)
		if err != nil {
			return err
		}
		request := record.Request{
			Move: m, Comment: comment,
			Key: teams.Key(c),
		}
		if tags, ok := web.IfMatch(c); ok {
			request.IfMatch, request.IfFigure = record.MatchRecord(tags), record.MatchFigure(tags)
		}
		if err := record.CheckComment(m, comment); err != nil {
			return err
		}
		if err := s.eventExists(c); err != nil {
			return err
		}
		request.Known = known(c)
		r, err := w.Apply(c.UserContext(), request)
		if err != nil {
			return err
		}
		r = teams.Under(c, r)
		c.Set(fiber.HeaderETag, r.ETag())
		return web.OK(c, r)
	}
}

// decideMany returns the handler of an operation that decides on up to 100 records of an event, of
// any types, each independently.
func (s *server) decideMany(operation string, m record.Move) fiber.Handler {
	return func(c *fiber.Ctx) error {
		sent, err := writes.ReadIDs(c)
		if err != nil {
			return err
		}
		w, err := s.writes.Begin(c)
		if err != nil {
			return err
		}
		if w.Still, err = teams.Revalidate(c, s.Verifier, s.Store, s.Now, operation); err != nil {
			return err
		}
		if err := record.CheckComment(m, sent.Comment); err != nil {
			return err
		}
		event := teams.EventID(c)
		if err := s.eventExists(c); err != nil {
			return err
		}
		items, err := w.Each(c, sent.IDs, func(ctx context.Context, id record.ID) (record.Request, error) {
			r, err := w.Store.FindRecord(ctx, w.Org, event, id)
			if errors.Is(err, record.ErrNotFound) {
				return record.Request{}, record.NoSuchRecord()
			}
			return record.Request{Key: r.Key(), Move: m, Comment: sent.Comment, IfMatch: sent.IfMatch(id), IfFigure: sent.IfFigure(id), Known: &record.Known{Record: r}}, err
		})
		if err != nil {
			return err
		}
		return writes.Answer(c, items)
	}
}

// readComment parses the optional body {"comment": "…"}.
func readComment(c *fiber.Ctx) (string, error) {
	r, err := web.Fields(c)
	if r == nil {
		return "", err
	}
	comment := r.Remark("comment", record.MaxComment)
	return comment, web.Finish(c, r)
}
