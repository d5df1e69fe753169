// Package apperr is the error type for errors that clients see. It defines codes
// and messages and is independent of HTTP: libs/web maps codes to statuses, in one
// table. Any other error is answered as INTERNAL with a fixed message, and its text
// only goes to the log.
package apperr

import (
	"errors"
	"fmt"
	"time"
)

// Code identifies a kind of failure. Codes are part of the API: clients depend on them, so one is never renamed or
// reused for another meaning.
type Code string

// The codes of the API. The ones marked "specification" are in the given interface specification, the others are
// defined by the contract.
const (
	ValidationError Code = "VALIDATION_ERROR"
	Unauthenticated Code = "UNAUTHENTICATED" // specification
	QuotaExceeded   Code = "QUOTA_EXCEEDED"  // specification
	// PlanLimitExceeded: any limit of the plan but that of events.
	PlanLimitExceeded     Code = "PLAN_LIMIT_EXCEEDED"
	Forbidden             Code = "FORBIDDEN"
	SelfApprovalForbidden Code = "SELF_APPROVAL_FORBIDDEN"
	NotFound              Code = "NOT_FOUND" // no such route
	EventNotFound         Code = "EVENT_NOT_FOUND"
	TypeNotFound          Code = "TYPE_NOT_FOUND"
	RecordNotFound        Code = "RECORD_NOT_FOUND"
	UserNotFound          Code = "USER_NOT_FOUND"
	ResultNotFound        Code = "RESULT_NOT_FOUND" // specification
	RevisionNotKept       Code = "REVISION_NOT_KEPT"
	MethodNotAllowed      Code = "METHOD_NOT_ALLOWED"
	NotAcceptable         Code = "NOT_ACCEPTABLE"
	InvalidTransition     Code = "INVALID_TRANSITION"
	RecordLocked          Code = "RECORD_LOCKED"
	DuplicateReference    Code = "DUPLICATE_REFERENCE"
	DuplicateFile         Code = "DUPLICATE_FILE"
	EventSigned           Code = "EVENT_SIGNED"
	EditionLimit          Code = "EDITION_LIMIT"
	ProposalLimit         Code = "PROPOSAL_LIMIT"
	ProposalStale         Code = "PROPOSAL_STALE"
	// SupplierFactorNotFound: the organization's library has no such version.
	SupplierFactorNotFound Code = "SUPPLIER_FACTOR_NOT_FOUND"
	ProposalNotFound       Code = "PROPOSAL_NOT_FOUND"
	EmailTaken             Code = "EMAIL_TAKEN"
	IdempotencyInProgress  Code = "IDEMPOTENCY_IN_PROGRESS"
	IdempotencyKeyReused   Code = "IDEMPOTENCY_KEY_REUSED"
	PreconditionFailed     Code = "PRECONDITION_FAILED"
	PayloadTooLarge        Code = "PAYLOAD_TOO_LARGE"
	UnsupportedMediaType   Code = "UNSUPPORTED_MEDIA_TYPE"
	RateLimited            Code = "RATE_LIMITED"
	Internal               Code = "INTERNAL"
	Unavailable            Code = "UNAVAILABLE"
	UpstreamTimeout        Code = "UPSTREAM_TIMEOUT"
)

// Detail is one error of a request: the field, a code for programs (Code), a
// sentence for people (Message), and suggested corrections, if there are
// any (Suggestions).
type Detail struct {
	// Field is a path as the client wrote it: "passengers", "items[3].from".
	Field       string   `json:"field,omitempty"`
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions,omitempty"`
	// RecordID and Status are those of the conflicting record, if there is one.
	RecordID string `json:"recordId,omitempty"`
	// EventID is the conflicting event, if there is one.
	EventID string `json:"eventId,omitempty"`
	Status  string `json:"status,omitempty"`
}

// Error is a failure that clients may see.
type Error struct {
	Code    Code
	Message string
	Details []Detail
	// RetryAfter, if positive, is the time to wait before a retry.
	RetryAfter time.Duration
	// Allow lists the methods of a route that was called with another one.
	Allow []string
	// Columns are how the columns of a refused file were read, in the form of the answer; nil: that is not told.
	Columns any
	// Sheets are those of a refused workbook, in the form of the answer; nil: that is not told.
	Sheets any
	// Cause is for the log. Clients never see it.
	Cause error
}

// New returns an Error with a code and a sentence for people.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Overtaken returns the error of a change that other ones of the same object preceded at each of its attempts.
func Overtaken(object string) *Error {
	e := New(Unavailable, "Too many changes are being made to this %s at the same time. Please try again.", object)
	e.RetryAfter = time.Second
	return e
}

// Invalid returns a VALIDATION_ERROR with the errors found in a request.
func Invalid(details ...Detail) *Error {
	message := "The request has one fault."
	if len(details) != 1 {
		message = fmt.Sprintf("The request has %d faults.", len(details))
	}
	return &Error{Code: ValidationError, Message: message, Details: details}
}

// With returns a copy of e that carries the given details.
func (e *Error) With(details ...Detail) *Error {
	c := *e
	c.Details = append(append([]Detail(nil), e.Details...), details...)
	return &c
}

// Because returns a copy of e with a cause for the log.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// Error is the text for logs.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an *Error of the same code, so that a caller
// can write errors.Is(err, apperr.New(apperr.RecordNotFound, "")).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf returns the code of the first *Error in err's chain, INTERNAL for any
// other error, and the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
