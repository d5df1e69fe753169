package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/timestamp"
)

// MaxComment is the maximum length of the comment of a transition, in characters.
const MaxComment = 2000

// applyAttempts bounds the attempts of a move that conflicts with concurrent writes.
const applyAttempts = 10

// Workflow applies state transitions to the records of a Store.
type Workflow struct {
	Store interface {
		Record(ctx context.Context, org OrgID, key Key) (Record, error)
		InsertRecord(ctx context.Context, org OrgID, r Record) (Record, error)
		ReplaceRecord(ctx context.Context, org OrgID, r Record, prevRev int64) error
		InsertEntry(ctx context.Context, org OrgID, event EventID, id ID, e Entry) error
		References
	}
	// History reads the older entries of a record, and records that were deleted.
	// Requests with Once and approvals under four eyes need it.
	History interface {
		Entries(ctx context.Context, org OrgID, id ID) ([]Entry, error)
		RecordsByID(ctx context.Context, org OrgID, ids []ID) ([]Record, error)
	}
	// Policy reads the organization's policy. Apply calls it if needed:
	// before a decision, whose entry contains it, and for an error that lists the possible transitions. A nil
	// Policy is the zero one.
	Policy func(ctx context.Context, org OrgID) (Policy, error)
	// Gate reads an event so that no write acknowledged before the call is missed
	// (Gates.CurrentEvent). Moves into and out of the approved records need it;
	// a nil Gate is always open.
	Gate func(ctx context.Context, org OrgID, event EventID) (Event, error)
	// Approving records that a record of the event is about to be approved, or was approved until now
	// (Gates.SetEverApproved). It is called if the Gate returned an event without EverApproved, before the record is
	// written; nil: nothing is recorded.
	Approving func(ctx context.Context, org OrgID, event EventID) error
	// Admit is called before n new records of an event are stored; its error rejects all of them. A nil Admit accepts
	// any number.
	Admit func(ctx context.Context, org OrgID, event EventID, n int64) error
	// Now returns the time stored with a transition.
	Now func() time.Time
	// NewMark returns a new mark; see NewMark.
	NewMark func() string
}

// Request is a requested transition.
type Request struct {
	Org     OrgID
	Key     Key
	Move    Move
	By      Actor
	Comment string
	// IfMatch, when set, reports whether the record is still the one that the caller saw.
	IfMatch func(Record) bool
	// IfFigure, when set, reports whether the record's figure in its event is still the one that the caller saw. It is
	// called for approvals only, with the event that the gate returned: no other decision is about the figure.
	IfFigure func(Record, Event) bool
	// Once, if set, identifies this request: a transition that it already made is found and not repeated.
	Once string
	// Change edits the input fields and returns the names of the changed ones.
	Change func(*Record) ([]string, error)
	// Known, when set, is what the caller has already read.
	Known *Known
}

// Insert stores a new record, made by by. The caller has set the input fields;
// the workflow sets the rest.
func (w Workflow) Insert(ctx context.Context, org OrgID, r Record, by Actor) (Record, error) {
	if err := w.admit(ctx, org, r.Event, 1); err != nil {
		return Record{}, err
	}
	r = w.created(org, r, by)
	stored, err := w.Store.InsertRecord(ctx, org, r)
	switch {
	case errors.Is(err, ErrDuplicateReference):
		return Record{}, duplicateReference(ctx, w.Store, org, r)
	case err != nil:
		return Record{}, fmt.Errorf("insert record: %w", err)
	}
	return stored, nil
}

func (w Workflow) admit(ctx context.Context, org OrgID, event EventID, n int) error {
	if w.Admit == nil {
		return nil
	}
	return w.Admit(ctx, org, event, int64(n))
}

// created returns a new record as it is stored.
func (w Workflow) created(org OrgID, r Record, by Actor) Record {
	now := w.now()
	r.Org, r.Rev, r.Status = org, 1, Unsubmitted
	r.CreatedBy, r.EditedBy, r.CreatedAt, r.UpdatedAt = by, by, now, now
	r.Last = Entry{Rev: 1, Move: Create, To: Unsubmitted, By: by, At: now}.seal(r, "")
	return r
}

