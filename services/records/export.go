package records

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/timestamp"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/workbook"
)

const (
	// exportStep is the number of records read at a time.
	exportStep = 125
	// exportsAtOnce is the number of concurrent exports, and exportsOfOne that of one
	// organization: each has up to two steps in memory while its client reads nothing.
	exportsAtOnce = 64
	exportsOfOne  = 32
	csvType       = "text/csv; charset=utf-8"
)

// export sends all records of an event, including drafts, as one table, as JSON or as a workbook: by
// type in a fixed order, then the oldest record first. It is streamed in steps, each with a slot of its
// own. An error closes the connection, so that a part is not mistaken for the whole; so does
// the end of the caller's session or permissions, because a client may take any time to read
// the file.
func (s *server) export(c *fiber.Ctx) error {
	event, err := s.event(c)
	if err != nil {
		return err
	}
	highest, err := s.Store.MaxSeqs(c.UserContext(), teams.Org(c), event.ID)
	if err != nil {
		return err
	}
	tag, err := s.exportTag(c.UserContext(), event, highest)
	if err != nil {
		return err
	}
	// Clients that accept anything besides JSON and workbooks get the table, for compatibility.
	asWorkbook := c.Accepts("text/csv", workbook.MediaType) == workbook.MediaType
	asJSON := !asWorkbook && c.Accepts("text/csv") == "" && c.Accepts(fiber.MIMEApplicationJSON) != ""
	if asWorkbook {
		tag = web.ETagOf("workbook", tag)
	}
	var view record.EventView
	if asJSON {
		views, err := s.viewsOf(c.UserContext(), event.Org, []record.Event{eventFor(c, event)})
		if err != nil {
			return err
		}
		view = views[0]
		tag = web.ETagOf("json", tag, view.ETag())
	}
	c.Vary(fiber.HeaderAccept)
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	still, err := teams.Revalidate(c, s.Verifier, s.Store, s.now, "exportRecords")
	if err != nil {
		return err
	}
	org := string(teams.Org(c))
	if !s.exports.Take(org, 1) {
		return &apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
			Message: "Too many exports are in progress. Finish reading those, then try again."}
	}
	c.Set(fiber.HeaderETag, tag)
	ctx, cancel := web.BodyContext(c) // its deadline bounds the whole file
	e := &exporter{ctx: ctx, cancel: cancel, still: still, release: func() { s.exports.Put(org, 1) }, turn: web.SlotFunc(c), ahead: web.SlotFuncAhead(c), store: s.Store, org: teams.Org(c), event: event, highest: highest, sheetRows: workbook.MaxRows}
	for _, typ := range footprint.Types() {
		if highest[typ] > 0 {
			e.types = append(e.types, typ)
		}
	}
	e.columns = slices.Concat(sheet.All(e.types), sheet.ServerColumns())
	switch {
	case asJSON:
		err = e.encodeJSON(view)
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	case asWorkbook:
		err = e.encodeWorkbook()
		c.Set(fiber.HeaderContentType, workbook.MediaType)
		c.Set(fiber.HeaderContentDisposition, `attachment; filename="event-`+string(event.ID)+`.xlsx"`)
	default:
		e.encodeTable()
		c.Set(fiber.HeaderContentType, csvType)
		c.Set(fiber.HeaderContentDisposition, `attachment; filename="event-`+string(event.ID)+`.csv"`)
	}
	if err != nil {
		return errors.Join(err, e.Close())
	}
	c.Context().SetBodyStream(e, -1)
	return nil
}

// exportTagStep is the number of revisions in memory at a time.
const exportTagStep = 4096

