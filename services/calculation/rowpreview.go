package calculation

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

// rowsPreviewView is the sums of an event with rows that are not stored.
type rowsPreviewView struct {
	Event record.EventID `json:"eventId"`
	// Status is that of the result behind Approved.
	Status   string    `json:"status"`
	Approved sumView   `json:"approved"`
	Waiting  sumView   `json:"waiting"`
	Drafts   sumView   `json:"drafts"`
	All      sumView   `json:"all"`
	Rows     []rowView `json:"rows"`
	// Sum carries the rows of this part and of those before it to the next one.
	Sum           string        `json:"sum"`
	FactorSet     factorSetView `json:"factorSet"`
	EngineVersion string        `json:"engineVersion"`
}

type sumView struct {
	Records int64          `json:"records"`
	Total   total.Interval `json:"total"`
}

// rowView is the result of one row: its error, or its figure and the approved total including it.
type rowView struct {
	Footprint    *total.Interval `json:"footprint,omitempty"`
	ApprovedWith *total.Interval `json:"approvedWith,omitempty"`
	Lines        []explain.Line  `json:"lines,omitempty"`
	Error        *web.ErrorBody  `json:"error,omitempty"`
}

// sentRow is a row as sent. Record is the draft that it changes.
type sentRow struct {
	typ    string
	record record.ID
	fields json.RawMessage
}

const (
	maxRowID = 64
	// maxCarried bounds the state carried from part to part, in characters.
	maxCarried = 600_000
)

// previewRows serves the sums of an event including rows that are not stored yet: those of approved records, of the
// queue and of drafts.
func (s *server) previewRows(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	rows, before := readRows(r)
	explained, _ := r.Bool("explain")
	if err := web.Finish(c, r); err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	carried, err := readCarried(before, ev)
	if err != nil {
		return err
	}
	if err := carried.refuseRepeated(rows); err != nil {
		return err
	}
	p := rowPreview{server: s, c: c, ev: ev, carried: carried, explained: explained,
		library: &record.SupplierLibrary{Context: c.UserContext(), Store: s.Records, Org: ev.Org}}
	return p.answer(rows)
}

func readRows(r *fields.Reader) ([]sentRow, string) {
	var rows []sentRow
	items, _ := r.Objects("items", writes.MaxMany)
	for _, item := range items {
		item.Require("type", "fields")
		row := sentRow{}
		row.typ, _ = item.Enum("type", footprint.Types()...)
		if !item.IsNull("recordId") {
			id, _ := item.String("recordId", 1, maxRowID)
			row.record = record.ID(id)
		}
		row.fields = readRowFields(item)
		rows = append(rows, row)
	}
	before, _ := r.String("after", 1, maxCarried)
	return rows, before
}

// readRowFields returns the fields of a row as sent. Faults of a field concern only that row; anything but an object
// is not a row.
func readRowFields(item *fields.Reader) json.RawMessage {
	text, there := item.Raw("fields")
	if there && text[0] != '{' {
		at := item.Path("fields")
		item.Fault(apperr.Detail{Field: at, Code: fields.WrongType, Message: at + " must be an object."})
	}
	return text
}

// carried is the state passed from one part of a preview to the next. It only affects responses to its sender.
type carried struct {
	// Context is the revision of the event's context that the rows were counted under.
	Context int64              `json:"context"`
	Sum     total.Contribution `json:"sum"`
	// Replaced are the drafts that rows replace, and ReplacedBy the numbers of those rows, from 1 over all parts.
	Replaced   []record.ID `json:"replaced"`
	ReplacedBy []int       `json:"replacedBy,omitempty"`
	// Rows is how many rows there have been.
	Rows int `json:"rows,omitempty"`
}

func readCarried(text string, ev record.Event) (carried, error) {
	from := carried{Context: ev.ContextRev}
	if text == "" {
		return from, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(plain, &from)
	}
	if err != nil {
		return from, apperr.Invalid(apperr.Detail{Field: "after", Code: fields.BadFormat, Message: "after must be the sum from the response to the previous part."})
	}
	if from.Context != ev.ContextRev {
		return from, apperr.Invalid(apperr.Detail{Field: "after", Code: "EVENT_CHANGED", Message: "The event has changed since the previous part. Start again with the first part."})
	}
	return from, nil
}

