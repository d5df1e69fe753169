package record

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// System is the actor of changes without a person: the service itself.
func System() Actor { return Actor{ID: "system", Name: "System"} }

// PolicyEntry is one state of an organization's policy. A bundle carries the
// list of them, so that a reader can tell under which policy a decision was made.
type PolicyEntry struct {
	Rev                int64     `json:"revision"`
	At                 time.Time `json:"at"`
	By                 Actor     `json:"by"`
	FourEyes           bool      `json:"fourEyes"`
	RequireReason      bool      `json:"requireReason"`
	AutoApproveBelowKg string    `json:"autoApproveBelowKg,omitempty"`
	SpotCheckOneIn     int64     `json:"spotCheckOneIn,omitempty"`
	// ConfirmedBy is the second administrator, where one was needed.
	ConfirmedBy *Actor `json:"confirmedBy,omitempty"`
}

// PolicyProposal is a change of the policy that waits for a second
// administrator.
type PolicyProposal struct {
	By Actor     `json:"proposedBy"`
	At time.Time `json:"proposedAt"`
	Loosening
}

// PolicyLog is the newer part of the history of an organization's policy, see
// Policies. Its JSON is the stored form.
type PolicyLog struct {
	Policies []PolicyEntry `json:"policies,omitempty"` // oldest first
	// Pending is the change that waits for confirmation; one that keeps four-eyes control is stored separately
	// (policyJSON).
	Pending *PolicyProposal `json:"pending,omitempty"`
	// Requests are the last changes by requests with an idempotency key, oldest first, so that a repeated request
	// finds its result.
	Requests []ChangeRequest `json:"requests,omitempty"`
	// Owed are the newest change of the policy and that of the plan: the audit log may not have them yet, because the
	// process that made them may have ended before it entered them.
	Owed []OwedChange `json:"owed,omitempty"`
}

// OwedChange is a change of an organization as the audit log has it.
type OwedChange struct {
	Action string `json:"action"`
	Rev    int64  `json:"rev"`          // of the organization after the change
	By     string `json:"by,omitempty"` // the user; empty for an operator
	Before string `json:"before,omitempty"`
	After  string `json:"after"`
}

// Owe notes a change in place of the one before it by the same action, which the audit log must have.
func (l *PolicyLog) Owe(c OwedChange) {
	others := slices.DeleteFunc(slices.Clone(l.Owed), func(o OwedChange) bool { return o.Action == c.Action })
	l.Owed = append(others, c)
}

// OwedBy returns the newest change by an action; false where there is none, or it is older than this record of them.
func (l *PolicyLog) OwedBy(action string) (OwedChange, bool) {
	i := slices.IndexFunc(l.Owed, func(o OwedChange) bool { return o.Action == action })
	if i < 0 {
		return OwedChange{}, false
	}
	return l.Owed[i], true
}

// ChangeRequest is what a request has changed of an organization.
type ChangeRequest struct {
	Once   string `json:"once"` // the name of the request
	Status int    `json:"status"`
	// Before and After are for the audit log.
	Before string `json:"before"`
	After  string `json:"after"`
	// Rev is the revision of the organization after the change; 0 if an older release made it.
	Rev int64 `json:"rev,omitempty"`
}

// keptRequests is how many changes an organization's document names requests of.
const keptRequests = 8

// Did notes what a request has done.
func (l *PolicyLog) Did(r ChangeRequest) {
	l.Requests = append(slices.Clone(l.Requests), r)
	l.Requests = l.Requests[max(0, len(l.Requests)-keptRequests):]
}

// DoneBy returns what a request has done; false where it has done nothing, or is none
// of the last.
func (l *PolicyLog) DoneBy(once string) (ChangeRequest, bool) {
	i := slices.IndexFunc(l.Requests, func(r ChangeRequest) bool { return r.Once == once })
	if i < 0 || once == "" {
		return ChangeRequest{}, false
	}
	return l.Requests[i], true
}

// policyJSON is the stored form of later additions to the policy.
type policyJSON struct {
	RequireReason bool  `json:"requireReason"`
	Rev           int64 `json:"rev"`
	// Loosens is PolicyLog.Pending if that keeps four-eyes control. Older versions, which know only proposals to
	// switch it off, must not mistake it for one.
	Loosens *PolicyProposal `json:"pendingLoosening,omitempty"`
	PolicyLog
}

