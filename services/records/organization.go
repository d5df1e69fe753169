package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/timestamp"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

const maxName = 200

type organizationView struct {
	ID    record.OrgID `json:"_id"`
	Name  string       `json:"name"`
	Plan  string       `json:"plan"`
	Quota quotaView    `json:"eventQuota"`
	// Limits are the other limits of the plan. Their usage is not shown, because it includes
	// records of events that the caller may not see.
	Limits settings.Limits `json:"planLimits"`
	Policy record.Policy   `json:"policy"`
	// Pending is a policy change that waits for a second administrator.
	Pending *pendingPolicy `json:"pendingPolicy,omitempty"`
}

type pendingPolicy struct {
	FourEyes bool `json:"fourEyes"`
	// RequireReason is false if reasons would no longer be required, otherwise absent.
	RequireReason *bool `json:"requireReason,omitempty"`
	// AutoApproveBelowKg and SpotCheckOneIn are present if they would change.
	AutoApproveBelowKg json.Number  `json:"autoApproveBelowKg,omitempty"`
	SpotCheckOneIn     int64        `json:"spotCheckOneIn,omitempty"`
	ProposedBy         record.Actor `json:"proposedBy"`
	ProposedAt         string       `json:"proposedAt"`
}

// quotaView has null for values that an unlimited plan lacks.
type quotaView struct {
	Limit *int64 `json:"limit"`
	Used  int64  `json:"used"`
	Left  *int64 `json:"left"`
}

// organization answers with the caller's own organization.
func (s *server) organization(c *fiber.Ctx) error {
	o, err := s.Store.Organization(c.UserContext(), teams.Org(c))
	if err != nil {
		return err
	}
	return s.answerOrganization(c, fiber.StatusOK, o)
}

func (s *server) answerOrganization(c *fiber.Ctx, status int, o record.Organization) error {
	used, err := s.Store.UsedSlots(c.UserContext(), o.ID)
	if err != nil {
		return err
	}
	view := organizationView{ID: o.ID, Name: o.Name, Plan: o.Plan, Limits: s.Limits[o.Plan], Policy: o.Policy, Quota: quotaOf(s.Quotas, o.Plan, used)}
	if p := o.Pending; p != nil {
		view.Pending = &pendingPolicy{FourEyes: p.FourEyes, AutoApproveBelowKg: json.Number(p.AutoApproveBelowKg), SpotCheckOneIn: p.SpotCheckOneIn,
			ProposedBy: p.By, ProposedAt: timestamp.Format(p.At)}
		if p.NoReason {
			view.Pending.RequireReason = new(false)
		}
	}
	return web.Answer(c, status, view)
}

// ownOrganization is an organization of which the caller is a member.
type ownOrganization struct {
	ID    record.OrgID  `json:"_id"`
	Name  string        `json:"name"`
	Role  identity.Role `json:"role"`
	State string        `json:"state"`
}

// organizations lists the memberships of the calling person, with names.
func (s *server) organizations(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	token, _ := web.BearerToken(c)
	own, err := s.Members.Own(identity.WithToken(c.UserContext(), token), string(teams.Org(c)), web.PrincipalOf(c).UserID)
	if err != nil {
		return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
			Message: "Your memberships cannot be read right now. Please try again in a moment."}).Because(err)
	}
	total := int64(len(own))
	from, to := page.Within(total)
	own = own[from:to]
	items := make([]ownOrganization, len(own))
	for i, m := range own {
		items[i] = ownOrganization{ID: record.OrgID(m.Organization), Role: m.Role, State: m.State}
		o, err := s.Store.Organization(c.UserContext(), items[i].ID)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return err
		}
		items[i].Name = o.Name
	}
	return web.OK(c, web.NewList(items, page, total))
}

