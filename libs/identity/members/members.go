// Package members answers who is an active member of an organization, and in which
// role. The truth is in the store of the auth service.
package members

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Path is where auth answers, on its own port, to who presents an access token of the
// organization, and to a service of the installation that names one. The gateway never exposes it.
const Path = "/internal/members"

// Organization is the parameter of Path that names the organization where there is no token.
const Organization = "org"

// OwnPath is where auth answers, on its own port, what the person behind an access
// token is a member of. The gateway never exposes it.
const OwnPath = "/internal/memberships"

// Membership joins the person who asks to an organization.
type Membership struct {
	ID           string        `json:"_id"`
	Organization string        `json:"organization"`
	Role         identity.Role `json:"role"`
	// State is active or disabled.
	State string `json:"state"`
}

// Directory knows the active members of organizations.
type Directory interface {
	// Roles returns the roles of those of the ids that are active members of the
	// organization; the others are missing.
	Roles(ctx context.Context, org string, ids []string) (map[string]identity.Role, error)
	// Own returns what the person behind a user of the organization is a member of, the
	// first membership first.
	Own(ctx context.Context, org, user string) ([]Membership, error)
}

// Remote is the directory over HTTP.
type Remote struct {
	base   string
	client *http.Client
}

var _ Directory = (*Remote)(nil)

// NewRemote makes a directory that asks the auth service at base.
func NewRemote(base string, client *http.Client) *Remote {
	return &Remote{base: strings.TrimSuffix(base, "/"), client: client}
}

// maxAnswer bounds what is read of an answer in bytes.
const maxAnswer = 1 << 20

// Roles asks auth, with the token that identity.TokenOf returns: the organization is then
// that of the token. Without one it asks in the name of the service, which the client proves.
func (r *Remote) Roles(ctx context.Context, org string, ids []string) (map[string]identity.Role, error) {
	roles := map[string]identity.Role{}
	query := url.Values{"id": ids}
	if identity.TokenOf(ctx) == "" {
		query.Set(Organization, org)
	}
	err := r.ask(ctx, Path+"?"+query.Encode(), &roles)
	return roles, err
}

// Own asks auth, with the token that identity.TokenOf returns. The user is that of the
// token.
func (r *Remote) Own(ctx context.Context, _, _ string) ([]Membership, error) {
	var own []Membership
	err := r.ask(ctx, OwnPath, &own)
	return own, err
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