// Apply applies one transition: read, decide by the table, write on the condition that
// nothing changed in between. The same write sets state, flags, revision, the
// latest history entry and, if the set of counted records changes, the mark
// that requests recalculation; so a crash at any point leaves either the whole
// transition or none of it. It returns the record as written, or its current state
// if the request has already made the transition (Once).
//
// Errors for the client: RECORD_NOT_FOUND, FORBIDDEN, SELF_APPROVAL_FORBIDDEN,
// VALIDATION_ERROR (comment), PRECONDITION_FAILED, RECORD_LOCKED,
// INVALID_TRANSITION, DUPLICATE_REFERENCE, EVENT_SIGNED, and UNAVAILABLE while
// a sign-off is being made.
func (w Workflow) Apply(ctx context.Context, req Request) (Record, error) {
	r, ok := ruleOf(req.Move)
	if !ok {
		return Record{}, fmt.Errorf("apply: no such move %q", req.Move)
	}
	if err := CheckComment(req.Move, req.Comment); err != nil {
		return Record{}, err
	}
	if req.Known != nil {
		switch after, became, err := w.attempt(ctx, r, req, *req.Known); became {
		case written:
			return after, nil
		case failed:
			return Record{}, err
		}
	}
	closing := closingWait{now: w.Now}
	for attempt := 0; attempt < applyAttempts; attempt++ {
		before, err := w.Store.Record(ctx, req.Org, req.Key)
		if errors.Is(err, ErrNotFound) {
			return w.deletedBy(ctx, req)
		}
		if err != nil {
			return Record{}, fmt.Errorf("%s record: %w", req.Move, err)
		}
		after, became, err := w.attempt(ctx, r, req, Known{Record: before})
		switch became {
		case written, unchanged:
			return after, nil
		case beingSigned:
			if err := closing.wait(ctx); err != nil {
				return Record{}, err
			}
			attempt = 0
		case overtaken:
		default:
			return Record{}, err
		}
	}
	return Record{}, apperr.Overtaken("record")
}

// deletedBy returns a deleted record if this request deleted it, and RECORD_NOT_FOUND otherwise: a deletion is the
// last move of a record.
func (w Workflow) deletedBy(ctx context.Context, req Request) (Record, error) {
	if req.Move != Delete || req.Once == "" {
		return Record{}, NoSuchRecord()
	}
	gone, err := w.History.RecordsByID(ctx, req.Org, []ID{req.Key.ID})
	if err != nil {
		return Record{}, fmt.Errorf("%s record: %w", req.Move, err)
	}
	for _, r := range gone {
		if r.Key() == req.Key && r.Deleted && r.Last.Once == req.Once {
			return r, nil
		}
	}
	return Record{}, NoSuchRecord()
}

// policyFor reads the organization's policy where the decision depends on it.
func (w Workflow) policyFor(ctx context.Context, r rule, req Request, before Record) (Policy, error) {
	_, possible := NextState(req.Move, before.Status)
	refused := !possible && r.forbids(before, req.By, false) == nil
	if w.Policy == nil || !r.decides() && !refused {
		return Policy{}, nil
	}
	return w.Policy(ctx, req.Org)
}

// made reports whether the request has already made its move. It is called after every read of the record: if the
// move was not visible in it and is made before the write, the revision differs and the write fails.
func (w Workflow) made(ctx context.Context, req Request, r Record) (bool, error) {
	if req.Once == "" || r.Rev <= 1 {
		return false, nil
	}
	if r.Last.Once == req.Once {
		return true, nil
	}
	entries, err := w.History.Entries(ctx, req.Org, r.ID)
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.Once == req.Once }), err
}

// decide is the pure part of a move: it returns the record after it, or an error. own is the error, from the history,
// of a caller who may not approve the record in any state.
func (w Workflow) decide(r rule, req Request, before Record, policy Policy, own error) (Record, error) {
	if err := r.forbids(before, req.By, policy.FourEyes); err != nil {
		return Record{}, err
	}
	if own != nil && r.to == Approved {
		return Record{}, own
	}
	if req.IfMatch != nil && !req.IfMatch(before) {
		return Record{}, recordMoved()
	}
	to, ok := NextState(req.Move, before.Status)
	if !ok {
		allowed := AllowedMoves(before, req.By, policy.FourEyes)
		if own != nil {
			allowed = slices.DeleteFunc(allowed, func(m Move) bool { return m == Approve })
		}
		return Record{}, refuse(r, before, req.By, allowed)
	}
	now := w.now()
	after := before
	after.Mark = "" // keep the stored mark unless this move sets one
	after.Rev, after.Status, after.UpdatedAt = before.Rev+1, to, now
	entry := Entry{Rev: after.Rev, Move: req.Move, From: before.Status, To: to, By: req.By, At: now, Comment: req.Comment, Once: req.Once}
	if r.decides() { // needed to judge the decision
		entry.FourEyes, entry.PolicyRev = policy.FourEyes, policy.Rev
	}
	switch req.Move {
	case Edit:
		changed, err := req.Change(&after)
		if err != nil {
			return Record{}, err
		}
		entry.Changed, after.EditedBy = changed, req.By
	case Delete:
		after.Deleted = true
	case Submit:
		by := req.By
		after.SubmittedAt, after.SubmittedBy = &now, &by
		after.ReviewedAt, after.ReviewedBy, after.ReviewComment = nil, nil, ""
	case Withdraw:
		after.SubmittedAt, after.SubmittedBy = nil, nil
	case Review, Approve, AutoApprove, RequestChanges, Reject, Reopen:
		by := req.By
		after.ReviewedAt, after.ReviewedBy, after.ReviewComment = &now, &by, req.Comment
	}
	after.Last = entry.seal(after, before.Last.Hash)
	if (before.Status == Approved) != (after.Status == Approved) {
		after.Mark = w.NewMark()
	}
	return after, nil
}

