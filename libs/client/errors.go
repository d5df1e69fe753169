package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Code is a code of the API for what went wrong. Codes are never renamed.
type Code string

// The codes of the API. What each means and what to do about it is in the
// documentation, to which Error.Docs leads.
const (
	CodeValidationError        Code = "VALIDATION_ERROR"
	CodeUnauthenticated        Code = "UNAUTHENTICATED"
	CodeQuotaExceeded          Code = "QUOTA_EXCEEDED"
	CodePlanLimitExceeded      Code = "PLAN_LIMIT_EXCEEDED"
	CodeForbidden              Code = "FORBIDDEN"
	CodeSelfApprovalForbidden  Code = "SELF_APPROVAL_FORBIDDEN"
	CodeNotFound               Code = "NOT_FOUND"
	CodeEventNotFound          Code = "EVENT_NOT_FOUND"
	CodeTypeNotFound           Code = "TYPE_NOT_FOUND"
	CodeRecordNotFound         Code = "RECORD_NOT_FOUND"
	CodeUserNotFound           Code = "USER_NOT_FOUND"
	CodeResultNotFound         Code = "RESULT_NOT_FOUND"
	CodeRevisionNotKept        Code = "REVISION_NOT_KEPT"
	CodeMethodNotAllowed       Code = "METHOD_NOT_ALLOWED"
	CodeInvalidTransition      Code = "INVALID_TRANSITION"
	CodeRecordLocked           Code = "RECORD_LOCKED"
	CodeDuplicateReference     Code = "DUPLICATE_REFERENCE"
	CodeDuplicateFile          Code = "DUPLICATE_FILE"
	CodeEventSigned            Code = "EVENT_SIGNED"
	CodeEditionLimit           Code = "EDITION_LIMIT"
	CodeProposalLimit          Code = "PROPOSAL_LIMIT"
	CodeProposalStale          Code = "PROPOSAL_STALE"
	CodeProposalNotFound       Code = "PROPOSAL_NOT_FOUND"
	CodeSupplierFactorNotFound Code = "SUPPLIER_FACTOR_NOT_FOUND"
	CodeEmailTaken             Code = "EMAIL_TAKEN"
	CodeIdempotencyInProgress  Code = "IDEMPOTENCY_IN_PROGRESS"
	CodeIdempotencyKeyReused   Code = "IDEMPOTENCY_KEY_REUSED"
	CodePreconditionFailed     Code = "PRECONDITION_FAILED"
	CodePayloadTooLarge        Code = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMediaType   Code = "UNSUPPORTED_MEDIA_TYPE"
	CodeRateLimited            Code = "RATE_LIMITED"
	CodeInternal               Code = "INTERNAL"
	CodeUnavailable            Code = "UNAVAILABLE"
	CodeUpstreamTimeout        Code = "UPSTREAM_TIMEOUT"
)

var (
	// ErrNotModified says that what IfNoneMatch named still holds.
	ErrNotModified = errors.New("not modified")
	// ErrNoAnswer reports that there was no complete response, so the outcome of the request is unknown.
	ErrNoAnswer = errors.New("no answer")
	// ErrArgument reports an invalid call; nothing was sent.
	ErrArgument = errors.New("bad argument")
)

// Error is a refusal by the server.
type Error struct {
	// Code is empty when the answer was not one of the API, such as that of a
	// proxy in between.
	Code Code `json:"code"`
	// Message is one sentence for people. Its wording may change.
	Message string `json:"message"`
	// RequestID names the request in the logs of the server.
	RequestID string `json:"requestId"`
	// Details are all faults that were found.
	Details []Detail `json:"details,omitempty"`
	// Columns are those of a file whose import was tried and refused, to choose from with [ImportOptions].
	Columns []ReadColumn `json:"columns,omitempty"`
	// Sheets are those of a workbook that was refused, to choose from with [ImportOptions].
	Sheets []Sheet `json:"sheets,omitempty"`
	// Docs is the path of the code's entry in the documentation.
	Docs string `json:"docs"`

	// Method, Path and Status are of the request; Status is 0 for the error of one
	// of several records, whose request succeeded.
	Method string `json:"-"`
	Path   string `json:"-"`
	Status int    `json:"-"`
	// RetryAfter is how long the server asks to wait; 0: it does not say.
	RetryAfter time.Duration `json:"-"`
	// Attempts is how often the request was sent. Above 1, a PRECONDITION_FAILED or
	// a NOT_FOUND may be the doing of an earlier attempt whose answer was lost.
	Attempts int `json:"-"`
}

// Detail is one fault of a request.
type Detail struct {
	// Field is the field as it was written, such as "via[2]"; empty when it is
	// about none.
	Field string `json:"field,omitempty"`
	// Code says what is wrong with it, for programs.
	Code string `json:"code"`
	// Message says what is wrong with it, for people.
	Message string `json:"message"`
	// Suggestions are what would be right.
	Suggestions []string `json:"suggestions,omitempty"`
	// RecordID and Status name the record that is in the way: the one that is
	// locked, or has the reference.
	RecordID string `json:"recordId,omitempty"`
	// EventID is the event that has the reference.
	EventID string `json:"eventId,omitempty"`
	Status  string `json:"status,omitempty"`
}

// Error tells all that helps to find the fault.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Status != 0 {
		fmt.Fprintf(&b, "%s %s: %d ", e.Method, e.Path, e.Status)
	}
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Message)
	for _, d := range e.Details {
		fmt.Fprintf(&b, " [%s %s: %s", d.Field, d.Code, d.Message)
		if len(d.Suggestions) > 0 {
			fmt.Fprintf(&b, " (suggestions: %s)", strings.Join(d.Suggestions, ", "))
		}
		b.WriteByte(']')
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", e.RequestID)
	}
	return b.String()
}

// CodeOf returns the code of the refusal in err's chain, and empty for any other
// error.
func CodeOf(err error) Code {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}

// foreignMessage is how much is shown of an answer that is not of the API.
const foreignMessage = 200

// refusal reads the error of an answer.
func refusal(k call, answered head, text []byte, attempts int, now func() time.Time) *Error {
	var envelope struct {
		Error Error `json:"error"`
	}
	// An answer that is not of the API leaves the error empty.
	if err := json.Unmarshal(text, &envelope); err != nil || envelope.Error.Code == "" {
		envelope.Error = Error{Message: string(text[:min(len(text), foreignMessage)])}
		if to := answered.header.Get("Location"); to != "" && answered.status < http.StatusBadRequest {
			envelope.Error.Message = fmt.Sprintf("The address redirects to %s. Use the address of the service itself.", to)
		}
	}
	e := &envelope.Error
	e.Method, e.Path, e.Status, e.Attempts = k.method, k.where(), answered.status, attempts
	e.RetryAfter = retryAfter(answered.header.Get("Retry-After"), now)
	if e.RequestID == "" {
		e.RequestID = answered.header.Get("X-Request-Id")
	}
	return e
}

// retryAfter reads the field, which is seconds, or a date where a proxy has
// written it.
func retryAfter(value string, now func() time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now()))
	}
	return 0
}
