package auth

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const (
	// maxEmailInput and maxSecretInput limit input in characters: more than any email,
	// password or token has.
	maxEmailInput  = 320
	maxSecretInput = 1024
	maxUserAgent   = 200
	// maxOrganization bounds the id of an organization.
	maxOrganization = 64
)

// login answers POST /auth/login.
func (s *Service) login(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("email", "password")
	email, _ := r.Verbatim("email", 1, maxEmailInput)
	secret := secretField(r, "password")
	org, _ := r.String("organization", 1, maxOrganization)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	tokens, err := s.logIn(withCaller(c), email, secret, org)
	s.signIns.add(c.UserContext(), err)
	if err != nil {
		return err
	}
	return web.OK(c, tokens)
}

// logIn checks an email and a password and begins a session. All failures get the same
// response, after the same work, including an entry of the audit log, whichever account
// it is for. An attempt counts as failed until it has succeeded, so that concurrent
// attempts cannot exceed the limit.
func (s *Service) logIn(ctx context.Context, email, secret, org string) (bundle, error) {
	emailKey := account.EmailKey(email)
	known, _ := callerOf(ctx)
	accounts := accountsOf(email, org)
	may, forgive, err := s.failures.begin(ctx, emailKey, known.origin.Address, accounts...)
	if err != nil {
		return bundle{}, s.refuse(ctx, event{action: "login", failed: "too many failures"}, err)
	}
	for i, ok := range may {
		if !ok {
			accounts[i] = nobody
		}
	}
	u, accountKey, err := s.checkCredentials(ctx, accounts, secret, org)
	if apperr.CodeOf(err) != apperr.Unauthenticated {
		forgive()
	}
	if err != nil {
		return bundle{}, err
	}
	s.failures.remember(ctx, accountKey, known.origin.Address)
	m, ok, err := s.active(ctx, u, cmp.Or(org, defaultOrg(u)))
	if err != nil {
		return bundle{}, err
	}
	if !ok {
		return bundle{}, s.refuse(ctx, event{action: "login", failed: "no such organization"}, noSuchOrganization())
	}
	v, token := s.newSession(ctx, u, m)
	if err := s.store.InsertSession(ctx, v); err != nil {
		return bundle{}, unavailable(err)
	}
	s.endSurplus(ctx, v, m)
	tokens, err := s.issue(m, v, u.ID)
	if err != nil {
		return bundle{}, err
	}
	tokens.RefreshToken = token
	if err := s.audit(ctx, event{action: "login", org: m.Org, actor: m.ID, subject: m.ID, session: v.ID}); err != nil {
		// Its tokens were not issued, so it must not be listed among the sessions.
		_ = s.store.EndSession(context.WithoutCancel(ctx), v.Org, v.User, v.ID, s.moment(), "not audited", account.NewMark())
		return bundle{}, err
	}
	return tokens, nil
}

// nobody is the key of no account.
const nobody = "-"

// accountsOf returns the keys of the accounts that an email may log in to, in the order
// in which they are tried: the person with the address and, if an organization is
// named, the separate account in that one. A missing account is replaced by one with
// the same cost, so that timing reveals nothing; a member of several organizations
// comes first and costs one check.
func accountsOf(email, org string) (keys []string) {
	for _, key := range account.EmailKeys(email) {
		if account.IsInvitationKey(key) {
			key = nobody // it is no address
		}
		keys = append(keys, key)
		if org != "" {
			keys = append(keys, account.InvitationKey(org, key))
		}
	}
	return keys
}

// checkCredentials returns the person whose password and account key match, and the
// key. Otherwise it returns the same UNAUTHENTICATED in all cases, including that no
// organization is named and the person may not log in to the default one. Refusals are
// recorded once every account has refused: the log of one organization reveals nothing
// of logins to another.
func (s *Service) checkCredentials(ctx context.Context, accounts []string, secret, org string) (u account.User, accountKey string, err error) {
	failed := make([]event, 0, len(accounts))
	for _, accountKey := range accounts {
		u, e, err := s.checkPasswordOf(ctx, accountKey, secret, org)
		if err != nil || e.failed == "" {
			return u, accountKey, err
		}
		failed = append(failed, e)
	}
	for _, e := range failed {
		if err := s.audit(ctx, e); err != nil {
			return account.User{}, "", err
		}
	}
	return account.User{}, "", apperr.New(apperr.Unauthenticated, "The email or the password is wrong.")
}