func (w Workflow) now() time.Time { return w.Now().UTC().Truncate(time.Millisecond) }

func recordMoved() error {
	return apperr.New(apperr.PreconditionFailed, "The record has changed since you read it. Read it again before you decide.")
}

func involved(r Record, user string) bool {
	return r.CreatedBy.ID == user || r.EditedBy.ID == user || (r.SubmittedBy != nil && r.SubmittedBy.ID == user)
}

// checkEditors returns an error if the caller edited or submitted the record since a person last approved it: under
// four-eyes control nobody approves their own figures, even if others edited them later. An approval by a policy does
// not count, since nobody looked at the record.
func (w Workflow) checkEditors(ctx context.Context, req Request, before Record) error {
	if w.History == nil {
		return fmt.Errorf("%s record: no history to tell who edited it", req.Move)
	}
	entries, err := w.History.Entries(ctx, req.Org, before.ID)
	if err != nil {
		return fmt.Errorf("%s record: read history: %w", req.Move, err)
	}
	// Entries with a later revision are left from failed attempts.
	for _, e := range slices.Backward(entries) {
		switch {
		case e.Rev >= before.Rev:
		case e.Move == Approve:
			return nil
		case e.By.ID == req.By.ID && (e.Move == Edit || e.Move == Submit):
			return selfApproval()
		}
	}
	return nil
}

// CheckComment checks the comment of a transition: present if
// required, and not too long. Its error is for the client.
func CheckComment(m Move, comment string) error {
	r, _ := ruleOf(m)
	length := utf8.RuneCountInString(comment)
	switch {
	case r.comment && length == 0:
		return apperr.Invalid(apperr.Detail{Field: "comment", Code: "REQUIRED",
			Message: fmt.Sprintf("A comment of 1 to %d characters is required to explain the decision.", MaxComment)})
	case length > MaxComment:
		return apperr.Invalid(apperr.Detail{Field: "comment", Code: "TOO_LONG",
			Message: fmt.Sprintf("A comment may have at most %d characters; this one has %d.", MaxComment, length)})
	}
	return nil
}

// refuse returns the error of a move that is not possible in a state, with what the caller can do instead. It says if the
// caller has made that very move: then this may be the repetition of a request whose answer was lost.
func refuse(r rule, before Record, by Actor, allowed []Move) error {
	s := before.Status
	can := apperr.Detail{Field: "allowed", Code: "ALLOWED_MOVES", Message: "suggestions lists the moves that are possible now."}
	for _, m := range allowed {
		can.Suggestions = append(can.Suggestions, string(m))
	}
	if len(allowed) == 0 {
		can.Message = "No move is possible for you now."
	}
	details := []apperr.Detail{{Field: "status", Code: string(s), Message: fmt.Sprintf("The record is %s.", s)}, can}
	if r.change {
		details[0].RecordID, details[0].Status = string(before.ID), string(s)
		details[0].Message += " " + unlock(s)
		return apperr.New(apperr.RecordLocked, "A record that is %s cannot be changed or deleted.", s).With(details...)
	}
	if at, ok := alreadyMade(r.move, before, by); ok {
		details[0].Message = fmt.Sprintf("You made this move at %s, and the record is %s.", timestamp.Format(at), s)
	}
	return apperr.New(apperr.InvalidTransition, "The move %[2]q is not possible for a record that is %[1]s.", s, string(r.move)).With(details...)
}

// alreadyMade reports whether the latest move of the record was this one, by the same caller, and when. A policy may have
// approved what the caller submitted.
func alreadyMade(m Move, r Record, by Actor) (at time.Time, ok bool) {
	if r.Last.Move == AutoApprove && r.SubmittedBy != nil && r.SubmittedAt != nil {
		return *r.SubmittedAt, m == Submit && r.SubmittedBy.ID == by.ID
	}
	return r.Last.At, r.Last.Move == m && r.Last.By.ID == by.ID
}

// unlock returns what to do before a record in this state can be changed.
func unlock(s Status) string {
	switch s {
	case Submitted:
		return "Withdraw it (POST …/withdraw), then send this again."
	case InReview:
		return "A manager is reviewing it and can request changes (POST …/request-changes); then send this again."
	}
	return "A manager can reopen it (POST …/reopen, with a comment); then send this again."
}