// EncodePolicy returns the stored form of the policy's newer parts and its log.
func (o Organization) EncodePolicy() (string, error) {
	p := policyJSON{RequireReason: o.Policy.RequireReason, Rev: o.Policy.Rev, PolicyLog: o.PolicyLog}
	if p.Pending != nil && p.Pending.FourEyes {
		p.Loosens, p.Pending = p.Pending, nil
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// DecodePolicy reads what EncodePolicy wrote; nothing from an empty string.
func (o *Organization) DecodePolicy(text string) error {
	if text == "" {
		return nil
	}
	var p policyJSON
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	if p.Pending == nil {
		p.Pending = p.Loosens
	}
	o.Policy.RequireReason, o.Policy.Rev, o.PolicyLog = p.RequireReason, p.Rev, p.PolicyLog
	return nil
}

// KeptPolicies is how many states of its policy, the newest, an organization's
// document keeps. Older ones are stored apart, so that their number has no bound.
const KeptPolicies = 32

// PoliciesADay bounds how often a policy is changed within 24 hours. It is less than
// KeptPolicies, so that the document alone tells how often that was.
const PoliciesADay = 30

// Policies are the states of an organization's policy that its document no longer
// keeps. They are never changed: decisions name theirs.
type Policies interface {
	// InsertPolicies stores states under (organization, Rev). It succeeds if a state exists.
	InsertPolicies(ctx context.Context, org OrgID, states []PolicyEntry) error
	// PoliciesAfter reads up to limit stored states with Rev above after, ascending.
	PoliciesAfter(ctx context.Context, org OrgID, after int64, limit int) ([]PolicyEntry, error)
}

// CheckPolicies returns an error for the client where the policy has been changed as
// often as it may be within a day.
func (o Organization) CheckPolicies(now time.Time) error {
	since := now.Add(-24 * time.Hour)
	var recent []PolicyEntry
	for _, e := range o.Policies {
		if e.Rev > 0 && e.At.After(since) {
			recent = append(recent, e)
		}
	}
	if len(recent) < PoliciesADay {
		return nil
	}
	again := recent[len(recent)-PoliciesADay].At.Add(24 * time.Hour)
	return apperr.New(apperr.InvalidTransition, "The policy of this organization has been changed %d times within 24 hours. It can be changed again after %s.", len(recent), again.UTC().Format(time.RFC3339)).
		With(apperr.Detail{Field: "policy", Code: "POLICY_LIMIT", Message: fmt.Sprintf("A policy can be changed %d times within 24 hours.", PoliciesADay)})
}

// ArchivePolicies stores the states that are more than an organization's document
// keeps, and removes them from o. A state whose organization is not replaced after
// that is in both places, which PolicyHistory expects.
func ArchivePolicies(ctx context.Context, store Policies, o *Organization) error {
	n := len(o.Policies) - KeptPolicies
	if n <= 0 {
		return nil
	}
	if err := store.InsertPolicies(ctx, o.ID, o.Policies[:n]); err != nil {
		return err
	}
	o.Policies = slices.Clone(o.Policies[n:])
	return nil
}

// policiesAtOnce is how many stored states are read at a time.
const policiesAtOnce = 500

// PolicyHistory returns all states of an organization's policy, oldest first: the
// present one alone where it was never changed.
func PolicyHistory(ctx context.Context, store Policies, o Organization) ([]PolicyEntry, error) {
	kept := o.KeptHistory()
	var all []PolicyEntry
	// The state before the first change has revision 0; nothing is stored below it.
	for after := int64(-1); ; {
		some, err := store.PoliciesAfter(ctx, o.ID, after, policiesAtOnce)
		if err != nil {
			return nil, err
		}
		for _, e := range some {
			if e.Rev < kept[0].Rev {
				all = append(all, e)
			}
		}
		if len(some) < policiesAtOnce {
			return append(all, kept...), nil
		}
		after = some[len(some)-1].Rev
	}
}

// VerifyPolicies returns what is wrong between the policy of an organization and its
// states, as PolicyHistory returns them.
func VerifyPolicies(o Organization, states []PolicyEntry) error {
	if first := states[0]; len(o.Policies) > 0 && first.Rev != 0 {
		return fmt.Errorf("its policies before revision %d are missing", first.Rev)
	}
	for i, e := range states[1:] {
		if e.Rev <= states[i].Rev {
			return fmt.Errorf("its policy of revision %d follows that of revision %d", e.Rev, states[i].Rev)
		}
	}
	newest := states[len(states)-1]
	want := entryOf(o.Policy, newest.By, newest.ConfirmedBy, newest.At)
	if newest.Rev > o.Rev || want != newest {
		return fmt.Errorf("its policy is not the one that its history ends with, of revision %d", newest.Rev)
	}
	return nil
}

// SetPolicy makes policy the organization's, as of a revision, and appends it to
// the log.
func (o *Organization) SetPolicy(policy Policy, rev int64, by Actor, confirmed *Actor, now time.Time) {
	if len(o.Policies) == 0 { // the policy that predates the log
		o.Policies = append(o.Policies, entryOf(o.Policy, System(), nil, o.CreatedAt))
	}
	policy.Rev = rev
	o.Policy = policy
	o.Policies = append(o.Policies, entryOf(policy, by, confirmed, now))
}

// KeptHistory returns the states of the policy that the organization's document has,
// oldest first: the present one alone where it was never changed.
func (o Organization) KeptHistory() []PolicyEntry {
	if len(o.Policies) == 0 {
		return []PolicyEntry{entryOf(o.Policy, System(), nil, o.CreatedAt)}
	}
	return o.Policies
}

func entryOf(p Policy, by Actor, confirmed *Actor, at time.Time) PolicyEntry {
	e := PolicyEntry{Rev: p.Rev, At: at, By: by, FourEyes: p.FourEyes, RequireReason: p.RequireReason, ConfirmedBy: confirmed}
	if a := p.AutoApprove; a.On() {
		e.AutoApproveBelowKg, e.SpotCheckOneIn = a.BelowKg.String(), a.SpotCheckOneIn
	}
	return e
}
