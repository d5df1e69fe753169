// Package account defines the data of the auth service: users, with their
// password hashes, and their sessions. It is independent of storage engines and
// HTTP.
package account

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/ids"
	"github.com/eventcarbon/ecf/libs/ratelimit"
)

// User is a membership: what joins a person to an organization, and what the rest
// of the product calls a user. The first membership of a person and the person are
// one document, as they were before there were others: it alone has the password,
// the key of the email and the epoch of the person's sessions. Each further
// membership is a document of its own that names the person.
type User struct {
	ID  string
	Org string
	// Person is the ID of the person's own document; empty in that document.
	Person string
	// Left marks a person whose first membership was removed while others remain. It
	// counts as disabled, so that programs from before memberships refuse it too.
	Left bool
	// MemberEpoch revokes the tokens of this membership only: those issued in a lower
	// epoch are refused permanently.
	MemberEpoch int64
	// DefaultOrg is the organization of a sign-in that names none; empty: that of
	// the first membership. It is the person's.
	DefaultOrg string
	// Email is the address as it was given, in NFC; EmailKey is what it is
	// found by (see EmailKey).
	Email    string
	EmailKey string
	Name     string
	Role     identity.Role
	// Invited marks a membership that has not been accepted yet. It counts as disabled,
	// so that older programs refuse it too. It does not have the unique key
	// of its email, which an account with that address keeps.
	Invited bool
	// InviteHash is the hash of the one secret an invitation is accepted with until
	// InvitedUntil.
	InviteHash   string
	InvitedUntil time.Time
	// InviteKey names the request that made the invitation, where it had an
	// idempotency key, and what it asked for (see InvitationRequest).
	InviteKey string
	// Former is what an erased membership is found by when its address is invited
	// again (see FormerKey), so that the membership gets the id it had.
	Former string
	// Service marks a service account: its role is always User.
	Service  bool
	Disabled bool
	Deleted  bool
	// PasswordHash is a PHC string; empty until a password has been set.
	PasswordHash string
	// SetupHash is the hash of the one-time secret a first or new password can
	// be set with until SetupUntil; empty when there is none.
	SetupHash  string
	SetupUntil time.Time
	// SetupKey names the request that made the last link of an organization to set the
	// password, where it had an idempotency key (see InvitationRequest).
	SetupKey string
	// Epoch ends sessions: one that began in a lower epoch is over, except the
	// session Kept, in which the user raised the epoch by a password change.
	Epoch int64
	Kept  string
	// Rev counts the writes of this user, from 1.
	Rev int64
	// Mark is set by every write whose effect on sessions is not known to be in
	// their copy yet, or that owes entries to the audit log. See Changes.
	Mark      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// CountsAsAdmin reports whether the user can administer the organization.
func (u User) CountsAsAdmin() bool {
	return u.Role == identity.Admin && u.Active()
}

// Active reports whether the membership holds.
func (u User) Active() bool { return !u.Disabled && !u.Deleted && !u.Left && !u.Invited }

// Listed reports whether the membership is one of its organization, invitations
// included.
func (u User) Listed() bool { return !u.Deleted && (!u.Left || u.Invited) }

// IsInvitation reports whether the document is an invitation and nothing else: no
// person, and no membership of one.
func (u User) IsInvitation() bool { return u.Invited && !u.Left && u.Person == "" }

// FormerKey returns what an erased membership is found by: a hash of organization
// and address that no other organization can compare with its own.
func FormerKey(org, emailKey string) string {
	return HashSecret("former\x00" + org + "\x00" + emailKey)
}

// InvitationRequest returns what an invitation stores of the request that created it: a
// hash of caller and key, and one of the contents. Neither can be
// reversed.
func InvitationRequest(actor, key, asked string) string {
	return HashSecret(actor + "\x00" + key)[:32] + "." + HashSecret(asked)[:32]
}

// invited is the prefix of what InvitationKey returns.
const invited = "invited:"

// InvitationKey returns what the unique key of the store holds for an invitation, and
// for the separate account that one has become: one of an address in an organization.
// No address is such a text.
func InvitationKey(org, emailKey string) string {
	return invited + HashSecret(org+"\x00"+emailKey)
}

// IsInvitationKey reports whether a text is what InvitationKey returns.
func IsInvitationKey(text string) bool { return strings.HasPrefix(text, invited) }

// Separate reports whether the document is a separate account, which belongs to one
// organization only. It does not have the unique key of its address, which another
// account may have: it is found by organization and address together.
func (u User) Separate() bool {
	return u.Person == "" && !u.Deleted && !u.IsInvitation() && IsInvitationKey(u.EmailKey)
}

// PersonID returns the ID of the document of the person.
func (u User) PersonID() string {
	if u.Person != "" {
		return u.Person
	}
	return u.ID
}

// StoredEmailKey returns what the unique key of the store holds, which old programs
// respect: the email of a person; the id of a deleted one, which no address can be;
// and of a further membership what it is unique by.
func (u User) StoredEmailKey() string {
	switch {
	case u.Person != "":
		return u.Org + "." + u.Person
	case u.Deleted:
		return u.ID
	case u.IsInvitation():
		return InvitationKey(u.Org, EmailKey(u.Email))
	}
	return u.EmailKey
}

// Rekeyed returns the user with the key that its address has now, and whether that is
// another one: release 2.0 had a key for each spelling of an internationalized domain.
func (u User) Rekeyed() (User, bool) {
	key := EmailKey(u.Email)
	switch {
	case u.Person != "" || u.Deleted || u.Email == "":
		return u, false
	case IsInvitationKey(u.EmailKey):
		key = InvitationKey(u.Org, key)
	}
	changed := key != u.EmailKey
	u.EmailKey = key
	return u, changed
}

// EndSessions raises the epoch of a person, so that every session is over, in
// whichever organization, except keep (empty: none).
func (u *User) EndSessions(keep string) { u.Epoch, u.Kept = u.Epoch+1, keep }

// EndTokens ends the tokens of this membership, and what would renew them.
func (u *User) EndTokens() { u.MemberEpoch++ }

// Fact returns what others may know about the user's sessions.
func (u User) Fact() sessions.User {
	return sessions.User{ID: u.ID, Org: u.Org, Role: u.Role, Disabled: !u.Active(), Epoch: u.Epoch, Kept: u.Kept, MemberEpoch: u.MemberEpoch, Rev: u.Rev}
}

// Session is what one login began. Its refresh token stays good until Expires,
// or until the session ends. It is the person's; the membership it was begun in is
// what a refresh that names no organization is of.
type Session struct {
	ID   string
	User string // the person
	Org  string // of the person's first membership
	// Member is the ID of the membership it was begun in, and MemberOrg its
	// organization; both are empty for the first one.
	Member, MemberOrg string
	MemberEpoch       int64 // the membership's when the session began
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

// Network returns the network that the address is of, as limits count it; empty for none.
func (o Origin) Network() string {
	addr, err := netip.ParseAddr(o.Address)
	if err != nil {
		return ""
	}
	return ratelimit.AddressKey(addr)
}

// Fact returns what others may know about the session.
func (s Session) Fact() sessions.Session {
	return sessions.Session{ID: s.ID, User: s.User, Org: s.Org, Epoch: s.Epoch, MemberEpoch: s.MemberEpoch,
		// Tokens of another membership never name the session alone.
		Ended: !s.EndedAt.IsZero() || s.Member != "", Expires: s.Expires, Rev: s.Rev}
}

// NewID returns a new random id.
func NewID() string { return ids.New() }

// NewMark makes a mark that no other write has. It has the entries that the write owes to the
// audit log: they are stored with what they are about, so that they are not lost if the process
// ends before it has entered them.
func NewMark(owed ...AuditEntry) string {
	mark := rand.Text()
	if len(owed) == 0 {
		return mark
	}
	text, _ := json.Marshal(owed) // texts and a time of this century: never fails
	return mark + owedAfter + string(text)
}

// owedAfter separates the owed entries of a mark from what makes it unique.
const owedAfter = " "

// Owed returns the entries that the last write of the user owes to the audit log. Some or all may
// be there already.
func (u User) Owed() []AuditEntry {
	_, text, ok := strings.Cut(u.Mark, owedAfter)
	var owed []AuditEntry
	if !ok || json.Unmarshal([]byte(text), &owed) != nil {
		return nil
	}
	return owed
}

// secretBytes is 256 bits, enough entropy for a plain hash.
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
