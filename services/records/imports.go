package records

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/timestamp"
	"github.com/eventcarbon/ecf/libs/units"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

const (
	// importPart is how much of a file is stored in one piece, and in memory
	// while it is read.
	importPart = 256 << 10
	// receiveLease is how long a file may take to be stored.
	receiveLease = time.Minute
	// importsOfOrganization is how many imports of one organization may be open.
	importsOfOrganization = 16
	// importRetry is when to try again where there are as many.
	importRetry = 5 * time.Second
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
	// OnDuplicate and what became of rows whose reference a record had.
	OnDuplicate string       `json:"onDuplicate"`
	Updated     int64        `json:"updated"`
	Unchanged   int64        `json:"unchanged"`
	Skipped     int64        `json:"skipped"`
	Undone      *undoneView  `json:"undone,omitempty"`
	CreatedBy   record.Actor `json:"createdBy"`
	CreatedAt   string       `json:"createdAt"`
	UpdatedAt   string       `json:"updatedAt"`
}

// undoneView says who took an import back.
type undoneView struct {
	By      record.Actor `json:"by"`
	At      string       `json:"at"`
	Removed int64        `json:"removed"`
}

func viewOf(i record.Import) importView {
	v := importView{
		ID: i.ID, Event: i.Event, Type: i.Type, Status: i.Status, Partial: i.Partial, Rows: i.Rows, Imported: i.Imported, Failed: i.Bad,
		Errors: i.Errors, Faults: i.Faults, Ignored: i.Ignored, CreatedBy: i.By,
		CreatedAt: timestamp.Format(i.CreatedAt), UpdatedAt: timestamp.Format(i.UpdatedAt),
	}
	v.OnDuplicate, v.Updated, v.Unchanged, v.Skipped = cmp.Or(i.OnDuplicate, string(writes.Refuse)), i.Updated, i.Unchanged, i.Skipped
	if u := i.Undone; u != nil {
		v.Undone = &undoneView{By: u.By, At: timestamp.Format(u.At), Removed: u.Removed}
	}
	if v.Errors == nil {
		v.Errors = []record.RowError{}
	}
	if v.Ignored == nil {
		v.Ignored = []string{}
	}
	if v.Status == record.Receiving {
		v.Status = record.Validating // the difference is ours alone
	}
	return v
}

// importFile takes a file to be imported. It is stored before the answer, and
// worked on afterwards by whichever process comes first.
func (s *server) importFile(c *fiber.Ctx) error {
	charset := declaredCharset(c)
	file, err := web.BodyAs(c, "text/csv", xlsx.MediaType)
	if err != nil {
		return err
	}
	i := record.Import{Event: teams.EventID(c), Type: cmp.Or(c.Params("type"), sheet.Mixed), Status: record.Receiving, Rev: 1, HasFile: true}
	again, err := importOptions(c, &i)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(i.Type+"\x00"+string(c.Context().QueryArgs().Peek("sheet"))+"\x00"), file...))
	i.Hash = hex.EncodeToString(sum[:])
	if file, err = asCSV(c, i, file, charset); err != nil {
		return err
	}
	i.WholeRecords = wholeRecords(file, i)
	typ := rowsOfFile(i)
	// What is wrong with the head is told at once.
	if _, err := sheet.NewReader(bytes.NewReader(file), typ, optionsOf(i)); err != nil {
		return err
	}
	if i.Type == footprint.AttendeeTravel {
		// Columns of names and addresses are never stored.
		if file, i.Ignored, err = sheet.Only(file, typ, optionsOf(i)); err != nil {
			return err
		}
	}
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
	if err := knowsWhere(i, event); err != nil {
		return err
	}
	if err := s.roomForImport(c, w.Org); err != nil {
		return err
	}
	if !again && writes.Duplicates(i.OnDuplicate) != writes.Update && writes.Duplicates(i.OnDuplicate) != writes.Skip {
		if err := s.importedBefore(c, i); err != nil {
			return err
		}
	}
	if w.Rehearsal {
		return s.rehearseImport(c, i, event, file)
	}
	if i, err = s.receive(c, w, i, file); err != nil {
		return err
	}
	if s.Importer != nil {
		s.Importer.Kick()
	}
	c.Set(fiber.HeaderLocation, web.BasePath+"/events/"+string(i.Event)+"/imports/"+i.ID)
	return web.Answer(c, fiber.StatusAccepted, viewOf(i))
}

