package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// An independent implementation of the workflow, written from the contract's table
// only, against which the responses of the product are compared.

// person is a caller.
type person struct {
	caller *caller
	org    *refOrg
	id     string
	name   string
	role   string
}

func (p *person) rank() int {
	return slices.Index([]string{"none", "user", "manager", "admin"}, p.role)
}

// refOrg is an organization with its policy.
type refOrg struct {
	admin    *person
	fourEyes bool
	// approvesSmall means that a record below a kilogram is approved by policy, unless
	// all are spot-checked.
	approvesSmall, checksAll bool
	event                    string
	records                  []*refRecord // in the order of creation, deleted ones too
}

// refRecord is the expected state of a record.
type refRecord struct {
	org                                               *refOrg
	id                                                string
	status                                            string
	revision                                          int
	weightKg                                          int
	creator, editor, submitter, submittedBy, reviewer *person
	comment                                           string
	deleted                                           bool
	history                                           []refLine // oldest first
}

type refLine struct{ action, from, to, by, role, comment string }

// refMove is a row of the table.
type refMove struct {
	name    string
	from    []string
	to      string // empty: unchanged
	rank    int
	owner   bool // a user only on their own record
	comment bool // a comment is required
}

const policyComment = "Approved by the organization's policy: less than 1 kg CO2e."

func refMoves() []refMove {
	open, waiting, closed := []string{"unsubmitted", "changes_requested"}, []string{"submitted", "in_review"}, []string{"approved", "rejected"}
	return []refMove{
		{"edit", open, "", 1, true, false},
		{"delete", open, "", 1, true, false},
		{"submit", open, "submitted", 1, false, false},
		{"withdraw", []string{"submitted"}, "unsubmitted", 1, true, false},
		{"review", []string{"submitted"}, "in_review", 2, false, false},
		{"approve", waiting, "approved", 2, false, false},
		{"request-changes", waiting, "changes_requested", 2, false, true},
		{"reject", waiting, "rejected", 2, false, true},
		{"reopen", closed, "changes_requested", 2, false, true},
	}
}

func refMoveOf(name string) refMove {
	all := refMoves()
	return all[slices.IndexFunc(all, func(m refMove) bool { return m.name == name })]
}

// verdict is the expected response to a request.
type verdict struct {
	status  int
	code    string
	state   string   // of a 409: the record's
	allowed []string // of a 409: the caller's allowed moves
}