// exportTag returns the entity tag of an event's export, made of the revisions of all its
// records, which the index contains, and of the context of their figures. What is written
// during the export may be in the file and not in the tag; revisions only increase, so such a
// tag never matches again.
func (s *server) exportTag(ctx context.Context, event record.Event, highest map[string]int64) (string, error) {
	tag := web.ETagOf("export", string(event.ID), strconv.FormatInt(event.ContextRev, 10))
	for _, typ := range footprint.Types() {
		for from := int64(1); from <= highest[typ]; from += exportTagStep {
			revisions, err := appearances(s.Store.RecordRevisions(ctx, event.Org, record.Sub{Event: event.ID, Type: typ}, from, min(from+exportTagStep-1, highest[typ])))
			if err != nil {
				return "", fmt.Errorf("export: %w", err)
			}
			tag = web.ETagOf(tag, typ, appearanceText(revisions))
		}
	}
	return tag, nil
}

// exporter is the export as a stream, generated while it is read.
type exporter struct {
	ctx     context.Context // lives as long as the stream, longer than the call that creates it
	cancel  func()
	still   func(context.Context) error // see teams.Revalidate
	release func()
	// turn acquires a slot for writing, and ahead one for reading.
	turn, ahead func(context.Context) (end func(), err error)

	store   record.Pages
	org     record.OrgID
	event   record.Event
	types   []string
	highest map[string]int64
	columns []sheet.Column
	places  map[string]int // of columns, by name
	cells   []string       // of the previous row
	// sheetRows is the number of rows on a sheet of a workbook.
	sheetRows int
	// append appends one record to the generated bytes; closing returns what follows the last one,
	// and is nil if nothing does.
	append  func(to []byte, r record.Record) ([]byte, error)
	closing func() ([]byte, error)

	ready []byte // generated rows; those before sent are sent
	sent  int
	read  chan stepRead // nil before the first step
	done  bool          // nothing more to read
}

func (e *exporter) head() []string {
	head := sheet.LeadingColumns()
	for _, c := range e.columns {
		head = append(head, c.Name)
	}
	return head
}

// Close stops reading, and waits until it has stopped: the export is counted as long as records
// are read for it.
func (e *exporter) Close() error {
	e.cancel()
	if e.read != nil {
		for range e.read {
		}
	}
	e.release()
	return nil
}

// Read implements io.Reader.
func (e *exporter) Read(p []byte) (int, error) {
	for {
		if e.sent < len(e.ready) {
			n := copy(p, e.ready[e.sent:])
			e.sent += n
			return n, nil
		}
		if !e.done {
			more, err := e.step()
			if err != nil {
				return 0, fmt.Errorf("export: %w", err)
			}
			e.done = !more
			continue
		}
		if e.closing == nil {
			return 0, io.EOF
		}
		end, err := e.closing()
		if err != nil {
			return 0, fmt.Errorf("export: %w", err)
		}
		e.ready, e.closing, e.sent = end, nil, 0
	}
}

// stepRead is the records of one step.
type stepRead struct {
	records []record.Record
	err     error
}

// readAhead reads the records step by step, one step ahead of writing, so that reading and
// writing run in parallel while nobody else needs the processors. Two steps are in memory at a
// time, whatever the size of the event.
func (e *exporter) readAhead() {
	defer close(e.read)
	for _, typ := range e.types {
		for from := int64(0); from < e.highest[typ]; from += exportStep {
			b := e.readStep(record.Sub{Event: e.event.ID, Type: typ}, from)
			select {
			case e.read <- b:
			case <-e.ctx.Done():
				return
			}
			if b.err != nil {
				return
			}
		}
	}
}

// readStep reads the records after a number.
func (e *exporter) readStep(of record.Sub, behind int64) (b stepRead) {
	end, err := e.ahead(e.ctx)
	if err != nil {
		return stepRead{err: err}
	}
	defer end()
	b.records, b.err = e.store.RecordRange(e.ctx, e.org, of, behind+1, min(behind+exportStep, e.highest[of.Type]))
	return b
}

