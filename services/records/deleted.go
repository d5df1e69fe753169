package records

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// eventEver reads the event of the path for its history, which managers may also read of
// deleted events.
func (s *server) eventEver(c *fiber.Ctx) (record.Event, error) {
	e, err := s.event(c)
	if apperr.CodeOf(err) != apperr.EventNotFound || !web.PrincipalOf(c).Role.Holds(identity.Manager) {
		return e, err
	}
	e, failure := s.Store.EventContext(c.UserContext(), teams.Org(c), teams.EventID(c))
	if errors.Is(failure, record.ErrNotFound) {
		return e, err
	}
	return e, failure
}

// auditDeletion reports deleted records for the audit log. A single one is the subject of its
// entry; for several, the subject is their list, and the entry contains their ids.
func auditDeletion(c *fiber.Ctx, sub record.Sub, deleted ...record.ID) error {
	if rehearsal, err := web.DryRun(c); err != nil || rehearsal || len(deleted) == 0 {
		return err
	}
	list := "/events/" + string(sub.Event) + "/" + sub.Type
	if len(deleted) == 1 {
		return audit.Attach(c, audit.Note{Action: audit.RecordDeleted, Subject: list + "/" + string(deleted[0])})
	}
	return audit.Attach(c, audit.Naming(audit.Note{Action: audit.RecordDeleted, Subject: list}, names(deleted))...)
}

func names(ids []record.ID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return all
}

// maxAttached is the maximum number of notes in a response, more than is needed for the records
// of one request.
const maxAttached = 4

// auditUndo writes the records deleted by the undo of an import to the audit log. A response
// has no room for thousands, so they are logged from here if this service can prove its
// identity. If it cannot, the entry contains only their number; the import, which is kept,
// names its file. A failure is UNAVAILABLE, and each entry missing in the audit log is in this
// service's own log. If the undo has failed midway, nothing is left to its response.
func (s *server) auditUndo(c *fiber.Ctx, i record.Import, deleted []record.ID, failed bool) error {
	if len(deleted) == 0 {
		return nil
	}
	note := audit.Note{Action: audit.RecordDeleted, Subject: "/events/" + string(i.Event) + "/imports/" + i.ID}
	notes := audit.Naming(note, names(deleted))
	switch {
	case len(notes) <= maxAttached && (!failed || s.Audit == nil):
		return audit.Attach(c, notes...)
	case s.Audit == nil:
		note.Before = fmt.Sprintf("%d records", len(deleted))
		return audit.Attach(c, note)
	}
	// Logged even if the client has disconnected or the deadline has passed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), auditUndoTimeout)
	defer cancel()
	token, _ := web.BearerToken(c)
	var lacking error
	for _, n := range notes {
		if err := s.Audit.Record(ctx, token, audit.Report{Note: n, RequestID: web.RequestID(c)}); err != nil {
			lacking = err
			s.Logger.LogAttrs(ctx, slog.LevelError, "a change is not in the audit log", slog.String("action", n.Action),
				slog.String("before", n.Before), slog.String("request_id", web.RequestID(c)), slog.String("error", err.Error()))
		}
	}
	if lacking != nil {
		return apperr.New(apperr.Unavailable, "The records were deleted, but the audit log cannot be written at present.").Because(lacking)
	}
	return nil
}

// auditUndoTimeout bounds the entries of one undo: about 300 for 10,000 records.
const auditUndoTimeout = 20 * time.Second

// succeeded returns the records of outcomes without an error.
func succeeded(items []writes.Outcome) (ids []record.ID) {
	for _, o := range items {
		if o.Record != nil {
			ids = append(ids, o.ID)
		}
	}
	return ids
}
