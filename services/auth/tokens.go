package auth

import (
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// bundle is the token bundle of the specification.
type bundle struct {
	AccessToken  string `json:"accessToken"`
	IDToken      string `json:"idToken"`
	RefreshToken string `json:"refreshToken,omitempty"` // from login only
	ExpiresIn    int64  `json:"expiresIn"`              // seconds
	TokenType    string `json:"tokenType"`
}

// maxTokenName limits the name in a token, in bytes, so that every token is smaller
// than a kilobyte.
const maxTokenName = 128

// issue creates the tokens of a session and a membership of its person: an access token
// for the API and an ID token for the client, each with its own type and audience.
func (s *Service) issue(u account.User, v account.Session, person string) (bundle, error) {
	now := s.now().UTC().Truncate(time.Second) // the precision of tokens
	expires := now.Add(s.config.AccessTokenTTL)
	if expires.After(v.Expires) {
		expires = v.Expires.Truncate(time.Second) // no token outlives its session
	}
	sid := v.ID
	if v.Member != "" || u.ID != person || u.MemberEpoch != v.MemberEpoch {
		sid = sessions.Switched{Session: v.ID, Member: u.ID, Epoch: u.MemberEpoch}.String()
	}
	name := cutBytes(u.Name, maxTokenName)
	claims := func(audience string) jwt.RegisteredClaims {
		return jwt.RegisteredClaims{
			Issuer: s.config.Issuer, Subject: u.ID, Audience: jwt.ClaimStrings{audience},
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires), ID: account.NewID(),
		}
	}
	access, err := s.keys.Sign(identity.TypeAccess, identity.AccessClaims{
		RegisteredClaims: claims(identity.Audience), ClientID: identity.ClientID,
		Org: u.Org, Role: u.Role.String(), Name: name, Session: sid,
	})
	if err != nil {
		return bundle{}, err
	}
	id, err := s.keys.Sign(identity.TypeID, identity.IDClaims{
		RegisteredClaims: claims(identity.ClientID), AuthTime: v.CreatedAt.Unix(),
		Email: u.Email, Name: name, Org: u.Org, Role: u.Role.String(), Session: sid,
	})
	if err != nil {
		return bundle{}, err
	}
	return bundle{AccessToken: access, IDToken: id, ExpiresIn: int64(expires.Sub(now) / time.Second), TokenType: "Bearer"}, nil
}

// cutBytes shortens s to at most n bytes, at a character boundary.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