// refuseRepeated returns the error of rows that replace a draft that another row replaces, here or in an earlier part: both
// would count.
func (c carried) refuseRepeated(rows []sentRow) error {
	var faults []apperr.Detail
	fault := func(i int, other string) {
		at := fmt.Sprintf("items[%d].recordId", i)
		faults = append(faults, apperr.Detail{Field: at, Code: fields.DuplicateKey, Message: at + " repeats " + other + ". A draft is replaced by one row."})
	}
	here := make(map[record.ID]int, len(rows))
	for i, row := range rows {
		if row.record == "" {
			continue
		}
		if first, twice := here[row.record]; twice {
			fault(i, fmt.Sprintf("items[%d].recordId", first))
			continue
		}
		here[row.record] = i
		switch at := slices.Index(c.Replaced, row.record); {
		case at >= 0 && at < len(c.ReplacedBy):
			fault(i, fmt.Sprintf("that of row %d of all parts", c.ReplacedBy[at]))
		case at >= 0:
			fault(i, "that of a row of an earlier part")
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return apperr.Invalid(faults...)
}

func (c carried) text() (string, error) {
	plain, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(plain), err
}

type rowPreview struct {
	*server
	c       *fiber.Ctx
	ev      record.Event
	carried carried
	// explained: rows are answered with their lines.
	explained bool
	library   *record.SupplierLibrary
}

func (p *rowPreview) answer(rows []sentRow) error {
	ctx := p.c.UserContext()
	base, err := p.basis(ctx, p.ev)
	if err != nil {
		return err
	}
	approved, err := base.result.Sum()
	if err != nil {
		return err
	}
	checksum, err := checksumOf(p.ev)
	if err != nil {
		return err
	}
	drafts, err := p.drafts(ctx)
	if err != nil {
		return err
	}
	view := rowsPreviewView{
		Event: p.ev.ID, Status: base.status(p.ev), EngineVersion: p.ev.Context().EngineVersion(),
		FactorSet: factorSetView{p.ev.FactorSet, checksum}, Rows: make([]rowView, len(rows)),
	}
	for i, row := range rows {
		if view.Rows[i], err = p.row(i, row, approved, drafts); err != nil {
			return err
		}
	}
	// Drafts replaced by rows are not counted a second time.
	left := []total.Contribution{p.carried.Sum}
	replaced := make(map[record.ID]bool, len(p.carried.Replaced))
	for _, id := range p.carried.Replaced {
		replaced[id] = true
	}
	for id, part := range drafts {
		if !replaced[id] {
			left = append(left, part)
		}
	}
	p.carried.Rows += len(rows)
	sum := total.Sum(left...)
	view.Approved, view.Waiting, view.Drafts = sumOf(approved), sumOf(base.queue.sum), sumOf(sum)
	view.All = sumOf(total.Sum(approved, base.queue.sum, sum))
	if view.Sum, err = p.carried.text(); err != nil {
		return fmt.Errorf("preview of rows: %w", err)
	}
	return web.OK(p.c, view)
}

func sumOf(c total.Contribution) sumView { return sumView{c.Records(), c.Interval()} }

// row counts a row and adds it to the carried state.
func (p *rowPreview) row(i int, row sentRow, approved total.Contribution, drafts map[record.ID]total.Contribution) (rowView, error) {
	decoded, err := p.decode(row, drafts)
	if err != nil {
		refused, err := writes.Refused(p.c, writes.Under(fmt.Sprintf("items[%d].fields", i), err))
		return rowView{Error: refused.Error}, err
	}
	part := total.Of(&decoded.Evaluation)
	p.carried.Sum = p.carried.Sum.Add(part)
	if row.record != "" {
		p.carried.Replaced = append(p.carried.Replaced, row.record)
		p.carried.ReplacedBy = append(p.carried.ReplacedBy, p.carried.Rows+i+1)
	}
	own, with := part.Interval(), approved.Add(part)
	together := with.Interval()
	view := rowView{Footprint: &own, ApprovedWith: &together}
	if p.explained {
		view.Lines = explain.Lines(record.Counted{Type: row.typ, Fields: decoded.Fields}, decoded.Evaluation.Lines, p.ev.Context())
	}
	return view, nil
}

func (p *rowPreview) decode(row sentRow, drafts map[record.ID]total.Contribution) (footprint.Decoded, error) {
	if _, ok := drafts[row.record]; row.record != "" && !ok {
		return footprint.Decoded{}, &apperr.Error{Code: apperr.InvalidTransition, Message: "The record is no longer a draft; it is counted as stored."}
	}
	return footprint.Options{Suppliers: p.library}.Decode(row.typ, row.fields, p.ev.Context())
}

// drafts reads the contributions of stored drafts. Those without a factor by the event's method are included with
// none.
func (p *rowPreview) drafts(ctx context.Context) (map[record.ID]total.Contribution, error) {
	drafts := map[record.ID]total.Contribution{}
	err := p.Records.EachDraft(ctx, p.ev.Org, p.ev.ID, func(r record.Record) error {
		part, err := contributionOf(r, p.ev)
		if err != nil {
			part = total.Contribution{}
		}
		drafts[r.ID] = part
		return nil
	})
	return drafts, err
}