// roomForImport refuses a file while its organization has many that are not
// finished. It may be exceeded by requests in flight.
func (s *server) roomForImport(c *fiber.Ctx, org record.OrgID) error {
	open, err := s.Store.OpenImports(c.UserContext(), openImports)
	if err != nil {
		return err
	}
	own := 0
	for _, o := range open {
		if o.Org == org {
			own++
		}
	}
	if own < importsOfOrganization {
		return nil
	}
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: importRetry,
		Message: fmt.Sprintf("Your organization has %d imports that are not finished. Please wait for one of them.", own)}
}

// importedBefore refuses a file that an import of the event has brought already.
// Without references in its rows everything in it would be there twice.
func (s *server) importedBefore(c *fiber.Ctx, i record.Import) error {
	same, err := s.Store.ImportsOfFile(c.UserContext(), i.Org, i.Event, i.Hash)
	if err != nil {
		return err
	}
	for _, before := range same {
		if before.ID == i.ID || before.Status == record.Failed || before.Undone != nil {
			continue
		}
		return apperr.New(apperr.DuplicateFile, "This file was imported on %s already, as import %s.", timestamp.Format(before.CreatedAt), before.ID).
			With(apperr.Detail{Field: "again", Code: "DUPLICATE", Message: "With again=true it is imported once more; with onDuplicate=skip or update no record is doubled that has a reference. " +
				"POST …/imports/" + before.ID + "/undo takes the earlier import back.", Suggestions: []string{before.ID}})
	}
	return nil
}

// importOptions reads the query; again asks to import a file once more.
func importOptions(c *fiber.Ctx, i *record.Import) (again bool, err error) {
	var faults []apperr.Detail
	choose := func(name string, values ...string) string {
		value := values[0]
		if args := c.Context().QueryArgs(); args.Has(name) {
			value = string(args.Peek(name))
		}
		if !slices.Contains(values, value) {
			faults = append(faults, apperr.Detail{Field: name, Code: "NOT_ALLOWED", Message: name + " is one of " + strings.Join(values, ", ") + ".", Suggestions: values})
		}
		return value
	}
	i.Partial = choose("partial", "false", "true") == "true"
	i.DecimalComma = choose("decimal", "point", "comma") == "comma"
	if mode := choose("onDuplicate", writes.AllDuplicates()...); mode != string(writes.Refuse) {
		i.OnDuplicate = mode
	}
	again = choose("again", "false", "true") == "true"
	oneOf := func(name string, allowed []string) string {
		args := c.Context().QueryArgs()
		value := string(args.Peek(name))
		if args.Has(name) && !slices.Contains(allowed, value) {
			faults = append(faults, fields.NotOneOf(name, value, allowed))
		}
		return value
	}
	i.NumberFormat = oneOf("numberFormat", units.Formats())
	i.DateOrder = oneOf("dateOrder", units.Orders())
	oneOf("encoding", sheet.Encodings())
	switch declared := c.Context().QueryArgs().Has("decimal"); {
	case declared && i.NumberFormat != "" && strings.HasSuffix(i.NumberFormat, ",5") != i.DecimalComma:
		faults = append(faults, apperr.Detail{Field: "numberFormat", Code: fields.NotAllowed, Message: "decimal and numberFormat declare different separators of the decimals; leave decimal out."})
	case declared && i.NumberFormat == "" && !i.DecimalComma:
		i.NumberFormat = "1234.5"
	}
	if args := c.Context().QueryArgs(); args.Has("to") {
		i.To = string(args.Peek("to"))
		if i.Type != footprint.AttendeeTravel || i.To == "" || len(i.To) > places.MaxText {
			faults = append(faults, apperr.Detail{Field: "to", Code: fields.NotAllowed, Message: "to is a place, for files of attendee travel alone."})
		}
	}
	if len(faults) > 0 {
		return false, apperr.Invalid(faults...)
	}
	return again, nil
}

