package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is a refusal by the server.
type Error struct {
	Method, Path string
	Status       int
	Code         string // empty when the body was not that of the API
	Message      string
	RequestID    string
	Details      []Detail
	RetryAfter   time.Duration // 0: the server named none
}

// Detail is one fault of a request.
type Detail struct {
	Field       string   `json:"field"`
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions"`
}

// Error tells all that helps to find the fault.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d %s: %s", e.Method, e.Path, e.Status, e.Code, e.Message)
	for _, d := range e.Details {
		fmt.Fprintf(&b, " [%s %s: %s]", d.Field, d.Code, d.Message)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", e.RequestID)
	}
	return b.String()
}

// CodeOf gives the code of the refusal in err's chain, and empty for any other
// error.
func CodeOf(err error) string {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}

// decode opens the envelope of an answer.
func decode(r Request, response *http.Response, text []byte) (*Answer, error) {
	var envelope struct {
		Success *bool           `json:"success"`
		Data    json.RawMessage `json:"data"`
		Error   *struct {
			Code      string   `json:"code"`
			Message   string   `json:"message"`
			RequestID string   `json:"requestId"`
			Details   []Detail `json:"details"`
		} `json:"error"`
	}
	// Documents are no envelopes; then nothing is found and Data stays nil.
	_ = json.Unmarshal(text, &envelope)
	failed := envelope.Success != nil && !*envelope.Success
	if response.StatusCode < http.StatusBadRequest && !failed {
		answer := &Answer{Status: response.StatusCode, Header: response.Header, Body: text}
		if envelope.Success != nil {
			answer.Data = envelope.Data
		}
		return answer, nil
	}
	refused := &Error{Method: r.Method, Path: r.Path, Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refused.RetryAfter = time.Duration(seconds) * time.Second
	}
	if envelope.Error == nil {
		refused.Message = string(text[:min(len(text), 200)])
		return nil, refused
	}
	refused.Code, refused.Message, refused.Details = envelope.Error.Code, envelope.Error.Message, envelope.Error.Details
	if envelope.Error.RequestID != "" {
		refused.RequestID = envelope.Error.RequestID
	}
	return nil, refused
}
