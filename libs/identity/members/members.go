// Package members looks up the active members of an organization and their roles. The
// authoritative data is in the store of the auth service.
package members

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/authclient"
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
type Remote struct{ auth *authclient.Client }

var _ Directory = (*Remote)(nil)

// NewRemote returns a directory that queries the auth service at base; see authclient.New.
func NewRemote(base string, client *http.Client) *Remote {
	return &Remote{authclient.New(base, client)}
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
	err := r.auth.Get(ctx, Path+"?"+query.Encode(), maxAnswer, &roles)
	return roles, err
}

// Own queries auth with the token that identity.TokenOf returns, which determines the user.
func (r *Remote) Own(ctx context.Context, _, _ string) ([]Membership, error) {
	var own []Membership
	err := r.auth.Get(ctx, OwnPath, maxAnswer, &own)
	return own, err
}

// Invitation queries auth with the setup token in place of an access token.
func (r *Remote) Invitation(ctx context.Context, setupToken string) (Invitation, error) {
	var i Invitation
	err := r.auth.Get(identity.WithToken(ctx, setupToken), InvitationPath, maxAnswer, &i)
	if status, ok := errors.AsType[authclient.StatusError](err); ok && status == http.StatusNotFound {
		err = ErrNoInvitation
	}
	return i, err
}
