package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options are what a Client needs to know. The zero value is a client that asks
// once.
type Options struct {
	// HTTP sends the requests; nil is one that gives up on an answer after 30 s.
	HTTP *http.Client
	// Patience is how long a request that may be repeated waits in all, between
	// its attempts, for a server that is away or asks to come back later.
	Patience time.Duration
	// Sleep waits; nil is a timer. Tests pass one that does not take time.
	Sleep func(ctx context.Context, d time.Duration) error
	// Log is told what is repeated and why; nil: nobody.
	Log func(format string, args ...any)
}

// Client speaks to the API as one account. It is safe for concurrent use.
type Client struct {
	base string
	Options

	mu      sync.Mutex // held while the access token is renewed
	access  string
	renewal string // the refresh token
}

const basePath = "/api/v2"

// NewClient makes a client of the server at an address such as
// http://127.0.0.1:8080; the base path of the API is added when it is missing.
func NewClient(address string, options Options) *Client {
	base := strings.TrimRight(address, "/")
	if !strings.HasSuffix(base, basePath) {
		base += basePath
	}
	if options.HTTP == nil {
		options.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if options.Sleep == nil {
		options.Sleep = sleep
	}
	if options.Log == nil {
		options.Log = func(string, ...any) {}
	}
	return &Client{base: base, Options: options}
}

// Request is one request to the API.
type Request struct {
	Method string
	Path   string // below the base path: "/events"
	// Body is sent as JSON; json.RawMessage goes as it is, nil sends no body.
	Body   any
	Header http.Header
	// Repeat says that the request may be sent again when it is not known
	// whether the server has carried it out. GET may always.
	Repeat bool
}

// Answer is a successful answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Data is the data of the envelope; nil where the answer has none, such as
	// 304 or a document.
	Data json.RawMessage
}

// Into reads the data of the answer.
func (a *Answer) Into(v any) error {
	if err := json.Unmarshal(a.Data, v); err != nil {
		return fmt.Errorf("data of the answer: %w", err)
	}
	return nil
}

// Do sends a request once more only where that cannot do harm: see Send.
func (c *Client) Do(ctx context.Context, method, path string, body any) (*Answer, error) {
	return c.Send(ctx, Request{Method: method, Path: path, Body: body})
}

// Get reads data into v.
func (c *Client) Get(ctx context.Context, path string, v any) error {
	answer, err := c.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return answer.Into(v)
}

// Send sends a request. An answer of 400 or above is an *Error. A 401 renews
// the access token, once. Within the client's patience it sends again:
// anything that was refused with 429 or never reached the server; and, where
// the request may be repeated, what got no answer or a 502, 503 or 504.
func (c *Client) Send(ctx context.Context, r Request) (*Answer, error) {
	body, err := encode(r.Body)
	if err != nil {
		return nil, err
	}
	renewed := false
	patience := c.Patience
	for attempt := 0; ; attempt++ {
		token := c.token()
		answer, err := c.once(ctx, r, body, token)
		if err == nil || ctx.Err() != nil {
			return answer, err
		}
		if CodeOf(err) == "UNAUTHENTICATED" && token != "" && !renewed {
			renewed = true
			if err := c.renew(ctx, token); err != nil {
				return nil, err
			}
			continue
		}
		pause, ok := pauseAfter(r, err, attempt)
		if !ok || pause > patience {
			return nil, err
		}
		patience -= pause
		if attempt == 0 {
			c.Log("%s %s: %v; trying again for up to %s", r.Method, r.Path, err, c.Patience)
		}
		if err := c.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// errNoAnswer says that no whole answer came, so that nobody knows whether the
// request was carried out.
var errNoAnswer = errors.New("no answer")

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 2 * time.Second
)

// pauseAfter says whether a request may be sent again after an error, and after
// what pause.
func pauseAfter(r Request, err error, attempt int) (time.Duration, bool) {
	pause := lastPause
	if attempt < 5 {
		pause = min(firstPause<<attempt, lastPause)
	}
	repeat := r.Repeat || r.Method == http.MethodGet
	var refused *Error
	switch {
	case errors.Is(err, errNoAnswer):
		return pause, repeat || errors.Is(err, syscall.ECONNREFUSED)
	case !errors.As(err, &refused):
		return 0, false
	case refused.RetryAfter > 0:
		pause = refused.RetryAfter
	}
	switch refused.Status {
	case http.StatusTooManyRequests:
		return pause, true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return pause, repeat
	}
	return pause, repeat && refused.Code == "IDEMPOTENCY_IN_PROGRESS"
}

func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("body of the request: %w", err)
	}
	return text, nil
}

// once sends a request a single time.
func (c *Client) once(ctx context.Context, r Request, body []byte, token string) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" && req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return decode(r, response, text)
}

// sleep waits or ends with the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
