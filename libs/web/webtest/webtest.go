// Package webtest sends requests to the app of a service in tests, without a network.
package webtest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Tokens verifies tokens of the form "organization.user.role", without a signature.
type Tokens struct{}

// Verify returns the principal that the token names.
func (Tokens) Verify(_ context.Context, token string) (identity.Principal, error) {
	token = strings.Clone(token) // Fiber reuses the buffer that holds it
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return identity.Principal{}, errors.New("webtest: no token")
	}
	role, err := identity.ParseRole(parts[2])
	return identity.Principal{UserID: parts[1], Name: parts[1], Org: parts[0], Role: role}, err
}

// Sessions are Tokens whose sessions can end, all at once.
type Sessions struct{ ended atomic.Bool }

// End ends all sessions.
func (s *Sessions) End() { s.ended.Store(true) }

// Verify is Tokens.Verify until the sessions have ended.
func (s *Sessions) Verify(ctx context.Context, token string) (identity.Principal, error) {
	if s.ended.Load() {
		return identity.Principal{}, identity.NotAdmitted()
	}
	return Tokens{}.Verify(ctx, token)
}

// Answer is a response whose body has been read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send makes a request with a bearer token and, if the body is not empty, a JSON body.
// header alternates names and values, which override the defaults. It fails the test if
// there is no response.
func Send(t testing.TB, app *fiber.App, token, method, path, body string, header ...string) Answer {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := app.Test(request, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: text}
}