// step writes the rows of the next records while holding a slot of their organization; it
// returns false if there are none.
func (e *exporter) step() (more bool, err error) {
	if e.read == nil {
		e.read = make(chan stepRead)
		go e.readAhead()
	}
	b, more := <-e.read
	if !more || b.err != nil {
		if b.err == nil {
			b.err = e.ctx.Err() // it ended before the last one
		}
		return false, b.err
	}
	// Checked after reading: a client may have made them wait.
	if err := e.still(e.ctx); err != nil {
		return false, err
	}
	end, err := e.turn(e.ctx)
	if err != nil {
		return false, err
	}
	defer end()
	e.ready, e.sent = e.ready[:0], 0
	for _, r := range slices.Backward(b.records) { // they are listed newest first
		if e.ready, err = e.append(e.ready, r.Under(e.event)); err != nil {
			return false, fmt.Errorf("record %s: %w", r.ID, err)
		}
	}
	return true, nil
}

// encodeTable makes the stream a table in CSV.
func (e *exporter) encodeTable() { e.append, e.ready = e.appendRow, sheet.AppendRow(nil, e.head()) }

func (e *exporter) appendRow(to []byte, r record.Record) ([]byte, error) {
	row, err := e.row(r)
	if err != nil {
		return nil, err
	}
	return sheet.AppendRow(to, row), nil
}

// encodeJSON makes the stream one JSON object: the event and its records.
func (e *exporter) encodeJSON(event record.EventView) error {
	text, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	e.ready = slices.Concat([]byte(`{"success":true,"data":{"event":`), text, []byte(`,"items":[`))
	e.closing = func() ([]byte, error) { return []byte("]}}"), nil }
	first := true
	e.append = func(to []byte, r record.Record) ([]byte, error) {
		// Called directly: json.Marshal would scan the text twice more.
		text, err := r.MarshalJSON()
		if err == nil && escapes(text) {
			text, err = json.Marshal(r)
		}
		if err != nil {
			return nil, err
		}
		if !first {
			to = append(to, ',')
		}
		first = false
		return append(to, text...), nil
	}
	return nil
}

// escapes reports whether json.Marshal would escape anything in a text.
func escapes(text []byte) bool {
	return bytes.IndexByte(text, '<') >= 0 || bytes.IndexByte(text, '>') >= 0 || bytes.IndexByte(text, '&') >= 0 ||
		bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029"))
}

func (e *exporter) row(r record.Record) ([]string, error) {
	var kg, low, high, set string
	var bad error
	if err := allMembersOf(r.Preview, func(name, value []byte) {
		switch string(name) {
		case "kgCO2e":
			kg = number(value)
		case "low":
			low = number(value)
		case "high":
			high = number(value)
		case "factorSet":
			if err := json.Unmarshal(value, &set); err != nil {
				bad = err
			}
		}
	}); err != nil {
		return nil, err
	}
	row := append(e.cells[:0],
		string(r.ID), r.Type, string(r.Status), strconv.FormatBool(r.Status.IsSubmitted()), strconv.FormatInt(r.Rev, 10),
		timestamp.Format(r.CreatedAt), sheet.Guard(r.CreatedBy.ID), sheet.Guard(r.CreatedBy.Name), timestamp.Format(r.UpdatedAt),
		stampCell(r.SubmittedAt), actorCell(r.SubmittedBy), stampCell(r.ReviewedAt), actorCell(r.ReviewedBy), sheet.Guard(r.ReviewComment),
		kg, low, high, sheet.Guard(set),
	)
	first := len(row)
	row = slices.Grow(row, len(e.columns))[:first+len(e.columns)]
	clear(row[first:])
	if e.places == nil {
		e.places = make(map[string]int, len(e.columns))
		for i, c := range e.columns {
			e.places[c.Name] = i
		}
	}
	err := allMembersOf(r.Fields, func(name, value []byte) {
		if at, ok := e.places[string(name)]; ok {
			var err error
			if row[first+at], err = sheet.Cell(value); err != nil {
				bad = err
			}
		}
	})
	e.cells = row
	return row, errors.Join(err, bad)
}

// number returns the text of a number; empty for null.
func number(value []byte) string {
	if string(value) == "null" {
		return ""
	}
	return string(value)
}

func stampCell(at *time.Time) string {
	if at == nil {
		return ""
	}
	return timestamp.Format(*at)
}

func actorCell(by *record.Actor) string {
	if by == nil {
		return ""
	}
	return sheet.Guard(by.ID)
}