// checkPasswordOf is checkCredentials for one account; the event says why it is
// refused.
func (s *Service) checkPasswordOf(ctx context.Context, accountKey, secret, org string) (account.User, event, error) {
	u, err := s.store.UserByEmail(ctx, accountKey)
	if err == nil && u.IsInvitation() {
		err = account.ErrNotFound // the invitation was not accepted
	}
	if errors.Is(err, account.ErrNotFound) {
		return account.User{}, event{action: "login", failed: "no such account"}, busy(s.hasher.VerifyNothing(ctx, secret))
	}
	if err != nil {
		return account.User{}, event{}, unavailable(err)
	}
	ok, outdated, err := s.hasher.Verify(ctx, u.PasswordHash, secret)
	if err != nil {
		return account.User{}, event{}, busy(err)
	}
	may := true
	if ok && org == "" {
		if _, may, err = s.active(ctx, u, defaultOrg(u)); err != nil {
			return account.User{}, event{}, err
		}
	}
	if !ok || !may {
		failed := "wrong password"
		if ok {
			failed = "disabled"
		}
		return account.User{}, event{action: "login", org: u.Org, subject: u.ID, failed: failed}, nil
	}
	if outdated {
		s.rehash(ctx, u, secret)
	}
	return u, event{}, nil
}

// furtherPrefix precedes the hash of the refresh token of a session that did not begin
// in the person's first membership: a release older than memberships would renew it for
// the wrong organization, and so does not find the token.
const furtherPrefix = "further:"

// newSession creates the session of a login and its refresh token. The session has the
// epoch that was read with the password: if the password is changed or the user
// disabled concurrently, the session is invalid from the start.
func (s *Service) newSession(ctx context.Context, p, m account.User) (v account.Session, token string) {
	secret, hash := account.NewSecret()
	known, _ := callerOf(ctx)
	now, from := s.moment(), known.origin
	v = account.Session{
		ID: account.NewID(), User: p.ID, Org: p.Org, SecretHash: hash, Epoch: p.Epoch, MemberEpoch: m.MemberEpoch,
		CreatedAt: now, Expires: now.Add(s.config.RefreshTokenTTL), LastUsedAt: now, Created: from, Last: from, Rev: 1,
	}
	if m.ID != p.ID {
		v.Member, v.MemberOrg, v.SecretHash = m.ID, m.Org, furtherPrefix+hash
	}
	return v, account.JoinToken(v.ID, secret)
}

// rehash stores a password that was just verified with the present parameters. The
// login succeeds even if that fails.
func (s *Service) rehash(ctx context.Context, u account.User, secret string) {
	hash, err := s.hasher.Hash(ctx, secret)
	if err != nil {
		return
	}
	_, _ = s.changePerson(ctx, u.ID, func(now *account.User) error {
		if now.PasswordHash == u.PasswordHash {
			now.PasswordHash = hash
		}
		return nil
	}, owes())
}

// refresh answers POST /auth/refresh.
func (s *Service) refresh(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("refreshToken")
	token := secretField(r, "refreshToken")
	org, _ := r.String("organization", 1, maxOrganization)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	tokens, err := s.renew(withCaller(c), token, org)
	if err != nil {
		return err
	}
	return web.OK(c, tokens)
}