func (v verdict) String() string {
	if v.code == "" {
		return fmt.Sprint(v.status)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %v", v.status, v.code, v.state, v.allowed))
}

// judgeMove returns how a move is answered. r is nil if there is no such record;
// matches is false if If-Match names an older revision.
func judgeMove(m refMove, by *person, event string, r *refRecord, comment string, matches bool) verdict {
	switch {
	case by.rank() < m.rank:
		return verdict{status: http.StatusForbidden, code: "FORBIDDEN"}
	case m.comment && comment == "":
		return verdict{status: http.StatusBadRequest, code: "VALIDATION_ERROR"}
	case event != by.org.event:
		return verdict{status: http.StatusNotFound, code: "EVENT_NOT_FOUND"}
	}
	return judgeRecord(m, by, r, matches)
}

func judgeRecord(m refMove, by *person, r *refRecord, matches bool) verdict {
	switch {
	case r == nil || r.deleted || r.org != by.org:
		return verdict{status: http.StatusNotFound, code: "RECORD_NOT_FOUND"}
	case !mayOwn(m, by, r):
		return verdict{status: http.StatusForbidden, code: "FORBIDDEN"}
	case selfApproval(m, by, r):
		return verdict{status: http.StatusForbidden, code: "SELF_APPROVAL_FORBIDDEN"}
	case !matches:
		return verdict{status: http.StatusPreconditionFailed, code: "PRECONDITION_FAILED"}
	case !slices.Contains(m.from, r.status):
		v := verdict{status: http.StatusConflict, code: "INVALID_TRANSITION", state: r.status}
		if m.name == "edit" || m.name == "delete" {
			v.code = "RECORD_LOCKED"
		}
		for _, other := range refMoves() {
			if by.rank() >= other.rank && mayOwn(other, by, r) && !selfApproval(other, by, r) && slices.Contains(other.from, r.status) {
				v.allowed = append(v.allowed, other.name)
			}
		}
		return v
	}
	return verdict{status: http.StatusOK}
}

func mayOwn(m refMove, by *person, r *refRecord) bool {
	return !m.owner || by.rank() >= 2 || r.creator == by
}

func selfApproval(m refMove, by *person, r *refRecord) bool {
	return m.name == "approve" && r.org.fourEyes && r.touchedBy(by)
}

// touchedBy reports whether a person created the record, edited it last, or edited or
// submitted it since it was approved last.
func (r *refRecord) touchedBy(p *person) bool {
	for _, line := range slices.Backward(r.history) {
		if line.action == "approve" || line.action == "auto-approve" {
			break
		}
		if line.by == p.id && (line.action == "edit" || line.action == "submit") {
			return true
		}
	}
	return r.creator == p || r.editor == p || r.submitter == p
}

// create returns the expected new record.
func create(by *person, weightKg int) *refRecord {
	return &refRecord{
		org: by.org, status: "unsubmitted", revision: 1, weightKg: weightKg, creator: by, editor: by,
		history: []refLine{{"create", "", "unsubmitted", by.id, by.role, ""}},
	}
}

// after returns the record after a move that was judged valid.
func (r *refRecord) after(m refMove, by *person, comment string, weightKg int) *refRecord {
	next := *r
	if m.name == "edit" && weightKg == r.weightKg {
		return &next // an edit without a difference makes no revision, entry or last editor
	}
	next.history = slices.Clone(r.history)
	next.step(m.name, m.to, by, comment)
	switch m.name {
	case "edit":
		next.weightKg, next.editor = weightKg, by
	case "delete":
		next.deleted = true
	case "submit":
		next.submitter, next.submittedBy, next.reviewer, next.comment = by, by, nil, ""
		if o := r.org; o.approvesSmall && !o.checksAll && next.weightKg == 1 && !next.sentBack() && (!o.fourEyes || !next.touchedBy(o.admin) && !next.everApproved()) {
			next.step("auto-approve", "approved", o.admin, policyComment)
			next.reviewer, next.comment = o.admin, policyComment
		}
	case "withdraw":
		next.submitter, next.submittedBy = nil, nil
	default:
		next.reviewer, next.comment = by, comment
	}
	return &next
}

// sentBack reports whether a person has sent the record back and none has approved it since: the policy does not
// overrule a reviewer.
func (r *refRecord) sentBack() bool {
	for _, line := range slices.Backward(r.history) {
		switch line.action {
		case "approve":
			return false
		case "request-changes", "reject":
			return true
		}
	}
	return false
}

// everApproved reports whether a person or the policy has approved the record before:
// under four eyes the policy does not approve it again.
func (r *refRecord) everApproved() bool {
	return slices.ContainsFunc(r.history, func(l refLine) bool { return l.to == "approved" })
}

func (r *refRecord) step(action, to string, by *person, comment string) {
	if to == "" {
		to = r.status
	}
	r.history = append(r.history, refLine{action, r.status, to, by.id, by.role, comment})
	r.status = to
	r.revision++
}

// milligrams returns the footprint of so many kilograms of mixed waste in a landfill:
// 520.58023 kg CO2e per tonne, each record rounded to a whole milligram.
func (r *refRecord) milligrams() int64 { return (int64(r.weightKg)*52_058_023 + 50) / 100 }

func kilograms(milligrams int64) string {
	return fmt.Sprintf("%d.%06d", milligrams/1_000_000, milligrams%1_000_000)
}

// total returns the total of an organization's records in these states, and their
// number.
func (o *refOrg) total(states ...string) (kg string, n int) {
	var sum int64
	for _, r := range o.records {
		if !r.deleted && slices.Contains(states, r.status) {
			sum += r.milligrams()
			n++
		}
	}
	return kilograms(sum), n
}

// live returns the records that are not deleted and that keep selects, newest first.
func (o *refOrg) live(keep func(*refRecord) bool) []string {
	ids := []string{}
	for _, r := range slices.Backward(o.records) {
		if !r.deleted && keep(r) {
			ids = append(ids, r.id)
		}
	}
	return ids
}
