package auth

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/timestamp"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// lives reports whether a session of a person is valid now, apart from the state of its
// membership.
func (a *Accounts) lives(v account.Session, p account.User) bool {
	return v.User == p.ID && !p.Deleted && v.EndedAt.IsZero() && a.now().Before(v.Expires) && (v.Epoch >= p.Epoch || p.Kept == v.ID)
}

// loggedOut is the reason of a session that its own user ended with it.
const loggedOut = "logout"

// logout answers POST /auth/logout.
func (s *Service) logout(c *fiber.Ctx) error {
	p := web.PrincipalOf(c)
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	if err := accounts.EndSession(withCaller(c), p.Org, p.UserID, p.Session, loggedOut); err != nil {
		return err
	}
	return web.OK(c, fiber.Map{})
}

// EndSession ends one session of the person behind a user, for a reason in a word or
// two.
// NOT_FOUND if the user has no such session.
func (a *Accounts) EndSession(ctx context.Context, org, user, sid, reason string) error {
	p, err := a.personOf(ctx, org, user)
	if err != nil {
		return err
	}
	sid = sessions.SessionOf(sid)
	err = a.store.EndSession(ctx, p.Org, p.ID, sid, a.moment(), reason, account.NewMark())
	if errors.Is(err, account.ErrNotFound) {
		return apperr.New(apperr.NotFound, "There is no such session.")
	}
	if err != nil {
		return unavailable(err)
	}
	if v, err := a.store.Session(ctx, sid); err == nil {
		a.publishSession(ctx, v)
	}
	action := "session.end"
	if reason == loggedOut {
		action = "logout"
	}
	return madeUnentered(a.audit(ctx, event{action: action, org: org, subject: user, session: sid, to: reason}))
}

const (
	// maxSessions is how many sessions a person has concurrently. A program that logs
	// in for each of its runs, and never logs out, has as many as there were runs in
	// the lifetime of a session; each is read wherever the person's sessions are.
	maxSessions = 1000
	// surplusAtOnce is how many of them one login ends.
	surplusAtOnce = 20
	// tooMany is the reason of sessions ended beyond maxSessions.
	tooMany = "too many sessions"
)

// endSurplus ends the least recently used sessions of a person beyond maxSessions, when
// one begins in the membership m. A session whose last access token may be valid does
// not count as unused. The login succeeds even if this fails, and the next one ends the
// rest.
func (s *Service) endSurplus(ctx context.Context, begun account.Session, m account.User) {
	unused := s.moment().Add(-s.config.AccessTokenTTL)
	surplus, err := s.store.SurplusSessions(ctx, begun.Org, begun.User, unused, maxSessions, surplusAtOnce)
	if err != nil {
		return
	}
	for _, v := range surplus {
		if s.store.EndSession(ctx, v.Org, v.User, v.ID, s.moment(), tooMany, account.NewMark()) != nil {
			return
		}
		if v, err = s.store.Session(ctx, v.ID); err == nil {
			s.publishSession(ctx, v)
		}
		e := event{action: "session.end", org: cmp.Or(v.MemberOrg, v.Org), actor: m.ID, subject: cmp.Or(v.Member, v.User), session: v.ID, to: tooMany}
		if s.audit(ctx, e) != nil {
			return // the entry waits for the store
		}
	}
}

// changePassword answers POST /auth/password. It ends all other sessions of the
// user, and every one-time setup token.
func (s *Service) changePassword(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("currentPassword", "newPassword")
	current := secretField(r, "currentPassword")
	fresh := secretField(r, "newPassword")
	if err := web.Finish(c, r); err != nil {
		return err
	}
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	if err := s.replacePassword(withCaller(c), accounts, web.PrincipalOf(c), current, fresh); err != nil {
		return err
	}
	return web.OK(c, fiber.Map{})
}

