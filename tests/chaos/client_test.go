package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// attemptLimit limits one attempt; the gateway times out earlier.
	attemptLimit = 20 * time.Second
	// patience is how long a client retries: longer than any fault, and than the time
	// after which another request takes over an idempotency key.
	patience = 75 * time.Second
)

// errUnknown means that there was no definite response: the request may or may not have
// been executed.
var errUnknown = errors.New("no definite answer")

// tally counts the unexpected responses by kind.
type tally struct {
	// definite is the number of definite responses.
	definite atomic.Int64

	mu     sync.Mutex
	counts map[string]int
	// inexcusable are responses that no fault explains.
	inexcusable []string
}

// judge records a 5xx response that does not ask for a retry: whatever fails around the
// service, it must know what it does not know.
func (t *tally) judge(method, path string, a answer) {
	if a.status < http.StatusInternalServerError || a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inexcusable = append(t.inexcusable, fmt.Sprintf("%s %s is answered with %d %s", method, path, a.status, a.body))
}

// verdict returns what judge has recorded since the last call.
func (t *tally) verdict() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []error
	for _, what := range t.inexcusable {
		all = append(all, errors.New(what))
	}
	t.inexcusable = nil
	return errors.Join(all...)
}

func (t *tally) add(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[what]++
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprint(t.counts)
}

// client calls the API as one account through any of the gateways, and retries until
// its patience ends.
type client struct {
	email  string
	http   *http.Client
	bases  []string
	token  string
	random *rand.Rand
	seen   *tally
}

// clone returns a client of the same account for concurrent use, with its own random
// source.
func (c *client) clone(seed uint64) *client {
	own := *c
	own.random = rand.New(rand.NewPCG(seed, 0))
	return &own
}

// answer is a definite response: 2xx or 4xx.
type answer struct {
	status int
	code   string
	etag   string
	data   json.RawMessage
	body   []byte
	// again means that an earlier attempt had no definite response, so it may have been
	// executed.
	again bool
}

func (a answer) into(v any) error {
	if a.status >= http.StatusBadRequest {
		return fmt.Errorf("status %d: %s", a.status, a.body)
	}
	return json.Unmarshal(a.data, v)
}

func (c *client) get(ctx context.Context, path string, v any) error {
	a, err := c.ask(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	if err := a.into(v); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

// post sends a request that is executed once, however often it is sent.
func (c *client) post(ctx context.Context, path string, body any) (answer, error) {
	return c.ask(ctx, http.MethodPost, path, body, map[string]string{"Idempotency-Key": fmt.Sprintf("%016x", c.random.Uint64())})
}

// ask sends a request until it has a definite response.
func (c *client) ask(ctx context.Context, method, path string, body any, header map[string]string) (answer, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return answer{}, err
		}
	}
	giveUp := time.NewTimer(patience)
	defer giveUp.Stop()
	again := false
	for {
		a, err := c.once(ctx, method, path, text, header)
		if err == nil {
			c.seen.judge(method, path, a)
		}
		var what string
		switch {
		case err != nil:
			what = "no answer"
		case a.status >= http.StatusInternalServerError, a.status == http.StatusTooManyRequests, a.code == "IDEMPOTENCY_IN_PROGRESS":
			what = fmt.Sprint(a.status, " ", a.code)
		case a.status == http.StatusUnauthorized && path != loginPath:
			// The clock may have jumped past the expiry of the token, or before its
			// issue.
			what = fmt.Sprint(a.status, " ", a.code)
			if err := c.login(ctx); err != nil {
				return answer{}, err
			}
		default:
			a.again = again
			c.seen.definite.Add(1)
			return a, nil
		}
		c.seen.add(what)
		again = again || a.status != http.StatusUnauthorized
		pause := time.NewTimer(time.Duration(50+c.random.IntN(200)) * time.Millisecond)
		select {
		case <-pause.C:
		case <-giveUp.C:
			return answer{}, fmt.Errorf("%w: %s %s: last: %s: %s %s", errUnknown, method, path, what, fmt.Sprint(err), a.body)
		case <-ctx.Done():
			return answer{}, fmt.Errorf("%w: %s %s: %w", errUnknown, method, path, ctx.Err())
		}
	}
}

func (c *client) once(ctx context.Context, method, path string, body []byte, header map[string]string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	// Each attempt goes to a random gateway, so that a retry may meet another one.
	base := c.bases[c.random.IntN(len(c.bases))]
	request, err := http.NewRequestWithContext(ctx, method, base+"/api/v2"+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for k, v := range header {
		request.Header.Set(k, v)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return answer{}, err
	}
	a := answer{status: response.StatusCode, etag: response.Header.Get("ETag"), body: text}
	var envelope struct {
		Data  json.RawMessage
		Error struct{ Code string }
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return answer{}, fmt.Errorf("not the error envelope: %d %s", response.StatusCode, text)
	}
	a.data, a.code = envelope.Data, envelope.Error.Code
	return a, nil
}

const loginPath = "/auth/login"

// login logs in.
func (c *client) login(ctx context.Context) error {
	a, err := c.ask(ctx, http.MethodPost, loginPath, map[string]string{"email": c.email, "password": password}, nil)
	if err != nil {
		return err
	}
	var tokens struct{ AccessToken string }
	if err := a.into(&tokens); err != nil {
		return fmt.Errorf("log in as %s: %w", c.email, err)
	}
	c.token = tokens.AccessToken
	return nil
}
