// Package account defines what the auth service keeps: users, with their
// password hashes, and the sessions they have opened. It knows no engine and no
// HTTP.
package account

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/ids"
)

// User is one account. Its email is unique over all organizations.
type User struct {
	ID  string
	Org string
	// Email is the address as it was given, in NFC; EmailKey is what it is
	// found by (see EmailKey).
	Email    string
	EmailKey string
	Name     string
	Role     identity.Role
	// Service marks the account of a program: its role is User, for good.
	Service  bool
	Disabled bool
	Deleted  bool
	// PasswordHash is a PHC string; empty until a password has been set.
	PasswordHash string
	// SetupHash is the hash of the one-time secret a first or new password can
	// be set with until SetupUntil; empty when there is none.
	SetupHash  string
	SetupUntil time.Time
	// Epoch ends sessions: one that began in a lower epoch is over, except the
	// session Kept, in which the user raised the epoch by a password change.
	Epoch int64
	Kept  string
	// Rev counts the writes of this user, from 1.
	Rev int64
	// Mark is set by every write whose effect on sessions is not known to be in
	// their copy yet. See Changes.
	Mark      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// CountsAsAdmin reports whether the user can administer the organization.
func (u User) CountsAsAdmin() bool {
	return u.Role == identity.Admin && !u.Disabled && !u.Deleted
}

// EndSessions raises the epoch, so that every session of the user is over,
// except keep (empty: none).
func (u *User) EndSessions(keep string) { u.Epoch, u.Kept = u.Epoch+1, keep }

// Fact returns what others may know about the user's sessions.
func (u User) Fact() sessions.User {
	return sessions.User{ID: u.ID, Org: u.Org, Role: u.Role, Disabled: u.Disabled || u.Deleted, Epoch: u.Epoch, Kept: u.Kept, Rev: u.Rev}
}

// Session is what one login began. Its refresh token stays good until Expires,
// or until the session ends.
type Session struct {
	ID   string
	User string
	Org  string
	// SecretHash is the hash of the refresh token's secret. The secret itself
	// is nowhere.
	SecretHash string
	Epoch      int64 // the user's when the session began
	CreatedAt  time.Time
	Expires    time.Time
	LastUsedAt time.Time
	// Where the session was begun from and last refreshed from.
	Created Origin
	Last    Origin
	// EndedAt is zero until the session is ended by other means than time.
	EndedAt   time.Time
	EndReason string
	// Rev is 1 for a new session and goes up when it ends; its last use does
	// not count.
	Rev  int64
	Mark string // as in User
}

// Origin is where a request came from.
type Origin struct {
	Address   string // IP address; may be empty
	UserAgent string // cut to a readable length
}

// Fact returns what others may know about the session.
func (s Session) Fact() sessions.Session {
	return sessions.Session{ID: s.ID, User: s.User, Org: s.Org, Epoch: s.Epoch, Ended: !s.EndedAt.IsZero(), Expires: s.Expires, Rev: s.Rev}
}

// NewID returns a new random id.
func NewID() string { return ids.New() }

// NewMark makes a mark that no other write has.
func NewMark() string { return rand.Text() }

// secretBytes is 256 bits: more than enough to be stored under a plain hash.
const secretBytes = 32

// NewSecret makes a random secret and the hash it is stored as.
func NewSecret() (secret, hash string) {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	return secret, HashSecret(secret)
}

// HashSecret returns the hash a secret is stored as.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// SecretMatches compares a secret with a stored hash, in a time that does not
// depend on where they differ. The empty hash matches nothing.
func SecretMatches(secret, hash string) bool {
	return hash != "" && subtle.ConstantTimeCompare([]byte(HashSecret(secret)), []byte(hash)) == 1
}

// JoinToken makes an opaque token of the id of what it opens and a secret.
func JoinToken(id, secret string) string { return id + "." + secret }

// SplitToken takes an opaque token apart. It is false for anything that
// JoinToken with a secret of NewSecret cannot have made.
func SplitToken(token string) (id, secret string, ok bool) {
	if len(token) > 512 {
		return "", "", false
	}
	dot := strings.LastIndexByte(token, '.')
	if dot < 1 {
		return "", "", false
	}
	id, secret = token[:dot], token[dot+1:]
	raw, err := base64.RawURLEncoding.Strict().DecodeString(secret)
	return id, secret, err == nil && len(raw) == secretBytes
}

// maxEmail is the longest address that can be delivered to (RFC 5321 §4.5.3.1).
const maxEmail = 254

// EmailKey returns what an address is found by: without surrounding space, in
// NFC, case-folded. Two addresses that people take for the same have one key.
func EmailKey(email string) string {
	folded := cases.Fold().String(norm.NFC.String(strings.TrimSpace(email)))
	// Folding alone swaps the cases of some Cherokee letters.
	return norm.NFC.String(strings.ToLower(folded))
}

// CheckEmail normalizes an address for storage. It asks only for what every
// address has: only the mail server knows more.
func CheckEmail(email string) (string, error) {
	e := norm.NFC.String(strings.TrimSpace(email))
	at := strings.LastIndexByte(e, '@')
	switch {
	case !utf8.ValidString(e), len(e) > maxEmail, at < 1, at > 64, at == len(e)-1, strings.Contains(e[:at], "@"):
		return "", ErrEmail
	}
	for _, r := range e {
		if unicode.IsSpace(r) || unicode.IsControl(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>(),;:\"[]`, r) {
			return "", ErrEmail
		}
	}
	domain := e[at+1:]
	if strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return "", ErrEmail
	}
	return e, nil
}

// ErrEmail says that a text is no email address.
var ErrEmail = errors.New("account: not an email address")
