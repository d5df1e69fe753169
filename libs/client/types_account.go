package client

import (
	"time"
)

// TokenBundle holds the tokens of a session.
type TokenBundle struct {
	// Sent as Authorization: Bearer <accessToken>.
	AccessToken string `json:"accessToken,omitempty"`
	// The user's identity claims. Not accepted as an access token.
	IDToken string `json:"idToken,omitempty"`
	// Gets new access tokens. Returned by login only.
	RefreshToken string `json:"refreshToken,omitempty"`
	// Lifetime of the access token in seconds.
	ExpiresIn int    `json:"expiresIn,omitempty"`
	TokenType string `json:"tokenType,omitempty"`
}

// Session is a place where an account is signed in.
type Session struct {
	// Identifier of the session.
	ID string `json:"_id"`
	// When it began: the login.
	CreatedAt time.Time `json:"createdAt"`
	// When a token of it was last issued or used.
	LastUsedAt time.Time `json:"lastUsedAt"`
	// When its refresh token ends.
	ExpiresAt time.Time `json:"expiresAt"`
	// The address it was last used from.
	Address string `json:"address,omitempty"`
	// The program it was last used by.
	UserAgent string `json:"userAgent,omitempty"`
	// Whether it is the session of this request.
	Current bool `json:"current"`
}

// Member is what everybody in an organization may know of a member.
type Member struct {
	// Identifier of the user.
	ID string `json:"_id"`
	// Name shown to others.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// "invited" until somebody accepts, "active", or "disabled".
	State string `json:"state"`
}

// OwnOrganization is an organization that the account is a member of.
type OwnOrganization struct {
	// Identifier of the organization.
	ID   string `json:"_id"`
	Name string `json:"name"`
	Role Role   `json:"role"`
	// "active", or "disabled", which gives no access.
	State string `json:"state"`
}

