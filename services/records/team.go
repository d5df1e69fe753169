package records

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// maxUserID exceeds the length of any user id.
const maxUserID = 64

// readTeam reads the team of an event: at most record.MaxTeam distinct members, at least one of
// whom is a reviewer.
func readTeam(r *fields.Reader, event *record.Event) {
	t, ok := r.Object("team")
	if !ok {
		return
	}
	t.ServerOwned("withoutReviewer")
	t.Require("members")
	list, _ := t.Objects("members", record.MaxTeam)
	roles := make([]string, 0, len(record.TeamRoles()))
	for _, role := range record.TeamRoles() {
		roles = append(roles, string(role))
	}
	team := []record.TeamMember{}
	for _, m := range list {
		m.Require("userId", "role")
		id, named := m.String("userId", 1, maxUserID)
		role, _ := m.Enum("role", roles...)
		if named && slices.ContainsFunc(team, func(o record.TeamMember) bool { return o.ID == id }) {
			m.Fault(apperr.Detail{Field: m.Path("userId"), Code: fields.DuplicateKey, Message: "Each user may be in a team only once."})
		}
		team = append(team, record.TeamMember{ID: id, Role: record.TeamRole(role)})
	}
	if t.Has("members") && r.Err() == nil && !slices.ContainsFunc(team, func(m record.TeamMember) bool { return m.Role == record.TeamReviewer }) {
		t.Fault(apperr.Detail{Field: t.Path("members"), Code: fields.Required,
			Message: "A team must have at least one reviewer. Send null to remove the team."})
	}
	event.Team = team
}

// checkTeam adds an error to r for each member of a team that is not an active member of the
// organization, or whose role there does not permit the one in the team.
func (s *server) checkTeam(c *fiber.Ctx, r *fields.Reader, team []record.TeamMember) error {
	if len(team) == 0 || r.Err() != nil {
		return nil //nolint:nilerr // the faults are in r
	}
	ids := make([]string, len(team))
	for i, m := range team {
		ids[i] = m.ID
	}
	roles, err := s.roles(c, ids)
	if err != nil {
		return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
			Message: "The members of your organization cannot be read right now. Please try again in a moment."}).Because(err)
	}
	for i, m := range team {
		field := fmt.Sprintf("team.members[%d]", i)
		switch role, ok := roles[m.ID]; {
		case !ok:
			r.Fault(apperr.Detail{Field: field + ".userId", Code: fields.UnknownCode, Message: "userId must be that of an active member of your organization."})
		case !role.Holds(m.Role.Needs()):
			r.Fault(apperr.Detail{Field: field + ".role", Code: fields.NotAllowed,
				Message: fmt.Sprintf("The role %s in a team requires the role %s in the organization; this user has the role %s.", m.Role, m.Role.Needs(), role)})
		}
	}
	return nil
}

// roles returns the roles of active members, on behalf of the caller.
func (s *server) roles(c *fiber.Ctx, ids []string) (map[string]identity.Role, error) {
	token, _ := web.BearerToken(c)
	return s.Members.Roles(identity.WithToken(c.UserContext(), token), string(teams.Org(c)), ids)
}

// mayChangeTeam returns an error if the change affects the team and the caller may not make it.
// Reviewers of the team, if they are still managers, and administrators may change it; the
// first team is set by the creator of the event or an administrator.
func mayChangeTeam(c *fiber.Ctx, before, after record.Event) error {
	p := web.PrincipalOf(c)
	if slices.Equal(before.Team, after.Team) || p.Role.Holds(identity.Admin) {
		return nil
	}
	if access, _ := before.AccessOf(p.UserID, p.Role); len(before.Team) > 0 && access.Decides ||
		len(before.Team) == 0 && before.CreatedBy.ID == p.UserID {
		return nil
	}
	return apperr.New(apperr.Forbidden, "Only its reviewers and administrators may change the team of an event; only the person who created the event, or an administrator, may create the first team.").
		With(apperr.Detail{Field: "team", Code: "TEAM_ROLE", Message: "Leave out team to change the other fields."})
}

// mayRepeat refuses to repeat a response about an event to its creator if its team no longer
// includes them. Paths below an event are guarded.
func (s *server) mayRepeat(c *fiber.Ctx, a *record.KeyAnswer) error {
	id, made := strings.CutPrefix(a.Location, web.BasePath+"/events/")
	if !made || strings.Contains(id, "/") {
		return nil
	}
	e, err := s.Store.EventContext(c.UserContext(), teams.Org(c), record.EventID(id))
	if errors.Is(err, record.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if !teams.Sees(c, e) {
		return record.NoSuchEvent()
	}
	return nil
}

// conceal conceals events that the caller cannot see, see teams.Conceal.
func (s *server) conceal(c *fiber.Ctx, err error) error { return teams.Conceal(c, s.Store, err) }

// withoutReviewer reports whether nobody in the team of an event can review. It returns false
// if the members cannot be read.
func (s *server) withoutReviewer(c *fiber.Ctx, e record.Event) bool {
	ids := e.Reviewers()
	if len(ids) == 0 {
		return false
	}
	roles, err := s.roles(c, ids)
	if err != nil {
		s.Logger.LogAttrs(c.UserContext(), slog.LevelWarn, "members not read", slog.String("request_id", web.RequestID(c)), slog.String("error", err.Error()))
		return false
	}
	return !slices.ContainsFunc(ids, func(id string) bool { return roles[id].Holds(identity.Manager) })
}
