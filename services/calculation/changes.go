package calculation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// effect calculates the effect of a change as a dry run would, and the revision of the result it is based on.
func (s *server) effect(ctx context.Context, before, after record.Event) (json.RawMessage, int64, error) {
	e, err := s.effectOf(ctx, before, after)
	if err != nil {
		return nil, 0, err
	}
	text, err := json.Marshal(e)
	return text, e.BasedOn, err
}

// proposalView is a proposal with the data that a second manager needs to decide.
type proposalView struct {
	record.Proposal
	stale bool
}

// MarshalJSON returns the proposal with stale beside its fields.
func (v proposalView) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(v.Proposal)
	if err != nil {
		return nil, err
	}
	return append(text[:len(text)-1], fmt.Sprintf(`,"stale":%t}`, v.stale)...), nil
}

// changes lists the proposals of an event, oldest first. A missing effect, of a proposal made while figures were
// unknown, is calculated now, once, and stored.
func (s *server) changes(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	for _, p := range ev.Proposals {
		if len(p.Effect) == 0 && p.Kind != record.SignedOff && p.MovesFigure() {
			if ev, err = s.assess(c.UserContext(), ev, p.ID); err != nil {
				return err
			}
		}
	}
	views := make([]proposalView, len(ev.Proposals))
	for i, p := range ev.Proposals {
		stale, err := s.stale(c.UserContext(), ev, p)
		if err != nil {
			return err
		}
		views[i] = proposalView{p, stale}
	}
	c.Set(fiber.HeaderETag, ev.ETag())
	total := int64(len(views))
	from, to := page.Within(total)
	return web.OK(c, web.NewList(views[from:to], page, total))
}

// assess calculates and stores the effect of a proposal that has none.
func (s *server) assess(ctx context.Context, ev record.Event, id string) (record.Event, error) {
	flow := record.EventFlow{Store: s.Records, Now: s.Now}
	return flow.Apply(ctx, record.EventRequest{
		Org: ev.Org, ID: ev.ID, Action: record.ChangeAssessed, By: record.System(), Proposal: id, AnyGate: true,
		Change: func(e *record.Event) error {
			p, i, ok := e.Find(id)
			if !ok || len(p.Effect) > 0 {
				return record.ErrUnchanged
			}
			err := s.setEffect(ctx, e, i)
			if apperr.CodeOf(err) == apperr.ProposalStale {
				return record.ErrUnchanged // without calculating the effect
			}
			return err
		},
	})
}

// setEffect calculates the effect of the i-th proposal on the current event.
func (s *server) setEffect(ctx context.Context, e *record.Event, i int) error {
	p, after := e.Proposals[i], *e
	if err := after.ApplyChanges(p.Changed); err != nil {
		return err
	}
	var err error
	if p.Effect, p.ResultRevision, err = s.effect(ctx, *e, after); err != nil {
		return err
	}
	p.ContextRev = e.ContextRev
	e.Proposals = slices.Clone(e.Proposals)
	e.Proposals[i] = p
	return nil
}

// assessChange recalculates the effect of a stale proposal, for the manager who is to decide.
func (s *server) assessChange(c *fiber.Ctx) error {
	return s.decideChange(c, "assessEventChange", func(w writes.Write, policy record.Policy, comment string, p record.Proposal, ev record.Event) error {
		if p.Kind == record.SignedOff {
			return apperr.New(apperr.InvalidTransition, "A proposed sign-off has no effect on the figures that could be calculated.")
		}
		if err := ev.CheckOpen(); err != nil {
			return err
		}
		if err := s.checkCurrent(c.UserContext(), ev); err != nil {
			return err
		}
		req := record.EventRequest{Action: record.ChangeAssessed, Comment: comment, PolicyRev: policy.Rev, Gate: record.GateOpen}
		assessed, err := s.changed(c, w, req, p, func(e *record.Event, i int) error { return s.setEffect(c.UserContext(), e, i) })
		if err != nil {
			return err
		}
		p, _, _ = assessed.Find(p.ID)
		return web.OK(c, fiber.Map{"change": proposalView{p, false}})
	})
}

