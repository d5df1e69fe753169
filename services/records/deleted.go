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
	return audit.Attach(c, audit.Naming(audit.Note{Action: audit.RecordDeleted, Subject: list}, names(deleted))...)
}

func names(ids []record.ID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return all
}

// maxAttached is how many notes an answer carries; it is more than those of as many records
// as one request names.
const maxAttached = 4

// auditUndo names the records that the undo of an import has deleted. An answer has no room
// for thousands of them: those are entered here, where this service can. It cannot where it
// does not prove to be one, and then the entry says how many there were; and the import, which
// is kept, says of which file they were. A failure is ours, and each record that the log
// lacks for it is in this service's own. Where the undo has failed on the way, nothing is left to its answer.
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
	// What was deleted is entered also when the client has gone, or the time is over.
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
		return apperr.New(apperr.Unavailable, "The records were removed, but the audit log cannot be written right now.").Because(lacking)
	}
	return nil
}

// auditUndoTimeout bounds the entries of one undo: some 300 of them for 10,000 records.
const auditUndoTimeout = 20 * time.Second

// succeeded returns the records of outcomes without an error.
func succeeded(items []writes.Outcome) (ids []record.ID) {
	for _, o := range items {
		if o.Error == nil {
			ids = append(ids, o.ID)
		}
	}
	return ids
}
