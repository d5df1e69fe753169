// Package members looks up the active members of an organization and their roles. The
// authoritative data is in the store of the auth service.
package members

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Path is the path, on auth's own port, for callers with an access token of the organization,
// and for services of the deployment that name one. The gateway never exposes it.
const Path = "/internal/members"

// Organization is the parameter of Path that names the organization if there is no token.
const Organization = "org"

// OwnPath is the path, on auth's own port, that returns the memberships of the person behind an
// access token. The gateway never exposes it.
const OwnPath = "/internal/memberships"

// Membership is a membership of the calling person in an organization.
type Membership struct {
	ID           string        `json:"_id"`
	Organization string        `json:"organization"`
	Role         identity.Role `json:"role"`
	// State is active or disabled.
	State string `json:"state"`
}

// InvitationPath is the path, on auth's own port, that returns the invitation behind a setup
// token, which is the credential. The gateway never exposes it.
const InvitationPath = "/internal/invitation"

// Invitation is what a setup token offers.
type Invitation struct {
	Organization string        `json:"organization"`
	Role         identity.Role `json:"role"`
}

// ErrNoInvitation is returned for a token that opens no invitation.
var ErrNoInvitation = errors.New("members: the token opens no invitation")

// Directory looks up the active members of organizations.
type Directory interface {
	// Roles returns the roles of those ids that are active members of the organization; the
	// others are absent.
	Roles(ctx context.Context, org string, ids []string) (map[string]identity.Role, error)
	// Own returns the memberships of the person behind a user of the organization, the first
	// membership first.
	Own(ctx context.Context, org, user string) ([]Membership, error)
	// Invitation returns what a setup token offers, or ErrNoInvitation.
	Invitation(ctx context.Context, setupToken string) (Invitation, error)
}

// Remote is the directory over HTTP.
type Remote struct {
	base   string
	client *http.Client
}

var _ Directory = (*Remote)(nil)

// NewRemote returns a directory that queries the auth service at base.
func NewRemote(base string, client *http.Client) *Remote {
	return &Remote{base: strings.TrimSuffix(base, "/"), client: client}
}

// maxAnswer bounds the size of a response in bytes.
const maxAnswer = 1 << 20

// Roles queries auth with the token that identity.TokenOf returns, which determines the
// organization. Without one it queries in the name of the service, which the client proves.
func (r *Remote) Roles(ctx context.Context, org string, ids []string) (map[string]identity.Role, error) {
	roles := map[string]identity.Role{}
	query := url.Values{"id": ids}
	if identity.TokenOf(ctx) == "" {
		query.Set(Organization, org)
	}
	err := r.ask(ctx, Path+"?"+query.Encode(), &roles)
	return roles, err
}

// Own queries auth with the token that identity.TokenOf returns, which determines the user.
func (r *Remote) Own(ctx context.Context, _, _ string) ([]Membership, error) {
	var own []Membership
	err := r.ask(ctx, OwnPath, &own)
	return own, err
}

// Invitation queries auth with the setup token in place of an access token.
func (r *Remote) Invitation(ctx context.Context, setupToken string) (Invitation, error) {
	var i Invitation
	err := r.ask(identity.WithToken(ctx, setupToken), InvitationPath, &i)
	return i, err
}

func (r *Remote) ask(ctx context.Context, path string, data any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path, nil)
	if err != nil {
		return fmt.Errorf("ask auth for members: %w", err)
	}
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(req.Header))
	if token := identity.TokenOf(ctx); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask auth for members: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNotFound && path == InvitationPath {
		return ErrNoInvitation
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("ask auth for members: status %d", res.StatusCode)
	}
	body := struct {
		Data any `json:"data"`
	}{data}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&body); err != nil {
		return fmt.Errorf("ask auth for members: %w", err)
	}
	return nil
}
