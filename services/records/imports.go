package records

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/timestamp"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/libs/writes"
	"github.com/eventcarbon/ecf/services/records/imports"
)

const (
	// importPart is the size of a stored part of a file, and of its buffer in memory.
	importPart = 256 << 10
	// receiveLease is how long storing a file may take.
	receiveLease = time.Minute
)

// importView is an import as clients see it.
type importView struct {
	ID       string              `json:"_id"`
	Event    record.EventID      `json:"eventId"`
	Type     string              `json:"type"`
	Status   record.ImportStatus `json:"status"`
	Partial  bool                `json:"partial"`
	Rows     int64               `json:"rows"`
	Imported int64               `json:"imported"`
	Failed   int64               `json:"failed"`
	Errors   []record.RowError   `json:"errors"`
	Faults   int64               `json:"errorCount"`
	Ignored  []string            `json:"ignoredColumns"`
	// Chosen are the columns that were chosen, and Columns how a rehearsal read all of them.
	Chosen  []string           `json:"chosenColumns,omitempty"`
	Columns []sheet.ReadColumn `json:"columns,omitempty"`
	// Sheets are those of the workbook that a rehearsal read.
	Sheets []xlsx.Sheet `json:"sheets,omitempty"`
	// Records are the rows as a rehearsal read them, where that was asked.
	Records *readRows `json:"records,omitempty"`
	// HeadRow is 0 for an import older than this field.
	HeadRow int64 `json:"headRow,omitempty"`
	// NumberFormat and DateOrder are those declared, or detected.
	NumberFormat string `json:"numberFormat,omitempty"`
	DateOrder    string `json:"dateOrder,omitempty"`
	// OnDuplicate, and the outcomes of rows whose reference a record had.
	OnDuplicate string       `json:"onDuplicate"`
	Updated     int64        `json:"updated"`
	Unchanged   int64        `json:"unchanged"`
	Skipped     int64        `json:"skipped"`
	Undone      *undoneView  `json:"undone,omitempty"`
	CreatedBy   record.Actor `json:"createdBy"`
	CreatedAt   string       `json:"createdAt"`
	UpdatedAt   string       `json:"updatedAt"`
}

// undoneView is who undid an import, and when.
type undoneView struct {
	By      record.Actor `json:"by"`
	At      string       `json:"at"`
	Removed int64        `json:"removed"`
}

func viewOf(i record.Import) importView {
	v := importView{
		ID: i.ID, Event: i.Event, Type: i.Type, Status: i.Status, Partial: i.Partial, Rows: i.Rows, Imported: i.Imported, Failed: i.Bad,
		Errors: i.Errors, Faults: i.Faults, Ignored: i.Ignored, Chosen: i.Columns, HeadRow: i.HeadRow, NumberFormat: i.NumberFormat, DateOrder: i.DateOrder, CreatedBy: i.By,
		CreatedAt: timestamp.Format(i.CreatedAt), UpdatedAt: timestamp.Format(i.UpdatedAt),
	}
	v.OnDuplicate, v.Updated, v.Unchanged, v.Skipped = cmp.Or(i.OnDuplicate, string(writes.Refuse)), i.Updated, i.Unchanged, i.Skipped
	if u := i.Undone; u != nil {
		v.Undone = &undoneView{By: u.By, At: timestamp.Format(u.At), Removed: u.Removed}
	}
	if i.DecimalComma && v.NumberFormat == "" {
		v.NumberFormat = "1234,5"
	}
	if v.Errors == nil {
		v.Errors = []record.RowError{}
	}
	if v.Ignored == nil {
		v.Ignored = []string{}
	}
	if v.Status == record.Receiving {
		v.Status = record.Validating // the difference is internal
	}
	return v
}

