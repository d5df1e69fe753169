package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

type tokenBundle struct {
	AccessToken  string `json:"accessToken"`
	RefreshToken string `json:"refreshToken"`
	ExpiresIn    int    `json:"expiresIn"`
	TokenType    string `json:"tokenType"`
}

var errNoToken = errors.New("the token bundle lacks a token")

// Login begins a session. Logins are few (the server allows thirty logins and
// renewals in a quarter of an hour), so a client logs in once.
func (c *Client) Login(ctx context.Context, email, password string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.access, c.renewal = "", ""
	bundle, err := c.tokens(ctx, "/auth/login", map[string]string{"email": email, "password": password})
	if err != nil {
		return fmt.Errorf("log in as %s: %w", email, err)
	}
	if bundle.RefreshToken == "" {
		return fmt.Errorf("log in as %s: %w", email, errNoToken)
	}
	c.access, c.renewal = bundle.AccessToken, bundle.RefreshToken
	return nil
}

// Token gives the access token; empty before Login.
func (c *Client) Token() string { return c.token() }

func (c *Client) token() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.access
}

// renew gets another access token in place of one that was refused. Of many
// requests that were refused together, one renews and the others find it done.
func (c *Client) renew(ctx context.Context, refused string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.access != refused {
		return nil
	}
	bundle, err := c.tokens(ctx, "/auth/refresh", map[string]string{"refreshToken": c.renewal})
	if err != nil {
		return fmt.Errorf("renew the access token: %w", err)
	}
	c.access = bundle.AccessToken
	return nil
}

// tokens is called with the lock held, so it sends through a client of its own
// that has no session.
func (c *Client) tokens(ctx context.Context, path string, body any) (tokenBundle, error) {
	anonymous := &Client{base: c.base, Options: c.Options}
	answer, err := anonymous.Send(ctx, Request{Method: http.MethodPost, Path: path, Body: body, Repeat: true})
	if err != nil {
		return tokenBundle{}, err
	}
	var bundle tokenBundle
	if err := answer.Into(&bundle); err != nil {
		return tokenBundle{}, err
	}
	if bundle.AccessToken == "" {
		return tokenBundle{}, errNoToken
	}
	return bundle, nil
}
