package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// statuses maps error codes to statuses. A code that is not in it is answered as
// INTERNAL.
var statuses = map[apperr.Code]int{
	apperr.ValidationError:        http.StatusBadRequest,
	apperr.Unauthenticated:        http.StatusUnauthorized,
	apperr.QuotaExceeded:          http.StatusPaymentRequired,
	apperr.PlanLimitExceeded:      http.StatusPaymentRequired,
	apperr.Forbidden:              http.StatusForbidden,
	apperr.SelfApprovalForbidden:  http.StatusForbidden,
	apperr.NotFound:               http.StatusNotFound,
	apperr.EventNotFound:          http.StatusNotFound,
	apperr.TypeNotFound:           http.StatusNotFound,
	apperr.RecordNotFound:         http.StatusNotFound,
	apperr.UserNotFound:           http.StatusNotFound,
	apperr.ResultNotFound:         http.StatusNotFound,
	apperr.RevisionNotKept:        http.StatusNotFound,
	apperr.MethodNotAllowed:       http.StatusMethodNotAllowed,
	apperr.InvalidTransition:      http.StatusConflict,
	apperr.RecordLocked:           http.StatusConflict,
	apperr.DuplicateReference:     http.StatusConflict,
	apperr.DuplicateFile:          http.StatusConflict,
	apperr.EventSigned:            http.StatusConflict,
	apperr.EditionLimit:           http.StatusConflict,
	apperr.ProposalLimit:          http.StatusConflict,
	apperr.ProposalStale:          http.StatusConflict,
	apperr.ProposalNotFound:       http.StatusNotFound,
	apperr.SupplierFactorNotFound: http.StatusNotFound,
	apperr.EmailTaken:             http.StatusConflict,
	apperr.IdempotencyInProgress:  http.StatusConflict,
	apperr.IdempotencyKeyReused:   http.StatusUnprocessableEntity,
	apperr.PreconditionFailed:     http.StatusPreconditionFailed,
	apperr.PayloadTooLarge:        http.StatusRequestEntityTooLarge,
	apperr.NotAcceptable:          http.StatusNotAcceptable,
	apperr.UnsupportedMediaType:   http.StatusUnsupportedMediaType,
	apperr.RateLimited:            http.StatusTooManyRequests,
	apperr.Internal:               http.StatusInternalServerError,
	apperr.Unavailable:            http.StatusServiceUnavailable,
	apperr.UpstreamTimeout:        http.StatusGatewayTimeout,
}