// editOrganization changes the name and the policy of the caller's organization. Its
// administrators cannot change the plan.
func (s *server) editOrganization(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	readOrganization(r, &record.Organization{}, record.Actor{})
	if err := web.Finish(c, r); err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	for range editAttempts {
		o, err := w.Store.Organization(c.UserContext(), w.Org)
		if err != nil {
			return err
		}
		if done, ok := o.DoneBy(w.Request.Once()); ok {
			// An earlier attempt of this request has made the change. Its audit entry may be
			// missing; an existing one is not repeated.
			if err := attachChange(c, o.ID, done, w.By); err != nil {
				return err
			}
			return s.answerOrganization(c, done.Status, o)
		}
		was := o
		readOrganization(r, &o, w.By)
		if o.Policy != was.Policy {
			if err := was.CheckPolicies(s.now()); err != nil {
				return err
			}
		}
		status := s.governPolicy(was, &o, w.By)
		o.Rev++
		done := record.ChangeRequest{Once: w.Request.Once(), Status: status, Rev: o.Rev}
		if done.Before, done.After = changesOf(was, o); w.Request.Keyed() {
			o.Did(done)
		}
		if done.Before != done.After {
			if err := enterOwed(c, w, was); err != nil {
				return err
			}
			o.Owe(record.OwedChange{Action: audit.Organization, Rev: o.Rev, By: w.By.ID, Before: done.Before, After: done.After})
		}
		if err := record.ArchivePolicies(c.UserContext(), w.Store, &o); err != nil {
			return err
		}
		err = w.Store.ReplaceOrganization(c.UserContext(), o, was.Rev)
		if errors.Is(err, record.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		if !w.Rehearsal {
			if err := attachChange(c, o.ID, done, w.By); err != nil {
				return err
			}
		}
		return s.answerOrganization(c, status, o)
	}
	return apperr.Overtaken("organization")
}

// attachChange reports a change of an organization for the audit log. Where that fails, the next change enters it.
func attachChange(c *fiber.Ctx, org record.OrgID, done record.ChangeRequest, by record.Actor) error {
	if done.Before == done.After {
		return nil
	}
	return audit.Attach(c, changeNote(org, record.OwedChange{Action: audit.Organization, Rev: done.Rev, By: by.ID, Before: done.Before, After: done.After}))
}

// changeNote returns the audit note of a change of an organization. Reported again, it is entered once.
func changeNote(org record.OrgID, o record.OwedChange) audit.Note {
	n := audit.Note{Action: o.Action, Actor: o.By, Subject: string(org), Before: o.Before, After: o.After}
	if o.Rev > 0 {
		n.ID = strconv.FormatInt(o.Rev, 10)
	}
	return n
}

// enterOwed enters the change of an organization before another one takes its place, see record.OwedChange.
func enterOwed(c *fiber.Ctx, w writes.Write, was record.Organization) error {
	owed, ok := was.OwedBy(audit.Organization)
	if !ok || w.Enter == nil {
		return nil
	}
	return w.Enter(c.UserContext(), changeNote(was.ID, owed))
}

// pendingFor is how long a policy change waits for a second administrator.
const pendingFor = 7 * 24 * time.Hour

// governPolicy records the history of the policy. Disabling four-eyes control, and less strict
// rules under it (record.LooseningOf), require a second administrator to make the same request:
// the first one only stores the pending change, and is answered 202.
func (s *server) governPolicy(was record.Organization, o *record.Organization, by record.Actor) (status int) {
	now := s.now()
	if loosening, ok := record.LooseningOf(was.Policy, o.Policy); ok {
		p := was.Pending
		if p == nil || p.By.ID == by.ID || now.Sub(p.At) > pendingFor || p.Loosening != loosening {
			*o = was
			o.Pending = &record.PolicyProposal{By: by, At: now, Loosening: loosening}
			return fiber.StatusAccepted
		}
		proposed := p.By
		o.Pending = nil
		o.SetPolicy(o.Policy, was.Rev+1, proposed, &by, now)
		return fiber.StatusOK
	}
	if o.Policy != was.Policy {
		policy := o.Policy
		o.Policy, o.Pending = was.Policy, nil
		o.SetPolicy(policy, was.Rev+1, by, nil, now)
	}
	return fiber.StatusOK
}

// changesOf describes a change of an organization for the audit log.
func changesOf(was, is record.Organization) (before, after string) {
	var b, a []string
	add := func(name, from, to string) {
		if from != to {
			b, a = append(b, name+" "+from), append(a, name+" "+to)
		}
	}
	add("fourEyes", strconv.FormatBool(was.Policy.FourEyes), strconv.FormatBool(is.Policy.FourEyes))
	add("requireReason", strconv.FormatBool(was.Policy.RequireReason), strconv.FormatBool(is.Policy.RequireReason))
	add("fourEyesOffProposed", strconv.FormatBool(offProposed(was)), strconv.FormatBool(offProposed(is)))
	add("reasonOffProposed", strconv.FormatBool(reasonOffProposed(was)), strconv.FormatBool(reasonOffProposed(is)))
	add("autoApprovalProposed", autoProposed(was), autoProposed(is))
	add("autoApproveBelowKg", was.Policy.AutoApprove.BelowKg.String(), is.Policy.AutoApprove.BelowKg.String())
	add("spotCheckOneIn", strconv.FormatInt(was.Policy.AutoApprove.SpotCheckOneIn, 10), strconv.FormatInt(is.Policy.AutoApprove.SpotCheckOneIn, 10))
	return strings.Join(b, ", "), strings.Join(a, ", ")
}

func offProposed(o record.Organization) bool { return o.Pending != nil && !o.Pending.FourEyes }

func reasonOffProposed(o record.Organization) bool { return o.Pending != nil && o.Pending.NoReason }

// autoProposed returns the automatic approval that waits for a second administrator, or "none".
func autoProposed(o record.Organization) string {
	if o.Pending == nil || o.Pending.AutoApproveBelowKg == "" {
		return "none"
	}
	return fmt.Sprintf("below %s kg, one in %d checked", o.Pending.AutoApproveBelowKg, o.Pending.SpotCheckOneIn)
}

// readOrganization reads a change into o. The errors are in r; a body without errors may be
// read again.
func readOrganization(r *fields.Reader, o *record.Organization, by record.Actor) {
	r.ServerOwned("_id", "plan", "eventQuota", "planLimits", "pendingPolicy")
	if r.IsNull("name") {
		r.Fault(apperr.Detail{Field: "name", Code: fields.Required, Message: "name is required: an organization must have a name."})
	} else if name, ok := r.String("name", 1, maxName); ok {
		o.Name = name
	}
	if r.IsNull("policy") {
		o.Policy = record.Policy{Rev: o.Policy.Rev}
	} else if policy, ok := r.Object("policy"); ok {
		if policy.IsNull("fourEyes") {
			o.Policy.FourEyes = false
		} else if v, ok := policy.Bool("fourEyes"); ok {
			o.Policy.FourEyes = v
		}
		if policy.IsNull("requireReason") {
			o.Policy.RequireReason = false
		} else if v, ok := policy.Bool("requireReason"); ok {
			o.Policy.RequireReason = v
		}
		readAutoApproval(policy, &o.Policy.AutoApprove, by)
	}
}

// Limits of automatic approval.
const (
	maxAutoApproveKg = 1_000_000
	maxSpotCheck     = 1_000_000
)

// readAutoApproval reads a change of the automatic approval. It will approve in the name of
// whoever changes it.
func readAutoApproval(r *fields.Reader, a *record.AutoApproval, by record.Actor) {
	before := *a
	if r.IsNull("autoApproveBelowKg") {
		a.BelowKg = decimal.Decimal{}
	} else if v, ok := r.Decimal("autoApproveBelowKg", decimal.Decimal{}, decimal.FromInt(maxAutoApproveKg)); ok {
		a.BelowKg = v
	}
	if r.IsNull("spotCheckOneIn") {
		a.SpotCheckOneIn = 0
	} else if v, ok := r.Integer("spotCheckOneIn", 1, maxSpotCheck); ok {
		a.SpotCheckOneIn = v
	}
	switch {
	case !a.On():
		*a = record.AutoApproval{}
	case a.BelowKg != before.BelowKg || a.SpotCheckOneIn != before.SpotCheckOneIn:
		a.By = by
	}
}

func quotaOf(quotas settings.Quotas, plan string, used int64) quotaView {
	view := quotaView{Used: used}
	if limit, ok := quotas[plan]; ok && limit != record.Unlimited {
		left := max(0, limit-used)
		view.Limit, view.Left = &limit, &left
	}
	return view
}
