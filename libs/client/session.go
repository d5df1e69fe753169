package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// session holds the tokens.
type session struct {
	organization string // of refreshes; empty: that of the login
	// renewing has room for one: it serializes refreshes.
	renewing chan struct{}

	mu     sync.Mutex
	tokens TokenBundle
}

func (s *session) access() string { return s.get().AccessToken }

func (s *session) get() TokenBundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens
}

func (s *session) set(t TokenBundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens, s.organization = t, ""
}

// enter sets the tokens of another organization and remembers it.
func (s *session) enter(organization string, t TokenBundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens, s.organization = t, organization
}

// switched returns the organization that refreshes are of; empty: that of the login.
func (s *session) switched() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.organization
}

// replace sets the tokens, unless somebody has logged in or out meanwhile.
func (s *session) replace(old, fresh TokenBundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == old {
		s.tokens = fresh
	}
}

var errNoToken = errors.New("the server gave no token")

// Login begins a session for an account; what the client had before is
// forgotten. Logins are few by the server's limits, so a client logs in once and
// keeps its tokens for their lifetime.
func (c *Client) Login(ctx context.Context, email, password string, options ...Option) error {
	return c.login(ctx, options, map[string]string{"email": email, "password": password})
}

// LoginTo is Login to one of several organizations that the account is a member of.
func (c *Client) LoginTo(ctx context.Context, email, password, organization string, options ...Option) error {
	return c.login(ctx, options, map[string]string{"email": email, "password": password, "organization": organization})
}

// SwitchTo continues the session in another organization of the account: refreshes are for that organization from
// then on.
func (c *Client) SwitchTo(ctx context.Context, organization string) error {
	now := c.session.get()
	fresh, err := c.tokens(ctx, nil, map[string]string{"refreshToken": now.RefreshToken, "organization": organization}, "auth", "refresh")
	if err != nil {
		return err
	}
	fresh.RefreshToken = now.RefreshToken
	c.session.enter(organization, *fresh)
	return nil
}

func (c *Client) login(ctx context.Context, options []Option, body map[string]string) error {
	bundle, err := c.tokens(ctx, options, body, "auth", "login")
	if err != nil {
		return err
	}
	c.session.set(*bundle)
	return nil
}

// Refresh gets a new access token. Calls with an expired token do so automatically.
func (c *Client) Refresh(ctx context.Context) error {
	_, err := c.renew(ctx, c.session.access())
	return err
}

// Tokens returns the tokens of the session, to continue it in another client by
// [Options]. They are as secret as a password.
func (c *Client) Tokens() TokenBundle { return c.session.get() }

// Logout ends the session. Its tokens stop working at once, and the client
// forgets them, unless it is a rehearsal.
func (c *Client) Logout(ctx context.Context, options ...Option) error {
	k := write(http.MethodPost, nil, "auth", "logout")
	if err := c.tell(ctx, k, options); err != nil {
		return err
	}
	if s, err := c.settle(k, options); err == nil && !s.dryRun {
		c.session.set(TokenBundle{})
	}
	return nil
}

func (c *Client) tokens(ctx context.Context, options []Option, body any, path ...string) (*TokenBundle, error) {
	// A lost login leaves an unused session, a lost refresh nothing.
	bundle, err := ask[TokenBundle](ctx, c, call{method: http.MethodPost, path: path, body: body, open: true, harmless: true}, options)
	if err == nil && bundle.AccessToken == "" {
		err = errNoToken
	}
	return bundle, err
}

// renew gets another access token in place of one that was refused, and reports
// whether there is another one now. Of many calls that were refused together,
// one renews and the others find it done. When the refresh token is refused too,
// both are forgotten: no later call tries again.
func (c *Client) renew(ctx context.Context, refused string) (done bool, err error) {
	select {
	case c.session.renewing <- struct{}{}:
		defer func() { <-c.session.renewing }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	now := c.session.get()
	if now.AccessToken != refused {
		return now.AccessToken != "", nil
	}
	if now.RefreshToken == "" {
		return false, nil
	}
	body := map[string]string{"refreshToken": now.RefreshToken}
	if organization := c.session.switched(); organization != "" {
		body["organization"] = organization
	}
	fresh, err := c.tokens(ctx, nil, body, "auth", "refresh")
	if err != nil {
		if statusOf(err) == http.StatusUnauthorized {
			c.session.replace(now, TokenBundle{})
		}
		return false, err
	}
	fresh.RefreshToken = now.RefreshToken
	c.session.replace(now, *fresh)
	return true, nil
}
