package record

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
)

// Move is something one does to a record. Its value is the name in histories,
// in paths and in the `allowed` of a refusal.
type Move string

// The moves of the workflow.
const (
	Create         Move = "create"
	Edit           Move = "edit"
	Delete         Move = "delete"
	Submit         Move = "submit"
	Withdraw       Move = "withdraw"
	Review         Move = "review"
	Approve        Move = "approve"
	RequestChanges Move = "request-changes"
	Reject         Move = "reject"
	Reopen         Move = "reopen"
	// AutoApprove is made by an organization's policy and cannot be requested.
	AutoApprove Move = "auto-approve"
)

// rule is one line of the table of moves.
type rule struct {
	move Move
	from []Status
	// to is the state after the move; empty: the state stays.
	to   Status
	role identity.Role // required role
	// owner: below this role only the record's creator may (RoleNone: anyone
	// with role).
	owner identity.Role
	// comment the move must carry.
	comment bool
	// policy marks the move that only a policy makes.
	policy bool
	// change marks edit and delete, which answer RECORD_LOCKED, not
	// INVALID_TRANSITION, in a state they are not for.
	change bool
}

// rules is the whole workflow. It is a function, not a variable, so that it cannot be modified.
func rules() []rule {
	return []rule{
		{move: Edit, from: []Status{Unsubmitted, ChangesRequested}, role: identity.User, owner: identity.Manager, change: true},
		{move: Delete, from: []Status{Unsubmitted, ChangesRequested}, role: identity.User, owner: identity.Manager, change: true},
		{move: Submit, from: []Status{Unsubmitted, ChangesRequested}, to: Submitted, role: identity.User},
		{move: Withdraw, from: []Status{Submitted}, to: Unsubmitted, role: identity.User, owner: identity.Manager},
		{move: Review, from: []Status{Submitted}, to: InReview, role: identity.Manager},
		{move: Approve, from: []Status{Submitted, InReview}, to: Approved, role: identity.Manager},
		{move: AutoApprove, from: []Status{Submitted}, to: Approved, role: identity.Admin, policy: true},
		{move: RequestChanges, from: []Status{Submitted, InReview}, to: ChangesRequested, role: identity.Manager, comment: true},
		{move: Reject, from: []Status{Submitted, InReview}, to: Rejected, role: identity.Manager, comment: true},
		{move: Reopen, from: []Status{Approved, Rejected}, to: ChangesRequested, role: identity.Manager, comment: true},
	}
}

func ruleOf(m Move) (rule, bool) {
	for _, r := range rules() {
		if r.move == m {
			return r, true
		}
	}
	return rule{}, false
}

// NextState returns the state after a transition, and whether the transition is
// permitted in the given state.
func NextState(m Move, from Status) (Status, bool) {
	r, ok := ruleOf(m)
	if !ok || !slices.Contains(r.from, from) {
		return "", false
	}
	if r.to == "" {
		return from, true
	}
	return r.to, true
}

// decides reports whether the move is a decision about a record, or reverses one: its entry states the policy in
// force.
func (r rule) decides() bool { return r.role.Holds(identity.Manager) && r.move != Review }

// Entitled reports whether a role may make a decision; it is true for every transition that is not a decision.
func Entitled(m Move, role identity.Role) bool {
	r, ok := ruleOf(m)
	return !ok || !r.role.Holds(identity.Manager) || role.Holds(r.role)
}

// AllowedMoves lists the transitions that a caller can make, according to the record's
// state, the caller's role, its author and, under four-eyes control, who edited
// it last; earlier editors are in its history.
func AllowedMoves(r Record, by Actor, fourEyes bool) []Move {
	var moves []Move
	for _, rule := range rules() {
		if !rule.policy && slices.Contains(rule.from, r.Status) && rule.forbids(r, by, fourEyes) == nil {
			moves = append(moves, rule.move)
		}
	}
	return moves
}

// forbids returns the error of a move that is not permitted to this caller in any state.
func (r rule) forbids(before Record, by Actor, fourEyes bool) error {
	switch {
	case !by.Role.Holds(r.role):
		return apperr.New(apperr.Forbidden, "This requires the role %s.", r.role)
	case !by.Role.Holds(r.owner) && before.CreatedBy.ID != by.ID:
		return apperr.New(apperr.Forbidden, "Only the person who created the record, or a %s, may do this.", r.owner)
	case fourEyes && r.to == Approved && involved(before, by.ID):
		return selfApproval()
	}
	return nil
}

func selfApproval() error {
	return apperr.New(apperr.SelfApprovalForbidden,
		"Your organization requires four-eyes approval: the person who created, edited or submitted a record cannot approve it.")
}
