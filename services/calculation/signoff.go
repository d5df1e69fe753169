package calculation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

func (s *server) signOffs() signoff.Service {
	return signoff.Service{Store: s.Records, Results: s, Now: s.Now}
}

// checklistView are the open items of an event to be signed.
type checklistView struct {
	Revision         int64              `json:"revision"` // the newest
	Status           string             `json:"status"`
	Waiting          int64              `json:"waiting"` // for a decision
	ChangesRequested int64              `json:"changesRequested"`
	Unsubmitted      int64              `json:"unsubmitted"`
	Rejected         int64              `json:"rejected"`
	OpenChanges      int                `json:"openChanges"`
	Warnings         []findings.Finding `json:"warnings"`
}

const severityWarning = "warning"

// checklist reads the open items of an event.
func (s *server) checklist(ctx context.Context, ev record.Event) (checklistView, error) {
	newest, err := s.newest(ctx, ev)
	if err != nil {
		return checklistView{}, err
	}
	counts, err := s.counts(ctx, ev)
	if err != nil {
		return checklistView{}, err
	}
	checks, err := s.crosschecks.Of(ctx, ev, newest.Result)
	if err != nil {
		return checklistView{}, err
	}
	list := checklistView{
		Revision: newest.Revision, Status: newest.status(), Waiting: counts.Submitted + counts.InReview,
		ChangesRequested: counts.ChangesRequested, Unsubmitted: counts.Unsubmitted, Rejected: counts.Rejected,
		OpenChanges: len(ev.Proposals), Warnings: []findings.Finding{},
	}
	for _, f := range checks.Findings {
		if f.Severity == severityWarning {
			list.Warnings = append(list.Warnings, f)
		}
	}
	return list, nil
}

// signOff signs the newest result of an event. The response is 202: the state of the event shows the outcome. A dry
// run responds with the checklist. With four-eyes control the request is a proposal for a second manager.
func (s *server) signOff(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	r.Require("revision", "statement")
	revision, _ := r.Integer("revision", 1, math.MaxInt32)
	statement, _ := r.String("statement", 1, record.MaxComment)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	w, err := s.begin(c, "signOffEvent")
	if err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	tags, conditional := web.IfMatch(c)
	if conditional && !record.MatchEvent(tags, ev) {
		return record.EventMoved()
	}
	if err := ev.CheckOpen(); err != nil {
		return err
	}
	list, err := s.checklist(c.UserContext(), ev)
	if err != nil {
		return err
	}
	if err := list.signable(revision); err != nil {
		return err
	}
	if w.Rehearsal {
		return web.OK(c, fiber.Map{"checklist": list})
	}
	policy, err := w.Workflow.Policy(c.UserContext(), w.Org)
	if err != nil {
		return err
	}
	if policy.FourEyes {
		return s.proposeSignOff(c, w, policy, ev, revision, statement)
	}
	return s.beginSignOff(c, w, ev, signoff.Request{
		Revision: revision, Statement: statement, By: w.By, PolicyRev: policy.Rev,
		IfMatch: func(e record.Event) bool { return !conditional || record.MatchEvent(tags, e) },
	}, list)
}

// signable returns nil where the named revision can be signed now.
func (l checklistView) signable(revision int64) error {
	switch {
	case l.Status != statusCurrent:
		return apperr.New(apperr.PreconditionFailed, "The result is being recalculated. Sign it once its status is current.").
			With(apperr.Detail{Field: "revision", Code: "CALCULATION_PENDING", Message: "Try again in a moment."})
	case l.Revision != revision:
		return apperr.New(apperr.PreconditionFailed, "Revision %d is not the newest result; the newest is %d.", revision, l.Revision).
			With(apperr.Detail{Field: "revision", Code: "NOT_NEWEST", Message: "Read the newest result before you decide."})
	}
	return nil
}

// beginSignOff closes the gate and completes the rest in the background.
func (s *server) beginSignOff(c *fiber.Ctx, w writes.Write, ev record.Event, request signoff.Request, list checklistView) error {
	open, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("sign off: %w", err)
	}
	request.Org, request.Event, request.Open = w.Org, ev.ID, open
	if err := w.Still(c.UserContext()); err != nil {
		return err // the checklist may have taken long
	}
	service := s.signOffs()
	service.Report, service.Once = w.Report, w.Request.Once()
	closing, err := service.Begin(c.UserContext(), request)
	if err != nil {
		return err
	}
	ctx := context.WithoutCancel(c.UserContext())
	go s.finishSignOff(ctx, closing, w.Report)
	if err := writes.AuditEvent(c, closing); err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, closing.ETag())
	return web.Answer(c, fiber.StatusAccepted, fiber.Map{"event": closing, "checklist": list})
}

