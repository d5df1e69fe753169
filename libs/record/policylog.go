package record

import (
	"encoding/json"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// System is who acts where no person does: the service itself.
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
// administrator: switching four eyes off.
type PolicyProposal struct {
	By Actor     `json:"proposedBy"`
	At time.Time `json:"proposedAt"`
}

// PolicyLog is the history of an organization's policy. Its JSON is the stored
// form.
type PolicyLog struct {
	Policies []PolicyEntry   `json:"policies,omitempty"` // oldest first
	Pending  *PolicyProposal `json:"pending,omitempty"`
}

// policyJSON is the stored form of what came to the policy later.
type policyJSON struct {
	RequireReason bool  `json:"requireReason"`
	Rev           int64 `json:"rev"`
	PolicyLog
}

// EncodePolicy returns the stored form of the policy's newer parts and its log.
func (o Organization) EncodePolicy() (string, error) {
	text, err := json.Marshal(policyJSON{o.Policy.RequireReason, o.Policy.Rev, o.PolicyLog})
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
	o.Policy.RequireReason, o.Policy.Rev, o.PolicyLog = p.RequireReason, p.Rev, p.PolicyLog
	return nil
}

// MaxPolicies bounds the states of an organization's policy that are kept, all of them:
// decisions name theirs.
const MaxPolicies = 500

// CheckPolicies returns an error for the client where the policy has been changed as
// often as it may be.
func (o Organization) CheckPolicies() error {
	if len(o.Policies) < MaxPolicies {
		return nil
	}
	return apperr.New(apperr.InvalidTransition, "The policy of this organization has been changed %d times, and cannot be changed again.", MaxPolicies-1).
		With(apperr.Detail{Field: "policy", Code: "POLICY_LIMIT", Message: "Every state of the policy is kept, because decisions name the one they were made under."})
}

// SetPolicy makes policy the organization's, as of a revision, and appends it to
// the log.
func (o *Organization) SetPolicy(policy Policy, rev int64, by Actor, confirmed *Actor, now time.Time) {
	if len(o.Policies) == 0 { // what applied before the log was kept
		o.Policies = append(o.Policies, entryOf(o.Policy, System(), nil, o.CreatedAt))
	}
	policy.Rev = rev
	o.Policy = policy
	o.Policies = append(o.Policies, entryOf(policy, by, confirmed, now))
}

// PolicyHistory returns the states of the policy, oldest first: the present one
// alone where it was never changed.
func (o Organization) PolicyHistory() []PolicyEntry {
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