// StatusOf returns the HTTP status of a code, or 500 for an unknown one.
func StatusOf(code apperr.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// DocsOf returns the URL, relative to the host, of the entry of a code in the served
// documentation.
func DocsOf(code apperr.Code) string {
	return BasePath + "/docs#error-" + strings.ReplaceAll(strings.ToLower(string(code)), "_", "-")
}

// ErrorBody is the error in a response.
type ErrorBody struct {
	Code      apperr.Code     `json:"code"`
	Message   string          `json:"message"`
	RequestID string          `json:"requestId"`
	Details   []apperr.Detail `json:"details,omitempty"`
	Columns   any             `json:"columns,omitempty"`
	Sheets    any             `json:"sheets,omitempty"`
	Docs      string          `json:"docs"`
}

type failure struct {
	Success bool      `json:"success"`
	Error   ErrorBody `json:"error"`
}

const internalMessage = "Something went wrong in the service. Please quote the request id when you report it."

// retryAfterDefault is the wait for errors that need one and define none.
const retryAfterDefault = 2 * time.Second

// Translate returns the error that a client may see for err, and the status: an
// *apperr.Error unchanged, errors of fiber and fasthttp by their status, an expired
// deadline as UPSTREAM_TIMEOUT, anything else as INTERNAL with a fixed message. The
// stores themselves return UNAVAILABLE for an outage of their engine.
func Translate(err error) (*apperr.Error, int) {
	if ae, ok := errors.AsType[*apperr.Error](err); ok {
		status, known := statuses[ae.Code]
		if !known || ae.Code == apperr.Internal {
			return internal(err)
		}
		return ae, status
	}
	if fe, ok := errors.AsType[*fiber.Error](err); ok {
		return translateFiber(fe)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return apperr.New(apperr.UpstreamTimeout, "The service did not respond in time. A write may nevertheless have taken effect.").Because(err), http.StatusGatewayTimeout
	}
	return internal(err)
}

func internal(cause error) (*apperr.Error, int) {
	return apperr.New(apperr.Internal, internalMessage).Because(cause), http.StatusInternalServerError
}

// translateFiber never uses the message of a *fiber.Error, which may contain data read
// from the connection.
func translateFiber(fe *fiber.Error) (*apperr.Error, int) {
	switch fe.Code {
	case http.StatusNotFound:
		return apperr.New(apperr.NotFound, "There is no such route."), fe.Code
	case http.StatusMethodNotAllowed:
		return apperr.New(apperr.MethodNotAllowed, "This route does not accept that method."), fe.Code
	case http.StatusRequestEntityTooLarge:
		return apperr.New(apperr.PayloadTooLarge, "The body of the request is too large."), fe.Code
	case http.StatusRequestHeaderFieldsTooLarge:
		return apperr.New(apperr.PayloadTooLarge, "The header of the request is too large."), fe.Code
	case http.StatusRequestTimeout:
		return apperr.New(apperr.ValidationError, "The request did not arrive in time."), fe.Code
	case http.StatusUnsupportedMediaType:
		return apperr.New(apperr.UnsupportedMediaType, "This route does not accept the media type of the request body."), fe.Code
	}
	if fe.Code >= 400 && fe.Code < 500 || fe.Code == http.StatusBadGateway {
		// fiber uses Bad Gateway for a connection that broke while the request was
		// read; no client is left to read the response.
		return apperr.New(apperr.ValidationError, "The request is not well-formed HTTP.").Because(fe), http.StatusBadRequest
	}
	return internal(fe)
}

// handleError answers an error in the envelope. Its cause is logged and never sent to
// the client.
func (e *edge) handleError(c *fiber.Ctx, err error) error {
	early := RequestID(c) == ""
	e.ensureRequestID(c)
	ae, status := Translate(err)
	if early {
		// fasthttp could not read the request: no middleware has run, so there is no
		// other log line.
		e.o.Logger.LogAttrs(c.UserContext(), slog.LevelInfo, "request refused",
			slog.Int("status", status), slog.String("code", string(ae.Code)), slog.String("request_id", RequestID(c)))
	}
	h := &c.Response().Header
	// What the handler had set for a successful response no longer applies.
	for _, name := range []string{fiber.HeaderETag, fiber.HeaderLocation, fiber.HeaderLastModified, fiber.HeaderContentEncoding, fiber.HeaderContentLanguage, fiber.HeaderContentDisposition, fiber.HeaderCacheControl} {
		h.Del(name)
	}
	switch status {
	case http.StatusUnauthorized:
		h.Del(fiber.HeaderAllow)
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	case http.StatusMethodNotAllowed:
		if len(ae.Allow) > 0 {
			c.Set(fiber.HeaderAllow, strings.Join(ae.Allow, ", "))
		}
	default:
		h.Del(fiber.HeaderAllow)
	}
	if wait := retryAfter(ae); wait > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.FormatInt(wait, 10))
	}
	var fe *fiber.Error
	if errors.As(err, &fe) && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		knownOf(c).unrouted = true
	}
	knownOf(c).code = ae.Code
	knownOf(c).cause = err
	c.Response().ResetBody()
	setSecurityHeaders(h)
	return writeJSON(c, status, failure{Error: body(c, ae)})
}

// ErrorOf returns the error that a response shows for err, for responses with an
// outcome for each of several items. The caller has to log the cause that INTERNAL
// hides.
func ErrorOf(c *fiber.Ctx, err error) ErrorBody {
	ae, _ := Translate(err)
	return body(c, ae)
}

func body(c *fiber.Ctx, e *apperr.Error) ErrorBody {
	return errorBody(e, RequestID(c))
}

func errorBody(e *apperr.Error, requestID string) ErrorBody {
	return ErrorBody{Code: e.Code, Message: e.Message, RequestID: requestID, Details: e.Details, Columns: e.Columns, Sheets: e.Sheets, Docs: DocsOf(e.Code)}
}

// retryAfter returns the value of the Retry-After field in seconds, 0 for none. It is
// rounded up: a client that returns early would be rejected again.
func retryAfter(e *apperr.Error) int64 {
	wait := e.RetryAfter
	if wait <= 0 && (e.Code == apperr.Unavailable || e.Code == apperr.RateLimited) {
		wait = retryAfterDefault
	}
	if wait <= 0 {
		return 0
	}
	return int64((wait + time.Second - 1) / time.Second)
}