// checkCurrent returns an error while the result of an event is being recalculated: an effect would be based on
// outdated figures.
func (s *server) checkCurrent(ctx context.Context, ev record.Event) error {
	due, err := s.Records.HasMarks(ctx, ev.Org, ev.ID)
	if err == nil && due {
		err = &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second, Message: "The result is being recalculated. Request the effect once its status is current."}
	}
	return err
}

// assessed returns a proposal with its effect on the current event and result, if it has none yet: a second manager
// may decide without having viewed it.
func (s *server) assessed(ctx context.Context, ev record.Event, p record.Proposal) (record.Proposal, error) {
	if len(p.Effect) > 0 || p.Kind == record.SignedOff || !p.MovesFigure() {
		return p, nil
	}
	if err := s.checkCurrent(ctx, ev); err != nil {
		return p, err
	}
	_, i, _ := ev.Find(p.ID)
	err := s.setEffect(ctx, &ev, i)
	return ev.Proposals[i], err
}

// stale reports whether the data that a proposal's effect was calculated from has changed.
func (s *server) stale(ctx context.Context, ev record.Event, p record.Proposal) (bool, error) {
	if p.Kind == record.SignedOff || !p.MovesFigure() {
		return false, nil // the sign-off itself requires the newest revision
	}
	due, err := s.Records.HasMarks(ctx, ev.Org, ev.ID)
	if err != nil {
		return false, err
	}
	newest, err := s.resultOrNone(ctx, ev.Org, ev.ID)
	return due || len(p.Effect) == 0 || p.ContextRev != ev.ContextRev || p.ResultRevision != newest.Revision, err
}

// approveChange applies a proposal, requested by another manager than the one who made it.
func (s *server) approveChange(c *fiber.Ctx) error {
	return s.decideChange(c, "approveEventChange", func(w writes.Write, policy record.Policy, comment string, p record.Proposal, ev record.Event) error {
		if p.By.ID == w.By.ID {
			return apperr.New(apperr.SelfApprovalForbidden, "The person who proposed a change cannot approve it. A second manager must decide.")
		}
		if p.Kind == record.SignedOff {
			return s.approveSignOff(c, w, policy, p, ev)
		}
		p, err := s.assessed(c.UserContext(), ev, p)
		if err != nil {
			return err
		}
		if stale, err := s.stale(c.UserContext(), ev, p); err != nil || stale {
			if err == nil {
				err = staleProposal()
			}
			return err
		}
		applied, err := s.decided(c, w, record.EventRequest{
			Action: record.ChangeApproved, Comment: comment, FourEyes: true, PolicyRev: policy.Rev, Gate: record.GateOpen, AnyGate: !p.MovesFigure(),
		}, p, func(e *record.Event) error {
			if p.MovesFigure() && e.ContextRev != p.ContextRev {
				return staleProposal()
			}
			return e.ApplyChanges(p.Changed)
		})
		if err != nil {
			return teams.Conceal(c, s.Records, err)
		}
		if applied.Mark != "" && !w.Rehearsal {
			s.Bulk.Notify(c.UserContext(), applied.Org, applied.ID)
		}
		if applied.Deleted {
			return web.OK(c, fiber.Map{"_id": applied.ID, "deleted": true})
		}
		return web.OK(c, applied)
	})
}

func staleProposal() error {
	return apperr.New(apperr.ProposalStale, "The event or its figure has changed since the effect of this change was calculated. Calculate it again (POST …/assess) before you decide.")
}

// rejectChange closes a proposal. Its author may do so too.
func (s *server) rejectChange(c *fiber.Ctx) error {
	return s.decideChange(c, "rejectEventChange", func(w writes.Write, policy record.Policy, comment string, p record.Proposal, _ record.Event) error {
		left, err := s.decided(c, w, record.EventRequest{
			Action: record.ChangeRejected, Comment: comment, FourEyes: policy.FourEyes, PolicyRev: policy.Rev, AnyGate: true,
		}, p, func(*record.Event) error { return nil })
		if err != nil {
			return err
		}
		return web.OK(c, left)
	})
}