// finishSignOff completes a sign-off. If it cannot, it opens the event again, or the sweeper does.
func (s *server) finishSignOff(ctx context.Context, closing record.Event, report record.EventReport) {
	defer func() {
		if v := recover(); v != nil {
			s.Logger.LogAttrs(ctx, slog.LevelError, "sign-off panicked", slog.Any("error", v))
		}
	}()
	signed, err := s.signOffs().Finish(ctx, closing)
	if signed.ID != "" && report != nil {
		// No request waits for it any more: if this fails, the next change enters it.
		err = errors.Join(err, report(ctx, signed.Org, signed.ID, signed.Unreported()))
	}
	if err != nil {
		s.Logger.LogAttrs(ctx, slog.LevelWarn, "sign-off not finished", slog.String("event", string(closing.ID)), slog.String("error", err.Error()))
	}
}

// withdrawSignOff reopens a signed event.
func (s *server) withdrawSignOff(c *fiber.Ctx) error {
	comment, err := readDecision(c, true)
	if err != nil {
		return err
	}
	w, err := s.begin(c, "withdrawSignOff")
	if err != nil {
		return err
	}
	policy, err := w.Workflow.Policy(c.UserContext(), w.Org)
	if err != nil {
		return err
	}
	withdrawal := signoff.Withdrawal{
		Org: w.Org, Event: teams.EventID(c), By: w.By, Comment: comment, FourEyes: policy.FourEyes, PolicyRev: policy.Rev,
	}
	if tags, ok := web.IfMatch(c); ok {
		withdrawal.IfMatch = func(e record.Event) bool { return record.MatchEvent(tags, e) }
	}
	service := s.signOffs()
	service.Store, service.Report, service.Once = rehearsable{s.Records, w}, w.Report, w.Request.Once()
	opened, err := service.Withdraw(c.UserContext(), withdrawal)
	if err != nil {
		return err
	}
	if !w.Rehearsal {
		if err := writes.AuditEvent(c, opened); err != nil {
			return err
		}
	}
	c.Set(fiber.HeaderETag, opened.ETag())
	return web.OK(c, opened)
}

// rehearsable stores the changes of an event where the request stores its: in
// the store, or nowhere.
type rehearsable struct {
	RecordStore
	write writes.Write
}

// ReplaceEvent implements record.EventStore.
func (r rehearsable) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	return r.write.Store.ReplaceEvent(ctx, org, e, prevRev)
}

// InsertEventEntry implements record.EventStore.
func (r rehearsable) InsertEventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error {
	return r.write.Store.InsertEventEntry(ctx, org, id, e)
}

// signOffSweep is how often crashed sign-offs are looked for.
const signOffSweep = 15 * time.Second

// sweepSignOffs reopens the gates of crashed sign-offs until ctx ends.
func sweepSignOffs(ctx context.Context, signOffs signoff.Service, logger *slog.Logger) error {
	ticker := time.NewTicker(signOffSweep)
	defer ticker.Stop()
	outage := telemetry.NewOutage(logger, nil, "the sweep of sign-offs")
	for {
		opened, err := signOffs.Sweep(ctx)
		if opened > 0 {
			logger.LogAttrs(ctx, slog.LevelWarn, "dead sign-offs were opened again", slog.Int("events", opened))
		}
		outage.Report(ctx, err)
		select {
		case <-ctx.Done():
			return nil // it ends with the process
		case <-ticker.C:
		}
	}
}

// readDecision reads the body {"comment": "…"}.
func readDecision(c *fiber.Ctx, required bool) (string, error) {
	r, err := web.Fields(c)
	if r == nil || len(c.Request().Body()) == 0 {
		if err == nil && required {
			err = apperr.Invalid(apperr.Detail{Field: "comment", Code: "REQUIRED", Message: "comment is required to explain why."})
		}
		return "", err
	}
	if required {
		r.Require("comment")
	}
	if !required && r.IsNull("comment") {
		return "", web.Finish(c, r)
	}
	least := 0
	if required {
		least = 1
	}
	comment, _ := r.String("comment", least, record.MaxComment)
	return comment, web.Finish(c, r)
}
