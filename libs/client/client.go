package client

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	basePath = "/api/v2"

	// defaultPatience is more than the pause that the write limit, which is counted over a minute, can require.
	defaultPatience       = 90 * time.Second
	defaultAttemptTimeout = 60 * time.Second
	defaultPollInterval   = 250 * time.Millisecond
)

// Options configure a Client. The zero value is valid.
type Options struct {
	// HTTP sends the requests. Nil is a client that follows no redirects, so that the token is sent nowhere else.
	HTTP *http.Client
	// Patience is the total pause between the attempts of a call; 0 is 90 s, negative means no retries. If the server
	// requires a longer pause than is left, the call fails at once.
	Patience time.Duration
	// AttemptTimeout is how long one attempt may take; 0 is a minute. Imports and
	// downloads, which may be large, are limited by their context only.
	AttemptTimeout time.Duration
	// PollInterval is the pause between two looks at something that is waited for;
	// 0 is a quarter of a second.
	PollInterval time.Duration
	// Tokens continue an earlier session, instead of Login.
	Tokens TokenBundle
	// UserAgent names the program to the server; it is shown in the list of
	// sessions. Empty: "ecf-client-go".
	UserAgent string
	// Repeating is called before every retry with the request, the error and the pause; nil: not called.
	Repeating func(request string, after error, pause time.Duration)

	// Now, Sleep, Random (in [0,1)) and NewKey are the clock, the timer and the
	// dice. Nil: the real ones. Tests pass others.
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
	NewKey func() string
}

// Client speaks to the API as one account. It is safe for concurrent use.
type Client struct {
	root    string // the address of the server, without a slash at its end
	options Options
	session session
}

// New makes a client of the server at an address such as
// "https://footprint.example.org"; the base path of the API may be part of it.
// Nothing is sent yet.
func New(address string, options Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("%w: %q is not the address of a server, such as https://footprint.example.org", ErrArgument, address)
	}
	c := &Client{
		root:    strings.TrimSuffix(strings.TrimRight(u.String(), "/"), basePath),
		options: options,
		session: session{renewing: make(chan struct{}, 1), tokens: options.Tokens},
	}
	o := &c.options
	if o.HTTP == nil {
		o.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	o.Patience = cmp.Or(o.Patience, defaultPatience)
	o.AttemptTimeout = cmp.Or(o.AttemptTimeout, defaultAttemptTimeout)
	o.PollInterval = cmp.Or(o.PollInterval, defaultPollInterval)
	o.UserAgent = cmp.Or(o.UserAgent, "ecf-client-go")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.NewKey == nil {
		o.NewKey = crand.Text
	}
	return c, nil
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

// ask sends a request and reads the data of its answer.
func ask[T any](ctx context.Context, c *Client, k call, options []Option) (*T, error) {
	var envelope struct {
		Data *T `json:"data"`
	}
	text, err := c.send(ctx, k, options)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return nil, fmt.Errorf("%s %s: the answer is not one of the API: %w", k.method, k.where(), err)
	}
	if envelope.Data == nil {
		return nil, fmt.Errorf("%s %s: the answer has no data", k.method, k.where())
	}
	return envelope.Data, nil
}

// tell sends a request whose answer has nothing to read.
func (c *Client) tell(ctx context.Context, k call, options []Option) error {
	_, err := c.send(ctx, k, options)
	return err
}