// replacePassword changes a password, given the present one. A wrong one counts as a
// failed login of the account, in a dry run too: otherwise a stolen session could be
// used to guess the password unnoticed.
func (s *Service) replacePassword(ctx context.Context, a *Accounts, p identity.Principal, current, fresh string) error {
	session := sessions.SessionOf(p.Session)
	refused := event{action: "password.change", org: p.Org, subject: p.UserID, session: session}
	// Not 401: the token is valid, and a client that gets 401 would refresh it and
	// retry.
	wrong := apperr.Invalid(apperr.Detail{Field: "currentPassword", Code: "WRONG_PASSWORD", Message: "currentPassword is not the password of this account."})
	u, err := a.personOf(ctx, p.Org, p.UserID)
	if err != nil {
		return err
	}
	if err := a.checkPassword("newPassword", fresh, u); err != nil {
		return err
	}
	known, _ := callerOf(ctx)
	// Otherwise a logged-in user could occupy the CPUs that logins need.
	end, err := s.changes.begin(ctx, p.Org, u.ID, known.origin.Address)
	if err != nil {
		return err
	}
	defer end()
	ctx = password.LowPriority(ctx, p.Org)
	_, forgive, err := s.failures.begin(ctx, u.EmailKey, known.origin.Address, u.EmailKey)
	if err != nil {
		refused.failed = "too many failures"
		return s.refuse(ctx, refused, err)
	}
	ok, _, err := a.hasher.Verify(ctx, u.PasswordHash, current)
	if err != nil {
		forgive()
		return busy(err)
	}
	if !ok {
		refused.failed = "wrong password"
		return s.refuse(ctx, refused, wrong)
	}
	forgive()
	hash, err := a.hash(ctx, fresh)
	if err != nil {
		return err
	}
	u, err = a.changePerson(ctx, u.ID, func(now *account.User) error {
		if now.PasswordHash != u.PasswordHash {
			return wrong // another password was set meanwhile
		}
		now.PasswordHash, now.SetupHash, now.SetupUntil = hash, "", time.Time{}
		now.EndSessions(session)
		return nil
	}, owes(event{action: "password.change", org: p.Org, subject: p.UserID, session: session}))
	if err != nil {
		return err
	}
	return a.enter(ctx, u)
}

type sessionOut struct {
	ID         string `json:"_id"`
	CreatedAt  string `json:"createdAt"`
	LastUsedAt string `json:"lastUsedAt"`
	ExpiresAt  string `json:"expiresAt"`
	Address    string `json:"address,omitempty"`   // of the last use
	UserAgent  string `json:"userAgent,omitempty"` // of the last use
	Current    bool   `json:"current"`             // the session of this request
}

// listSessions answers GET /auth/sessions.
func (s *Service) listSessions(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	p := web.PrincipalOf(c)
	u, err := s.personOf(c.UserContext(), p.Org, p.UserID)
	if err != nil {
		return err
	}
	found, total, err := s.store.SessionsPage(c.UserContext(), u, s.moment(), page.Offset(), page.Limit)
	if err != nil {
		return unavailable(err)
	}
	items := make([]sessionOut, len(found))
	for i, v := range found {
		items[i] = sessionOut{
			ID: v.ID, CreatedAt: stamp(v.CreatedAt), LastUsedAt: stamp(v.LastUsedAt), ExpiresAt: stamp(v.Expires),
			Address: v.Last.Address, UserAgent: v.Last.UserAgent, Current: v.ID == sessions.SessionOf(p.Session),
		}
	}
	return web.OK(c, web.NewList(items, page, total))
}

// endSession answers DELETE /auth/sessions/{id}.
func (s *Service) endSession(c *fiber.Ctx) error {
	p, sid := web.PrincipalOf(c), c.Params("sessionId")
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	if err := accounts.EndSession(withCaller(c), p.Org, p.UserID, sid, "ended by user"); err != nil {
		return err
	}
	return web.OK(c, deleted(sid))
}

// sessionFacts answers a service's request about a session, made with the access token
// that the service received: only the holder of a token of the session can have it
// looked up.
func (s *Service) sessionFacts(c *fiber.Ctx) error {
	token, _ := web.BearerToken(c)
	p, err := s.lateVerifier.Verify(c.UserContext(), token)
	if err != nil {
		return err
	}
	if p.Session != c.Params("sessionId") {
		return apperr.New(apperr.Forbidden, "The access token belongs to another session.")
	}
	facts, err := s.Facts(c.UserContext(), c.Params("sessionId"))
	if err != nil {
		return unavailable(err)
	}
	return web.OK(c, facts)
}

// stamp formats a time as the API does.
func stamp(t time.Time) string { return timestamp.Format(t) }

func deleted(id string) fiber.Map { return fiber.Map{"_id": id, "deleted": true} }
