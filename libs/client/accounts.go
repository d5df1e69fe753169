package client

import (
	"context"
	"net/http"
)

// SetUpAccount sets the first password of an account; log in afterwards.
func (c *Client) SetUpAccount(ctx context.Context, r SetupRequest, options ...Option) error {
	k := write(http.MethodPost, r, "auth", "setup")
	k.open = true
	return c.tell(ctx, k, options)
}

// Me returns the account of the session, and the organizations it is a member of.
func (c *Client) Me(ctx context.Context, options ...Option) (*Me, error) {
	return ask[Me](ctx, c, get("auth", "me"), options)
}

// UpdateMe sets the organization of logins that name none.
func (c *Client) UpdateMe(ctx context.Context, m MeInput, options ...Option) (*Me, error) {
	return ask[Me](ctx, c, write(http.MethodPatch, m, "auth", "me"), options)
}

// LookUpInvitation names the organization and the role that a setup token offers. It needs no
// session.
func (c *Client) LookUpInvitation(ctx context.Context, in InvitationLookup, options ...Option) (*Invitation, error) {
	k := call{method: http.MethodPost, path: []string{"auth", "invitations", "lookup"}, body: in, open: true, harmless: true}
	return ask[Invitation](ctx, c, k, options)
}

// AcceptInvitation makes an invitation to the email of the account a membership, with
// the setup token that was handed over.
func (c *Client) AcceptInvitation(ctx context.Context, in AcceptInput, options ...Option) (*Membership, error) {
	return ask[Membership](ctx, c, write(http.MethodPost, in, "auth", "invitations", "accept"), options)
}

// ChangePassword changes the password of the account and ends its other
// sessions.
func (c *Client) ChangePassword(ctx context.Context, r PasswordRequest, options ...Option) error {
	return c.tell(ctx, write(http.MethodPost, r, "auth", "password"), options)
}

// ListSessions lists where the account is signed in.
func (c *Client) ListSessions() *Listing[Session] { return list[Session](c, "auth", "sessions") }

// EndSession ends a session of the account.
func (c *Client) EndSession(ctx context.Context, sessionID string, options ...Option) (*Deleted, error) {
	return ask[Deleted](ctx, c, write(http.MethodDelete, nil, "auth", "sessions", sessionID), options)
}

// ListUsers lists the members of the organization. For administrators.
func (c *Client) ListUsers() *Listing[User] { return list[User](c, "users") }

// CreateUser invites somebody, who may have an account already. Repeated with the
// same [IdempotencyKey] it is the same invitation with a fresh setup token, which ends
// the former one. For administrators.
func (c *Client) CreateUser(ctx context.Context, u UserInput, options ...Option) (*CreatedUser, error) {
	return ask[CreatedUser](ctx, c, post(u, "users"), options)
}

// CreateSetupLink makes the setup token with which a user who has forgotten the password
// sets another one; the present one holds until then. It is refused for whom the
// organization is not the only one of. For administrators.
func (c *Client) CreateSetupLink(ctx context.Context, userID string, options ...Option) (*CreatedUser, error) {
	return ask[CreatedUser](ctx, c, post(nil, "users", userID, "setup-link"), options)
}

// GetUser reads an account. For administrators.
func (c *Client) GetUser(ctx context.Context, userID string, options ...Option) (*User, error) {
	return ask[User](ctx, c, get("users", userID), options)
}

// UpdateUser changes an account. For administrators.
func (c *Client) UpdateUser(ctx context.Context, userID string, p UserPatch, options ...Option) (*User, error) {
	return ask[User](ctx, c, write(http.MethodPatch, p, "users", userID), options)
}

// DeleteUser deletes an account. For administrators.
func (c *Client) DeleteUser(ctx context.Context, userID string, options ...Option) (*Deleted, error) {
	return ask[Deleted](ctx, c, write(http.MethodDelete, nil, "users", userID), options)
}

// GetOrganization reads the organization, its plan and its policy.
func (c *Client) GetOrganization(ctx context.Context, options ...Option) (*Organization, error) {
	return ask[Organization](ctx, c, get("organization"), options)
}

// ListMembers lists who is in the organization, by name and role.
func (c *Client) ListMembers() *Listing[Member] {
	return list[Member](c, "organization", "members")
}

// ListOrganizations lists the organizations that the account is a member of, by name.
func (c *Client) ListOrganizations() *Listing[OwnOrganization] {
	return list[OwnOrganization](c, "organizations")
}

// UpdateOrganization changes the organization. For administrators.
func (c *Client) UpdateOrganization(ctx context.Context, p OrganizationPatch, options ...Option) (*Organization, error) {
	k := write(http.MethodPatch, p, "organization")
	k.keyed = true
	return ask[Organization](ctx, c, k, options)
}

// ListAuditLog lists what was done, or refused, to accounts and sessions. For
// administrators.
func (c *Client) ListAuditLog() *Listing[AuditEntry] {
	return list[AuditEntry](c, "organization", "audit")
}
