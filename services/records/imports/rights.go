package imports

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// An import outlives the session of its uploader: signing out or closing the browser does not
// end it. The loss of permission does, because it creates records in the uploader's name.

// rightsFor is how long a verified permission is cached: with the current slice, an import ends
// within a second.
const rightsFor = 500 * time.Millisecond

// mayNotImport is the error code of an import stopped for this reason.
const mayNotImport = "MAY_NOT_IMPORT"

// errMayNotImport ends the work on an import whose uploader may no longer create records.
var errMayNotImport = errors.New("who uploaded the file may not import it any more")

// allowed returns nil while the uploader is an active member of the organization whose role,
// there and in the team of the event, permits creating records, and errMayNotImport otherwise.
// If that cannot be determined it returns another error, and the import waits.
func (j *job) allowed() error {
	if j.Members == nil {
		return nil
	}
	if since := j.now().Sub(j.asked); !j.asked.IsZero() && since >= 0 && since < rightsFor {
		return nil
	}
	asked := j.now()
	roles, err := j.Members.Roles(j.ctx, string(j.i.Org), []string{j.i.By.ID})
	if err != nil {
		return fmt.Errorf("whether its uploader may go on: %w", err)
	}
	event, err := j.store.EventContext(j.ctx, j.i.Org, j.i.Event)
	if err != nil && !errors.Is(err, record.ErrNotFound) {
		return err
	}
	// Without a team, as for a missing event, only the role counts.
	access, visible := event.AccessOf(j.i.By.ID, roles[j.i.By.ID])
	if !visible || !access.Role.Holds(identity.User) {
		return errMayNotImport
	}
	j.asked = asked
	return nil
}

// counts are the results of an import that are known to be stored.
type counts struct{ done, imported, updated, unchanged, skipped int64 }

func countsOf(i record.Import) counts {
	return counts{i.Done, i.Imported, i.Updated, i.Unchanged, i.Skipped}
}

// stop ends an import as failed, at any point. What was stored remains, is counted and can be
// undone, including the current slice and one that an earlier attempt has not counted.
func (j *job) stop(code, message string) error {
	j.i.Done, j.i.Imported, j.i.Updated, j.i.Unchanged, j.i.Skipped = j.sure.done, j.sure.imported, j.sure.updated, j.sure.unchanged, j.sure.skipped
	if j.i.Status == record.Importing {
		// Progress is stored at least every importBatch rows, and a slice has no more.
		for n := j.sure.done + 1; n <= min(j.i.Rows, j.sure.done+2*importBatch); n++ {
			_, err := j.store.FindRecord(j.ctx, j.i.Org, j.i.Event, RecordID(j.i, n))
			if errors.Is(err, record.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			j.i.Done = n
			j.i.Imported++
		}
	}
	j.i.Bad = max(j.i.Rows-j.i.Imported-j.i.Updated-j.i.Unchanged-j.i.Skipped, 0)
	j.i.Faults++
	j.i.Errors = append(j.i.Errors, record.RowError{Code: code, Message: message})
	return j.end(record.Failed)
}

// attempt works on the import until it ends, or is suspended. A panic is an internal error that
// would recur with the same file in every process: it ends the import.
func (j *job) attempt() error {
	j.sure = countsOf(j.i)
	err := Recovered(j.work)
	if p, ok := errors.AsType[*Panic](err); ok {
		j.logger.LogAttrs(j.ctx, slog.LevelError, "an import panicked", slog.String("import", j.i.ID), slog.String("organization", string(j.i.Org)),
			slog.String("error", p.Error()), slog.String("stack", p.Stack))
		if j.i.Finished() {
			return err
		}
		return j.stop(string(apperr.Internal), "A fault on our side has ended the import. What was imported until then is there; undo removes it.")
	}
	if errors.Is(err, errMayNotImport) {
		return j.stop(mayNotImport, "Who uploaded the file may not add records to this event any more. What was imported until then is there; undo removes it.")
	}
	return err
}
