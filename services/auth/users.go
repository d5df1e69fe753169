package auth

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// EmailNotASCII is the code of the notice about an address with characters that may look
// like others.
const EmailNotASCII = "EMAIL_NOT_ASCII"

type userJSON struct {
	ID        string        `json:"_id"`
	Email     string        `json:"email"`
	Name      string        `json:"name"`
	Role      identity.Role `json:"role"`
	Service   bool          `json:"serviceAccount"`
	Disabled  bool          `json:"disabled"`
	State     string        `json:"state"`
	CreatedAt string        `json:"createdAt"`
	// InvitedUntil is when an invitation ends.
	InvitedUntil string `json:"invitedUntil,omitempty"`
	// SetupToken is what an invitation is accepted with, once. It is shown once.
	SetupToken string `json:"setupToken,omitempty"`
}

func userOut(u account.User) userJSON {
	out := userJSON{ID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role, Service: u.Service, Disabled: u.Disabled && !u.Invited, State: StateOf(u), CreatedAt: stamp(u.CreatedAt)}
	if u.Invited {
		out.InvitedUntil = stamp(u.InvitedUntil)
	}
	return out
}

// listUsers answers GET /users.
func (s *Service) listUsers(c *fiber.Ctx) error { return answerUsers(s, c, userOut) }

// answerUsers responds with a page of the users of the caller's organization, converted by out.
func answerUsers[T any](s *Service, c *fiber.Ctx, out func(account.User) T) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	found, total, err := s.store.UsersPage(c.UserContext(), web.PrincipalOf(c).Org, page.Offset(), page.Limit)
	if err != nil {
		return unavailable(err)
	}
	items := make([]T, len(found))
	for i, u := range found {
		items[i] = out(u)
	}
	return web.OK(c, web.NewList(items, page, total))
}

// createUser answers POST /users.
func (s *Service) createUser(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("email", "role")
	r.ServerOwned("_id", "createdAt", "state", "invitedUntil", "setupToken")
	n := NewUser{Org: web.PrincipalOf(c).Org}
	// Faults that the accounts would report are reported together with the others.
	if email, ok := r.String("email", 1, maxEmailInput); ok {
		if _, err := account.CheckEmail(email); err != nil {
			r.Fault(emailFault(err))
		} else if found := account.LookAlikes(email); found != "" {
			web.Notify(c, fields.Notice{Code: EmailNotASCII, Field: "email",
				Message: "email has characters that may look like others: " + found + ". Make sure that it is the address you mean."})
		}
		n.Email = email
	}
	if name, ok := r.String("name", 0, maxName); ok {
		if _, fault := checkName(name); fault != nil {
			r.Fault(*fault)
		}
		n.Name = name
	}
	n.Role = roleField(r)
	n.Service, _ = r.Bool("serviceAccount")
	if err := web.Finish(c, r); err != nil {
		return err
	}
	accounts, rehearsed, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	if !rehearsed {
		n.Key = c.Get(idempotency.Header)
	}
	made, err := accounts.Invite(withCaller(c), n)
	if err != nil {
		return err
	}
	out := userOut(made.User)
	if rehearsed {
		return web.Created(c, out, "") // nothing exists to be addressed or set up
	}
	if made.Replayed {
		c.Set(idempotency.HeaderReplayed, "true")
	}
	out.SetupToken = made.SetupToken
	return web.Created(c, out, web.BasePath+"/users/"+out.ID)
}

// getUser answers GET /users/{userId}.
func (s *Service) getUser(c *fiber.Ctx) error {
	u, err := s.User(c.UserContext(), web.PrincipalOf(c).Org, c.Params("userId"))
	if err != nil {
		return err
	}
	return web.OK(c, userOut(u))
}

// patchUser answers PATCH /users/{userId}.
func (s *Service) patchUser(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.ServerOwned("_id", "createdAt", "state", "invitedUntil")
	var change Change
	if name, ok := r.String("name", 0, maxName); ok {
		change.Name = &name
	}
	if r.Has("role") {
		role := roleField(r)
		change.Role = &role
	}
	if disabled, ok := r.Bool("disabled"); ok {
		change.Disabled = &disabled
	}
	if err := web.Finish(c, r); err != nil {
		return err
	}
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	u, err := accounts.UpdateUser(withCaller(c), web.PrincipalOf(c).Org, c.Params("userId"), change)
	if err != nil {
		return err
	}
	return web.OK(c, userOut(u))
}

// deleteUser answers DELETE /users/{userId}.
func (s *Service) deleteUser(c *fiber.Ctx) error {
	id := c.Params("userId")
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	if err := accounts.DeleteUser(withCaller(c), web.PrincipalOf(c).Org, id); err != nil {
		return err
	}
	return web.OK(c, deleted(id))
}

// roleField reads a role, or RoleNone after a fault.
func roleField(r *fields.Reader) identity.Role {
	name, ok := r.Enum("role", identity.RoleNames()...)
	if !ok {
		return identity.RoleNone
	}
	role, _ := identity.ParseRole(name) // Enum has validated it
	return role
}
