package records

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// eventEver reads the event of the path for its history, which managers read of
// deleted events as well.
func (s *server) eventEver(c *fiber.Ctx) (record.Event, error) {
	e, err := s.event(c)
	if apperr.CodeOf(err) != apperr.EventNotFound || !web.PrincipalOf(c).Role.Holds(identity.Manager) {
		return e, err
	}
	e, failure := s.Store.EventContext(c.UserContext(), orgOf(c), teams.EventID(c))
	if errors.Is(failure, record.ErrNotFound) {
		return e, err
	}
	return e, failure
}

// auditDeletion names deleted records in the audit log. One is the subject of its
// entry; of several the entry names the list they were in, and them behind it.
func auditDeletion(c *fiber.Ctx, sub record.Sub, deleted ...record.ID) error {
	if rehearsal, err := web.DryRun(c); err != nil || rehearsal || len(deleted) == 0 {
		return err
	}
	list := "/events/" + string(sub.Event) + "/" + sub.Type
	if len(deleted) == 1 {
		return audit.Attach(c, audit.Note{Action: audit.RecordDeleted, Subject: list + "/" + string(deleted[0])})
	}
	names := make([]string, len(deleted))
	for i, id := range deleted {
		names[i] = string(id)
	}
	return audit.Attach(c, audit.Note{Action: audit.RecordDeleted, Subject: list, Before: strings.Join(names, " ")})
}

// succeeded returns the records of outcomes without an error.
func succeeded(items []writes.Outcome) (ids []record.ID) {
	for _, o := range items {
		if o.Error == nil {
			ids = append(ids, o.ID)
		}
	}
	return ids
}