// importFile accepts a file for import. It is stored before the response, and processed
// afterwards by any process.
func (s *server) importFile(c *fiber.Ctx) error {
	charset := declaredCharset(c)
	file, err := web.FileAs(c, "text/csv", workbook.MediaType)
	if err != nil {
		return err
	}
	i := record.Import{Event: teams.EventID(c), Type: cmp.Or(c.Params("type"), sheet.Mixed), Status: record.Receiving, Rev: 1, HasFile: true, Rules: sheet.Rules}
	again, records, err := importOptions(c, &i)
	if err != nil {
		return err
	}
	sheets, at, err := sheetsOf(c, file)
	if err != nil {
		return err
	}
	name := ""
	if at != 0 { // the first one is the same file, whether it is named or not
		name = string(c.Context().QueryArgs().Peek("sheet"))
	}
	if i.Hash, err = hashOfFile(i.Type, name, file); err != nil {
		return err
	}
	i.Notices = hiddenSheet(sheets, at)
	csv, rows, columns, err := readable(c, &i, file, charset)
	if err != nil {
		return withSheets(err, sheets, at)
	}
	defer csv.Close() //nolint:errcheck // the request removes it at the latest
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	now := s.now()
	i.ID, i.Org, i.By, i.Seed = w.Request.NewID(0), w.Org, w.By, record.NewID()
	i.CreatedAt, i.UpdatedAt, i.Lease = now, now, now.Add(receiveLease)
	event, err := s.writableEvent(c)
	if err != nil {
		return err
	}
	if err := imports.CheckDestination(i, event); err != nil {
		return err
	}
	if err := s.roomForImport(c, w, i, csv); err != nil {
		return err
	}
	if !again && writes.Duplicates(i.OnDuplicate) != writes.Update && writes.Duplicates(i.OnDuplicate) != writes.Skip {
		if err := s.importedBefore(c, i, event); err != nil {
			return withSheets(err, sheets, at)
		}
	}
	if w.Rehearsal {
		return s.rehearseImport(c, i, event, csv, rehearsed{columns, sheets, records})
	}
	web.Stored(c).Add(importBytes(csv, i, rows))
	if i, err = s.receive(c, w, i, csv); err != nil {
		return err
	}
	if s.Importer != nil {
		s.Importer.Kick()
	}
	c.Set(fiber.HeaderLocation, web.BasePath+"/events/"+string(i.Event)+"/imports/"+i.ID)
	return answerImport(c, viewOf(i), i.Notices)
}

// hashOfFile identifies a file together with its type and sheet.
func hashOfFile(typ, sheetName string, file *web.File) (string, error) {
	h := sha256.New()
	_, _ = io.WriteString(h, typ+"\x00"+sheetName+"\x00") // never fails
	_, err := io.Copy(h, file.Reader())
	return hex.EncodeToString(h.Sum(nil)), err
}

// roomForImport rejects a file while its organization has too many unfinished imports, and one
// beyond the limits of its plan. Requests in flight may exceed both limits.
func (s *server) roomForImport(c *fiber.Ctx, w writes.Write, i record.Import, file *web.File) error {
	if w.Request.Resumed {
		if _, err := s.Store.Import(c.UserContext(), w.Org, i.Event, i.ID); err == nil {
			return nil // an earlier attempt has stored it
		}
	}
	own, err := imports.OpenOf(c.UserContext(), s.Store, w.Org)
	if err != nil {
		return err
	}
	return s.plans.admitFile(c.UserContext(), i, file, own)
}

// roomForFile rejects a file before anything of it is received, while its organization has too
// many unfinished imports. A request with a key may have been answered already, and passes.
func (s *server) roomForFile(c *fiber.Ctx) error {
	if c.Params("type") != "" {
		if err := teams.KnownType(c); err != nil {
			return err
		}
	}
	p := web.PrincipalOf(c)
	if c.Get(idempotency.Header) != "" || !p.Role.Holds(identity.User) {
		return nil // the handler checks it
	}
	_, err := imports.OpenOf(c.UserContext(), s.Store, record.OrgID(p.Org))
	return err
}

// importedBefore rejects a file that the event has imported already. Without references all its
// rows would be duplicated. People who travel to another place are others.
func (s *server) importedBefore(c *fiber.Ctx, i record.Import, event record.Event) error {
	same, err := s.Store.ImportsOfFile(c.UserContext(), i.Org, i.Event, i.Hash)
	if err != nil {
		return err
	}
	for _, before := range same {
		if before.ID == i.ID || before.Status == record.Failed || before.TakenBack() || imports.Destination(before, event) != imports.Destination(i, event) {
			continue
		}
		if !before.Finished() {
			return apperr.New(apperr.DuplicateFile, "This file is being imported since %s, as import %s.", timestamp.Format(before.CreatedAt), before.ID).
				With(apperr.Detail{Field: "again", Code: "DUPLICATE", Message: "Wait until that import has ended. If it fails, the file can be sent again, also with other options.", Suggestions: []string{before.ID}})
		}
		return apperr.New(apperr.DuplicateFile, "This file was imported on %s already, as import %s.", timestamp.Format(before.CreatedAt), before.ID).
			With(apperr.Detail{Field: "again", Code: "DUPLICATE", Message: fmt.Sprintf("It can be imported once more (POST with again=true, and with onDuplicate=skip or update if its records have references), "+
				"or the earlier import undone (POST …/imports/%s/undo).", before.ID), Suggestions: []string{before.ID}})
	}
	return nil
}