// User is an account of the organization.
type User struct {
	// Identifier of the user.
	ID string `json:"_id"`
	// Email they log in with.
	Email string `json:"email"`
	// Name shown to others.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// The account of a program. It has the role user, for good.
	ServiceAccount bool `json:"serviceAccount"`
	// A disabled account cannot log in; its sessions have ended.
	Disabled bool `json:"disabled"`
	// "invited" until somebody accepts, "active", or "disabled".
	State string `json:"state,omitempty"`
	// When the invitation ends; zero once it was accepted.
	InvitedUntil time.Time `json:"invitedUntil,omitzero"`
	// When the account was made.
	CreatedAt time.Time `json:"createdAt"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// Me is the account of a session: the membership of its organization, and all of
// the person's.
type Me struct {
	User
	// The organization that the token is for.
	Organization string `json:"organization"`
	// The organization of a login that names none; see UpdateMe.
	DefaultOrganization string `json:"defaultOrganization"`
	// The organizations that this person is a member of, the first one first.
	Memberships []Membership `json:"memberships"`
}

// Membership joins a person to an organization.
type Membership struct {
	// Identifier of the membership: that of the user in that organization.
	ID string `json:"_id"`
	// Id of the organization.
	Organization string `json:"organization"`
	Role         Role   `json:"role"`
	// "active", or "disabled": it gives no access until it is enabled there.
	State string `json:"state"`
}

// AcceptInput names the invitation to accept.
type AcceptInput struct {
	// The setup token of the invitation.
	Token string `json:"token"`
}

// MeInput is what to change about the own account.
type MeInput struct {
	// Id of the organization of a login that names none.
	DefaultOrganization string `json:"defaultOrganization"`
}

// CreatedUser is a new account, and the token that sets its first password.
type CreatedUser struct {
	User
	// Sets the first password by POST /auth/setup, once. It is not shown again.
	SetupToken string `json:"setupToken"`
}

// UserInput is a new account.
type UserInput struct {
	// Email to log in with, of which there is one account only.
	Email string `json:"email"`
	// Name shown to others.
	Name string `json:"name,omitempty"`
	Role Role   `json:"role"`
	// Makes the account of a program. Its Role must be RoleUser, now and later.
	ServiceAccount bool `json:"serviceAccount,omitempty"`
}

// UserPatch changes an account. What is not set stays as it is.
type UserPatch struct {
	// Name shown to others.
	Name Optional[string] `json:"name,omitzero"`
	Role Optional[Role]   `json:"role,omitzero"`
	// true ends all sessions of the account and lets nobody log in to it.
	Disabled Optional[bool] `json:"disabled,omitzero"`
}

// SetupRequest sets the first password of an account.
type SetupRequest struct {
	// The setupToken of a new or reset account.
	SetupToken string `json:"setupToken"`
	// At least 15 characters and none of the well-known ones.
	Password string `json:"password"`
}

// PasswordRequest changes a password.
type PasswordRequest struct {
	// The password that holds now.
	CurrentPassword string `json:"currentPassword"`
	// At least 15 characters and none of the well-known ones. There are no other rules.
	NewPassword string `json:"newPassword"`
}

// Organization is who owns the events, with its plan and rules.
type Organization struct {
	// Identifier of the organization.
	ID string `json:"_id"`
	// Its name.
	Name string `json:"name"`
	// The plan it has: what its quota follows from.
	Plan string `json:"plan"`
	// Events the plan has, and what is left of them.
	EventQuota EventQuota `json:"eventQuota"`
	Policy     Policy     `json:"policy"`
	// Switching four eyes off, which waits for a second administrator to ask for the same within seven days.
	PendingPolicy *PendingPolicy `json:"pendingPolicy,omitempty"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// PendingPolicy is a change of the rules that waits for a second administrator.
type PendingPolicy struct {
	// What it would be.
	FourEyes   bool  `json:"fourEyes"`
	ProposedBy Actor `json:"proposedBy"`
	// When.
	ProposedAt time.Time `json:"proposedAt"`
}

// EventQuota reports how many events the plan has, and what is left of them.
type EventQuota struct {
	// Events of the plan; nil when there is no limit.
	Limit *int `json:"limit,omitempty"`
	// Events made so far, deleted ones included.
	Used int `json:"used"`
	// Events that can still be made.
	Left *int `json:"left,omitempty"`
}

// Policy is an organization's rules of approval.
type Policy struct {
	// Who created, edited last or submitted a record cannot approve it.
	FourEyes bool `json:"fourEyes,omitempty"`
	// A change of an event that moves an approved figure needs a comment.
	RequireReason bool `json:"requireReason,omitempty"`
	// A record that counts for less is approved as it is submitted, by the move auto-approve, which its history
	// shows with the name of the admin who decided so. With fourEyes, a record this admin created, edited last or
	// submitted waits for somebody else. nil or 0: nothing is approved this way. In kg CO2e.
	AutoApproveBelowKg *Kilograms `json:"autoApproveBelowKg,omitempty"`
	// One in so many of these records, chosen by its id, waits for a person all the same; nil, none does. Without
	// autoApproveBelowKg it is not kept.
	SpotCheckOneIn *int `json:"spotCheckOneIn,omitempty"`
	// Who set the two last; not to be sent.
	AutoApproveSetBy *Actor `json:"autoApproveSetBy,omitempty"`
}

// OrganizationPatch changes the organization. What is not set stays as it is.
type OrganizationPatch struct {
	// Its name.
	Name Optional[string] `json:"name,omitzero"`
	// Rules of approval. Members that are absent stay as they are.
	Policy Optional[PolicyPatch] `json:"policy,omitzero"`
}

// PolicyPatch changes an organization's rules of approval. What is not set stays as it is; Null turns a
// rule off.
type PolicyPatch struct {
	// Who created, edited last or submitted a record cannot approve it.
	FourEyes Optional[bool] `json:"fourEyes,omitzero"`
	// A change of an event that moves an approved figure needs a comment.
	RequireReason Optional[bool] `json:"requireReason,omitzero"`
	// A record that counts for less, in kg CO2e, is approved as it is submitted.
	AutoApproveBelowKg Optional[float64] `json:"autoApproveBelowKg,omitzero"`
	// One in so many of these records waits for a person all the same.
	SpotCheckOneIn Optional[int] `json:"spotCheckOneIn,omitzero"`
}

// AuditEntry is something that was done, or refused, to accounts and sessions. Entries are chained by
// their hashes.
type AuditEntry struct {
	// Identifier of the entry.
	ID string `json:"_id"`
	// Counts the entries of the organization, without gaps.
	Sequence int `json:"sequence"`
	// When it happened.
	At time.Time `json:"at"`
	// login, refresh, logout, session.end, password.change, user.create, user.role, user.disable, user.enable,
	// user.delete, user.password, user.reset, user.setup. More may come.
	Action string `json:"action"`
	// Whether it was done or refused.
	Outcome string `json:"outcome"`
	// Why it was refused.
	Reason string `json:"reason,omitempty"`
	// The user who did it; operator for a command at the machine. Absent when nobody is known.
	Actor string `json:"actor,omitempty"`
	// The user it was done to.
	Subject string `json:"subject,omitempty"`
	// Identifier of the session it was done in.
	Session string `json:"session,omitempty"`
	// What was changed.
	Before string `json:"before,omitempty"`
	// What it was changed to.
	After string `json:"after,omitempty"`
	// The client's address.
	Address string `json:"address,omitempty"`
	// The request that caused it.
	RequestID string `json:"requestId,omitempty"`
	// The hash of the entry before; empty for the first.
	PreviousHash string `json:"previousHash"`
	// SHA-256 over the entry and the hash of the one before.
	Hash string `json:"hash"`
}

// Actor is who did something, with the name and role of that moment.
type Actor struct {
	// Identifier of the user.
	ID string `json:"_id"`
	// Their name at that moment.
	Name string `json:"name,omitempty"`
	Role Role   `json:"role"`
}