func optionsOf(i record.Import) sheet.Options {
	return sheet.Options{DecimalComma: i.DecimalComma, NumberFormat: i.NumberFormat, DateOrder: i.DateOrder, Known: append(serverColumns(), faultsColumn)}
}

// declaredCharset returns the character set of the body's media type, which is
// taken out of the header: the file is read by it, and not refused for it.
func declaredCharset(c *fiber.Ctx) string {
	got, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	charset := strings.ToLower(params["charset"])
	if err != nil || !slices.Contains(sheet.Encodings(), charset) {
		return ""
	}
	c.Request().Header.SetContentType(got)
	return charset
}

// asCSV returns a file as CSV in UTF-8: the sheet of a workbook that is meant, or
// a text from the encoding it was declared to be in.
func asCSV(c *fiber.Ctx, i record.Import, file []byte, charset string) ([]byte, error) {
	args := c.Context().QueryArgs()
	if got, _, _ := mime.ParseMediaType(c.Get(fiber.HeaderContentType)); got == xlsx.MediaType {
		return xlsx.CSV(file, string(args.Peek("sheet")), i.DecimalComma || strings.HasSuffix(i.NumberFormat, ",5"))
	}
	if args.Has("sheet") {
		return nil, apperr.Invalid(apperr.Detail{Field: "sheet", Code: fields.NotAllowed, Message: "sheet names a sheet of a workbook; a CSV file has none."})
	}
	if encoding := string(args.Peek("encoding")); encoding != "" {
		charset = encoding
	}
	return sheet.UTF8(file, charset)
}

// receive stores the file in parts and opens it to the importer. An earlier
// attempt of the request may have begun that, or been through with it.
func (s *server) receive(c *fiber.Ctx, w writes.Write, i record.Import, file []byte) (record.Import, error) {
	ctx := c.UserContext()
	err := s.Store.InsertImport(ctx, w.Org, i)
	if w.Request.Keyed() && errors.Is(err, record.ErrDuplicate) {
		i, err = s.Store.Import(ctx, w.Org, i.Event, i.ID)
	}
	if err != nil || i.Status != record.Receiving {
		return i, err
	}
	for n := int64(0); len(file) > 0; n++ {
		size := min(importPart, len(file))
		if err := s.Store.PutImportPart(ctx, w.Org, i.ID, n, file[:size]); err != nil {
			return i, err
		}
		file = file[size:]
	}
	before := i.Rev
	i.Status, i.Rev, i.Lease = record.Validating, before+1, s.now()
	err = s.Store.ReplaceImport(ctx, w.Org, i, before)
	if errors.Is(err, record.ErrConflict) {
		return s.Store.Import(ctx, w.Org, i.Event, i.ID)
	}
	return i, err
}

// rehearseImport looks at the whole file before it answers: as what the import
// would come to.
func (s *server) rehearseImport(c *fiber.Ctx, i record.Import, event record.Event, file []byte) error {
	v := validation{store: s.Store, event: event, decode: s.decoderFor(c), keep: func(*record.Import) error { return nil }}
	good, err := v.run(c.UserContext(), &i, bytes.NewReader(file))
	if err != nil {
		return err
	}
	i.Status = record.Failed
	if good {
		i.Status, i.Imported = record.Completed, i.Rows-i.Bad-i.Updated-i.Unchanged-i.Skipped
	}
	return web.Answer(c, fiber.StatusAccepted, viewOf(i))
}

// importOf reads the import of the path.
func (s *server) importOf(c *fiber.Ctx) (record.Import, error) {
	event, err := s.event(c)
	if err != nil {
		return record.Import{}, err
	}
	i, err := s.Store.Import(c.UserContext(), orgOf(c), event.ID, c.Params("importId"))
	if errors.Is(err, record.ErrNotFound) {
		return i, apperr.New(apperr.NotFound, "There is no such import.")
	}
	return i, err
}

// getImport answers how far an import is.
func (s *server) getImport(c *fiber.Ctx) error {
	i, err := s.importOf(c)
	if err != nil {
		return err
	}
	return web.OK(c, viewOf(i))
}