// receive stores the file in parts and opens it to the importer. An earlier attempt of the
// request may have started or completed that.
func (s *server) receive(c *fiber.Ctx, w writes.Write, i record.Import, file *web.File) (record.Import, error) {
	ctx := c.UserContext()
	err := s.Store.InsertImport(ctx, w.Org, i)
	if w.Request.Keyed() && errors.Is(err, record.ErrDuplicate) {
		i, err = s.begunEarlier(ctx, i)
	}
	if err != nil || i.Status != record.Receiving {
		return i, err
	}
	from, part := file.Reader(), make([]byte, importPart)
	for n := int64(0); ; n++ {
		size, err := io.ReadFull(from, part)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return i, err
		}
		if err := s.Store.PutImportPart(ctx, w.Org, i.ID, n, part[:size]); err != nil {
			return i, err
		}
	}
	before := i.Rev
	i.Status, i.Rev, i.Lease = record.Validating, before+1, s.now()
	err = s.Store.ReplaceImport(ctx, w.Org, i, before)
	if errors.Is(err, record.ErrConflict) {
		return s.Store.Import(ctx, w.Org, i.Event, i.ID)
	}
	return i, err
}

// begunEarlier returns the import that an earlier attempt of the request has begun. One that was
// given up, because its file did not arrive, is begun again.
func (s *server) begunEarlier(ctx context.Context, i record.Import) (record.Import, error) {
	earlier, err := s.Store.Import(ctx, i.Org, i.Event, i.ID)
	if err != nil || !imports.NotReceived(earlier) {
		return earlier, err
	}
	if earlier.HasFile {
		return earlier, &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
			Message: "The remains of the file's first part are being removed. Please try again."}
	}
	i.Rev, i.CreatedAt = earlier.Rev+1, earlier.CreatedAt
	err = s.Store.ReplaceImport(ctx, i.Org, i, earlier.Rev)
	if errors.Is(err, record.ErrConflict) {
		return s.Store.Import(ctx, i.Org, i.Event, i.ID)
	}
	return i, err
}

// rehearseImport validates the whole file before it answers with the result that the import
// would have, and how its columns are read, which is stored nowhere.
func (s *server) rehearseImport(c *fiber.Ctx, i record.Import, event record.Event, file *web.File, told rehearsed) error {
	var records readRows
	var read func(sheet.Row, []record.RowError)
	if told.records {
		records, read = readRows{}, records.add
	}
	fresh, good, err := imports.Rehearse(c.UserContext(), s.Store, event, s.decoding(c), &i, file.Reader(), read)
	if err != nil {
		return err
	}
	i.Status = record.Failed
	if good {
		if err := s.plans.Admit(c.UserContext(), i.Org, i.Event, fresh); err != nil {
			return err
		}
		i.Status, i.Imported = record.Completed, i.Rows-i.Bad-i.Updated-i.Unchanged-i.Skipped
	}
	view := viewOf(i)
	view.Columns, view.Sheets = told.columns, told.sheets
	if told.records {
		view.Records = &records
	}
	return answerImport(c, view, i.Notices)
}

// answerImport answers a file that was taken, or rehearsed, with what is known of it.
func answerImport(c *fiber.Ctx, view importView, notices []fields.Notice) error {
	web.Notify(c, notices...)
	return web.Answer(c, fiber.StatusAccepted, view)
}

// importOf reads the import of the path.
func (s *server) importOf(c *fiber.Ctx) (record.Import, error) {
	event, err := s.event(c)
	if err != nil {
		return record.Import{}, err
	}
	i, err := s.Store.Import(c.UserContext(), teams.Org(c), event.ID, c.Params("importId"))
	if errors.Is(err, record.ErrNotFound) {
		return i, apperr.New(apperr.NotFound, "There is no such import.")
	}
	return i, err
}

// getImport answers with the progress of an import.
func (s *server) getImport(c *fiber.Ctx) error {
	i, err := s.importOf(c)
	if err != nil {
		return err
	}
	web.Notify(c, i.Notices...)
	return web.OK(c, viewOf(i))
}