// renew returns new tokens of a valid session: for its membership or, if an
// organization is named, for the person's membership there, which changes neither the
// session nor the default. The refresh token does not change.
func (s *Service) renew(ctx context.Context, token, org string) (bundle, error) {
	refused := apperr.New(apperr.Unauthenticated, "The refresh token is not valid. Log in again.")
	sid, secret, ok := account.SplitToken(token)
	if !ok {
		return bundle{}, refused
	}
	v, err := s.store.Session(ctx, sid)
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return bundle{}, unavailable(err)
	}
	if err != nil || !account.SecretMatches(secret, strings.TrimPrefix(v.SecretHash, furtherPrefix)) {
		return bundle{}, s.refuse(ctx, event{action: "refresh", failed: "no such token"}, refused)
	}
	e := event{action: "refresh", org: cmp.Or(v.MemberOrg, v.Org), actor: cmp.Or(v.Member, v.User), session: v.ID}
	e.subject = e.actor
	known, _ := callerOf(ctx)
	from := known.origin
	// The use is recorded first: an ended session is refused here, and one that ends
	// later is refused wherever the new token is used.
	if err := s.store.TouchSession(ctx, v.Org, v.ID, s.moment(), from); err != nil {
		if !errors.Is(err, account.ErrEnded) {
			return bundle{}, unavailable(err)
		}
		e.failed = "session has ended"
		return bundle{}, s.refuse(ctx, e, refused)
	}
	m, ok, err := s.renewed(ctx, v, org)
	if err != nil && apperr.CodeOf(err) != apperr.NotFound {
		return bundle{}, err
	}
	if err != nil {
		// In the log of no organization: none may learn of the others.
		return bundle{}, s.refuse(ctx, event{action: "refresh", session: v.ID, failed: "no such organization"}, noSuchOrganization())
	}
	// In the last second of a session no whole second is left for a token.
	if !ok || s.now().Add(time.Second).After(v.Expires) {
		e.failed = "user may not"
		return bundle{}, s.refuse(ctx, e, refused)
	}
	tokens, err := s.issue(m, v, v.User)
	if err != nil {
		return bundle{}, err
	}
	if e.org != m.Org {
		e.org, e.actor, e.subject = m.Org, m.ID, m.ID
	} else if !sameNetwork(v.Last.Address, from.Address) {
		e.from, e.to = v.Last.Address, from.Address
	}
	if err := s.audit(ctx, e); err != nil {
		return bundle{}, err
	}
	return tokens, nil
}

// renewed returns the membership of a refresh. It returns false if the session or its
// membership has ended, and NOT_FOUND if the person is not a member of the named
// organization.
func (s *Service) renewed(ctx context.Context, v account.Session, org string) (m account.User, ok bool, err error) {
	p, err := s.store.Person(ctx, v.User)
	switch {
	case errors.Is(err, account.ErrNotFound):
		return m, false, nil
	case err != nil:
		return m, false, unavailable(err)
	case !s.lives(v, p):
		return m, false, nil
	}
	if org == "" {
		m, ok, err = s.active(ctx, p, cmp.Or(v.MemberOrg, v.Org))
		return m, ok && m.MemberEpoch == v.MemberEpoch, err
	}
	m, ok, err = s.active(ctx, p, org)
	if err == nil && !ok {
		err = noSuchOrganization()
	}
	return m, ok, err
}

// sameNetwork reports whether two addresses are in the same /24 (IPv6: /64). Unknown
// addresses match any.
func sameNetwork(a, b string) bool {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	if errX != nil || errY != nil {
		return true
	}
	network := func(addr netip.Addr) netip.Prefix {
		bits := 64
		if addr.Is4() {
			bits = 24
		}
		p, _ := addr.Prefix(bits)
		return p
	}
	return network(x) == network(y)
}

// secretField reads a string that must not be repeated in any response, not even in the
// error about it.
func secretField(r *fields.Reader, name string) string {
	secret, ok := r.Verbatim(name, 0, maxSecretInput)
	if ok && secret == "" {
		r.Fault(apperr.Detail{Field: r.Path(name), Code: fields.TooShort, Message: name + " must not be empty."})
	}
	return secret
}

// originOf returns the origin of a request. The gateway replaces X-Forwarded-For with
// the address of its client; without a proof admit has removed it, and the address is
// that of the connection.
func originOf(c *fiber.Ctx) account.Origin {
	o := account.Origin{UserAgent: cutBytes(fields.Legible(strings.ToValidUTF8(c.Get(fiber.HeaderUserAgent), "�")), maxUserAgent)}
	hops := strings.Split(c.Get(fiber.HeaderXForwardedFor), ",")
	if addr, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1])); err == nil {
		o.Address = addr.Unmap().WithZone("").String()
	} else if addr, ok := netip.AddrFromSlice(c.Context().RemoteIP()); ok && !addr.IsUnspecified() {
		o.Address = addr.Unmap().String()
	}
	return o
}
