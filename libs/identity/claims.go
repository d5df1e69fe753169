package identity

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Constants of the tokens of this product. An access token and an ID token differ in type and
// audience, so neither is accepted as the other (RFC 8725 §3.11, RFC 9068 §4).
const (
	// TypeAccess is the typ header of an access token (RFC 9068).
	TypeAccess = "at+jwt"
	// TypeID is the typ header of an ID token.
	TypeID = "JWT"
	// Audience is the aud of an access token.
	Audience = "ecf-api"
	// ClientID is the client_id of an access token and the aud of an ID token: the only client
	// is the product's own sign-in.
	ClientID = "ecf"
)

// AccessClaims are the claims of an access token.
type AccessClaims struct {
	jwt.RegisteredClaims
	ClientID string `json:"client_id"`
	Org      string `json:"org"`
	Role     string `json:"role"`
	Name     string `json:"name,omitempty"`
	Session  string `json:"sid"`
}

// IDClaims are the claims of an ID token (OpenID Connect Core §2).
type IDClaims struct {
	jwt.RegisteredClaims
	AuthTime int64  `json:"auth_time"`
	Email    string `json:"email"`
	Name     string `json:"name,omitempty"`
	Org      string `json:"org"`
	Role     string `json:"role"`
	Session  string `json:"sid"`
}

// issuedAhead is how far in the future iat may be, because clocks differ. Expiry and nbf have
// no leeway.
const issuedAhead = 30 * time.Second

// fault returns what is wrong with the claims for a verifier of issuer at now, or the empty
// string. The texts are for the log; they contain nothing of the token.
func (c *AccessClaims) fault(issuer string, now time.Time) string {
	switch {
	case c.Issuer != issuer:
		return "issuer is another"
	case len(c.Audience) != 1 || c.Audience[0] != Audience:
		return "audience is another"
	case c.ClientID != ClientID:
		return "client is another"
	case c.ExpiresAt == nil:
		return "no expiry"
	case !now.Before(c.ExpiresAt.Time):
		return faultExpired
	case c.IssuedAt == nil:
		return "no time of issue"
	case c.IssuedAt.After(now.Add(issuedAhead)):
		return "issued in the future"
	case c.NotBefore != nil && now.Before(c.NotBefore.Time):
		return "not valid yet"
	case c.Subject == "" || c.Org == "" || c.Session == "" || c.ID == "":
		return "subject, organization, session or id is missing"
	}
	if _, err := ParseRole(c.Role); err != nil {
		return "role is unknown"
	}
	return ""
}

// validFrom returns the time from which valid claims are no longer faulty for being early.
func (c *AccessClaims) validFrom() time.Time {
	from := c.IssuedAt.Add(-issuedAhead)
	if c.NotBefore != nil && c.NotBefore.After(from) {
		from = c.NotBefore.Time
	}
	return from
}

const faultExpired = "expired"

// principal returns the caller named by valid claims.
func (c *AccessClaims) principal() Principal {
	role, _ := ParseRole(c.Role)
	return Principal{
		UserID:  c.Subject,
		Org:     c.Org,
		Role:    role,
		Name:    c.Name,
		Session: c.Session,
		Expires: c.ExpiresAt.Time,
	}
}
