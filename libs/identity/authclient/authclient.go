// Package authclient sends requests to the service auth on its own port, on behalf of the caller
// whose request a service is processing.
package authclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Client sends requests with the access token that identity.TokenOf returns, if there is one.
// The service proves who it is by its http.Client.
type Client struct {
	base   string
	client *http.Client
}

// New returns a client of the auth service at base, such as http://auth:8081. A nil client is
// one with a timeout of 2 s.
func New(base string, client *http.Client) *Client {
	if client == nil {
		client = &http.Client{Timeout: 2 * time.Second}
	}
	return &Client{base: strings.TrimSuffix(base, "/"), client: client}
}

// StatusError is the error of a response with another status than 200, whose value it is.
type StatusError int

// Error implements error.
func (e StatusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// maxUnread is how much of a response that is not read any further is skipped, so that its
// connection is used again.
const maxUnread = 16 << 10

// Get requests a path and decodes the data of the response, of which it reads at most limit bytes.
func (c *Client) Get(ctx context.Context, path string, limit int64, data any) error {
	return c.do(ctx, http.MethodGet, path, nil, func(response io.Reader) error {
		envelope := struct {
			Data any `json:"data"`
		}{data}
		return json.NewDecoder(io.LimitReader(response, limit)).Decode(&envelope)
	})
}

// Post sends a body as JSON to a path. It ignores the contents of the response.
func (c *Client) Post(ctx context.Context, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("ask auth: %w", err)
	}
	return c.do(ctx, http.MethodPost, path, text, func(io.Reader) error { return nil })
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, read func(response io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask auth: %w", err)
	}
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(req.Header))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token := identity.TokenOf(ctx); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask auth: %w", err)
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxUnread))
		_ = res.Body.Close()
	}()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("ask auth: %w", StatusError(res.StatusCode))
	}
	if err := read(res.Body); err != nil {
		return fmt.Errorf("ask auth: %w", err)
	}
	return nil
}
