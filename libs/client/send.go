package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second

	// maxAnswer is how large an answer may be that is read as a whole.
	maxAnswer = 64 << 20
)

// send sends a call and returns the body of its answer.
func (c *Client) send(ctx context.Context, k call, options []Option) (text []byte, err error) {
	err = c.attempts(ctx, k, options, func(ctx context.Context, a attempt) (head, error) {
		ctx, cancel := context.WithTimeout(ctx, c.options.AttemptTimeout)
		defer cancel()
		answered, content, err := c.once(ctx, k, a)
		if err != nil {
			return answered, err
		}
		text, err = read(content)
		if err != nil {
			return answered, fmt.Errorf("%s %s: %w: %w", k.method, k.where(), ErrNoAnswer, err)
		}
		return answered, nil
	})
	return text, err
}

// open sends a call and returns the body of its answer to be read as it comes.
func (c *Client) open(ctx context.Context, k call, options []Option) (body io.ReadCloser, err error) {
	err = c.attempts(ctx, k, options, func(ctx context.Context, a attempt) (answered head, err error) {
		answered, body, err = c.once(ctx, k, a)
		return answered, err
	})
	return body, err
}

// attempt is one of the times a call is sent.
type attempt struct {
	settings
	number int
	url    string
	body   []byte
	token  string
}

// attempts makes a call until it succeeds, is refused for good, or patience
// ends.
func (c *Client) attempts(ctx context.Context, k call, options []Option, once func(context.Context, attempt) (head, error)) error {
	s, err := c.settle(k, options)
	if err != nil {
		return err
	}
	a := attempt{settings: s}
	if a.url, err = k.address(c.root); err != nil {
		return err
	}
	if k.body != nil {
		if a.body, err = json.Marshal(k.body); err != nil {
			return fmt.Errorf("%w: body of %s %s: %w", ErrArgument, k.method, k.where(), err)
		}
	}
	patience, renewed := c.options.Patience, false
	for failures := 0; ; {
		a.number++
		if !k.open {
			a.token = c.session.access()
		}
		answered, err := once(ctx, a)
		if err == nil || errors.Is(err, ErrNotModified) {
			s.note(answered, a.number)
			return err
		}
		if ctx.Err() != nil {
			return err
		}
		if statusOf(err) == http.StatusUnauthorized && a.token != "" && !renewed && k.rewind() {
			renewed = true
			if done, renewErr := c.renew(ctx, a.token); renewErr != nil {
				return renewErr
			} else if done {
				continue
			}
			return err
		}
		pause, again := c.pauseAfter(k, s, err, failures)
		if !again || pause > patience || !k.rewind() {
			return err
		}
		failures++
		patience -= pause
		if c.options.Repeating != nil {
			c.options.Repeating(k.method+" "+k.where(), err, pause)
		}
		if sleepErr := c.options.Sleep(ctx, pause); sleepErr != nil {
			return errors.Join(sleepErr, err)
		}
	}
}

// rewind makes the body ready to be sent again, if it can be.
func (k call) rewind() bool {
	return k.upload == nil || k.upload.rewind()
}

// pauseAfter reports whether a call may be sent again after an error, and after
// what pause: one that doubles with every failure, up to half of it random, so
// that clients that failed together do not come back together.
func (c *Client) pauseAfter(k call, s settings, err error, failures int) (time.Duration, bool) {
	grown := lastPause
	if failures < 6 {
		grown = min(firstPause<<failures, lastPause)
	}
	random := time.Duration(c.options.Random() * float64(grown) / 2)
	pause := grown/2 + random
	// Replacing what a reference names comes to the same twice, unless it is to be created only.
	replaces := k.method == http.MethodPut && !s.ifAbsent
	safe := k.method == http.MethodGet || replaces || k.harmless || s.dryRun || s.key != "" || s.ifMatch != ""
	if errors.Is(err, ErrNoAnswer) {
		// What could not be dialled has not reached the server.
		broken, ok := errors.AsType[*net.OpError](err)
		return pause, safe || ok && broken.Op == "dial"
	}
	refused, ok := errors.AsType[*Error](err)
	if !ok {
		return 0, false
	}
	if refused.RetryAfter > 0 {
		pause = refused.RetryAfter + random
	}
	switch refused.Status {
	case http.StatusTooManyRequests:
		return pause, true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return pause, safe
	}
	return pause, refused.Code == CodeIdempotencyInProgress
}

func statusOf(err error) int {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Status
	}
	return 0
}

// head is an answer without its body.
type head struct {
	status int
	header http.Header
}

// once sends a call a single time. The body of a good answer is still to be
// read, and nil after an error.
func (c *Client) once(ctx context.Context, k call, a attempt) (head, io.ReadCloser, error) {
	var body io.Reader
	switch {
	case k.upload != nil:
		body = k.upload.begin()
	case a.body != nil:
		body = bytes.NewReader(a.body)
	}
	request, err := http.NewRequestWithContext(ctx, k.method, a.url, body)
	if err != nil {
		return head{}, nil, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	a.fill(request.Header)
	request.Header.Set("User-Agent", c.options.UserAgent)
	switch {
	case k.upload != nil:
		request.Header.Set("Content-Type", k.upload.mediaType())
	case a.body != nil:
		request.Header.Set("Content-Type", "application/json")
	}
	if k.accept != "" {
		request.Header.Set("Accept", k.accept)
	}
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	response, err := c.options.HTTP.Do(request)
	if err != nil {
		return head{}, nil, fmt.Errorf("%s %s: %w: %w", k.method, k.where(), ErrNoAnswer, err)
	}
	answered := head{response.StatusCode, response.Header}
	switch status := answered.status; {
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		return answered, response.Body, nil
	case status == http.StatusNotModified && a.ifNoneMatch != "":
		return answered, nil, errors.Join(ErrNotModified, response.Body.Close())
	}
	text, err := read(response.Body)
	if err != nil {
		return head{}, nil, fmt.Errorf("%s %s: %w: %w", k.method, k.where(), ErrNoAnswer, err)
	}
	return head{}, nil, refusal(k, answered, text, a.number, c.options.Now)
}

// read reads an answer as a whole.
func read(body io.ReadCloser) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, err
	}
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("an answer of more than %d bytes", maxAnswer)
	}
	return text, nil
}

// note stores the metadata of a response, if requested.
func (s settings) note(answered head, attempts int) {
	if s.meta == nil {
		return
	}
	h := answered.header
	*s.meta = Meta{
		Status: answered.status, ETag: h.Get("ETag"), RequestID: h.Get("X-Request-Id"),
		Replayed: h.Get("Idempotent-Replayed") == "true", RateLimit: h.Get("RateLimit"), Attempts: attempts,
	}
}