// decideChange reads the subject of the decision that an operation makes.
func (s *server) decideChange(c *fiber.Ctx, operation string, decide func(w writes.Write, policy record.Policy, comment string, p record.Proposal, ev record.Event) error) error {
	comment, err := readDecision(c, false)
	if err != nil {
		return err
	}
	w, err := s.begin(c, operation)
	if err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	p, _, ok := ev.Find(c.Params("changeId"))
	if !ok {
		return noSuchChange()
	}
	if !teams.Decides(c) && (p.MovesFigure() || !web.PrincipalOf(c).Role.Holds(identity.Admin)) {
		return apperr.New(apperr.Forbidden, "Only the reviewers in the team of this event can decide on this change.")
	}
	policy, err := w.Workflow.Policy(c.UserContext(), w.Org)
	if err != nil {
		return err
	}
	return decide(w, policy, comment, p, ev)
}

func noSuchChange() error {
	return apperr.New(apperr.ProposalNotFound, "There is no such open change. It may have been decided already.")
}

// decided removes a proposal from the event and makes its change, in one write.
func (s *server) decided(c *fiber.Ctx, w writes.Write, req record.EventRequest, p record.Proposal, change func(e *record.Event) error) (record.Event, error) {
	return s.changed(c, w, req, p, func(e *record.Event, i int) error {
		e.Proposals = e.WithoutProposal(i)
		return change(e)
	})
}

// changed makes a change of the event concerning its i-th proposal.
func (s *server) changed(c *fiber.Ctx, w writes.Write, req record.EventRequest, p record.Proposal, change func(e *record.Event, i int) error) (record.Event, error) {
	req.Org, req.ID, req.By, req.Proposal = w.Org, teams.EventID(c), w.By, p.ID
	tags, conditional := web.IfMatch(c)
	req.Change = func(e *record.Event) error {
		_, i, ok := e.Find(p.ID)
		if !ok {
			return noSuchChange()
		}
		if conditional && !record.MatchEvent(tags, *e) {
			return record.EventMoved()
		}
		return change(e, i)
	}
	e, err := w.EventFlow().Apply(c.UserContext(), req)
	if err != nil {
		return e, err
	}
	c.Set(fiber.HeaderETag, e.ETag())
	if w.Rehearsal {
		return e, nil
	}
	return e, writes.AuditEvent(c, e)
}

// proposeSignOff stores a sign-off as a proposal for a second manager, once.
func (s *server) proposeSignOff(c *fiber.Ctx, w writes.Write, policy record.Policy, ev record.Event, revision int64, statement string) error {
	body, err := json.Marshal(fiber.Map{"revision": revision, "statement": statement})
	if err != nil {
		return fmt.Errorf("sign off: %w", err)
	}
	p := record.Proposal{
		ID: w.Request.NewID(0), Kind: record.SignedOff, By: w.By, At: s.Now().UTC().Truncate(time.Millisecond), Comment: statement,
		Body: body, ContextRev: ev.ContextRev, ResultRevision: revision,
	}
	e, err := w.EventFlow().Apply(c.UserContext(), record.EventRequest{
		Org: w.Org, ID: ev.ID, Action: record.ChangeProposed, By: w.By, Comment: statement, Proposal: p.ID, FourEyes: true, PolicyRev: policy.Rev, Gate: record.GateOpen,
		Change: func(e *record.Event) error {
			if open, ok := e.Pending(p); ok {
				p = open
				return record.ErrUnchanged
			}
			return e.AddProposal(p)
		},
	})
	if err != nil {
		return err
	}
	if err := writes.AuditEvent(c, e); err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, e.ETag())
	return web.Answer(c, fiber.StatusAccepted, fiber.Map{"change": p})
}

// approveSignOff begins a proposed sign-off, in the name of the second manager.
func (s *server) approveSignOff(c *fiber.Ctx, w writes.Write, policy record.Policy, p record.Proposal, ev record.Event) error {
	list, err := s.checklist(c.UserContext(), ev)
	if err != nil {
		return err
	}
	list.OpenChanges-- // not itself
	if err := list.signable(p.ResultRevision); err != nil {
		return staleProposal()
	}
	if w.Rehearsal {
		return web.OK(c, fiber.Map{"checklist": list})
	}
	return s.beginSignOff(c, w, ev, signoff.Request{
		Revision: p.ResultRevision, Statement: p.Comment, By: w.By, FourEyes: true, PolicyRev: policy.Rev, Proposal: p.ID,
	}, list)
}
