package writes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// MaxMany is the maximum number of records of one request.
	MaxMany = 100
	// maxID is longer than any id.
	maxID = 64
	// maxFigure is more than any record counts, in kg CO2e.
	maxFigure = 1_000_000_000_000_000
	// concurrentMoves is how many moves of one request run concurrently.
	concurrentMoves = 8
)

// Outcomes of a record that was sent and exists as it was sent, or was not to be changed.
const (
	Unchanged = "unchanged"
	Skipped   = "skipped"
)

// Outcome is the result for one of many records: the record, or an error.
type Outcome struct {
	// ID is the requested id; empty for a new record.
	ID     record.ID      `json:"_id,omitempty"`
	Record *record.Record `json:"record,omitempty"`
	// Outcome is created, updated, unchanged or skipped, for a record that was sent.
	Outcome string         `json:"outcome,omitempty"`
	Error   *web.ErrorBody `json:"error,omitempty"`
	// Notices say what else is to be known of it.
	Notices []fields.Notice `json:"notices,omitempty"`
}

// Outcomes is the answer for many, in the order of the request.
type Outcomes struct {
	Items     []Outcome `json:"items"`
	Succeeded int       `json:"succeeded"`
	Failed    int       `json:"failed"`
}

// Answer responds with outcomes, always with status 200.
func Answer(c *fiber.Ctx, items []Outcome) error {
	out, done := Outcomes{Items: items}, false
	for _, o := range items {
		done = done || o.Error == nil && o.Outcome != Unchanged && o.Outcome != Skipped
		if o.Error == nil {
			out.Succeeded++
		} else {
			out.Failed++
		}
	}
	if !done {
		idempotency.NothingDone(c)
	}
	return web.OK(c, out)
}

// Refused returns the outcome of a rejection. An internal failure is not an outcome: it is returned, and the request
// as a whole fails, so that it can be repeated.
func Refused(c *fiber.Ctx, err error) (Outcome, error) {
	if _, status := web.Translate(err); status >= http.StatusInternalServerError {
		return Outcome{}, err
	}
	body := web.ErrorOf(c, err)
	return Outcome{Error: &body}, nil
}

// Many is the body {"ids": […], "comment": "…", "revisions": {…}, "figures": {…}}: 1 to 100
// ids, each once, a comment for all of them, and the revisions and figures of them that the
// caller has seen.
type Many struct {
	IDs     []record.ID
	Comment string
	// Revisions, unless nil, make the transition of each record conditional on its revision.
	Revisions map[string]int64
	// Figures, unless nil, make the approval of each record conditional on its kg CO2e.
	Figures map[string]decimal.Decimal
}

// IfMatch returns the condition for moving one of the records; nil: none. With revisions, a record without one is not
// moved.
func (m Many) IfMatch(id record.ID) func(record.Record) bool {
	if m.Revisions == nil {
		return nil
	}
	seen := m.Revisions[string(id)]
	return func(r record.Record) bool { return r.Rev == seen }
}

// IfFigure returns the condition for approving one of the records in its event; nil: none. With figures, a record
// without one is not approved.
func (m Many) IfFigure(id record.ID) func(record.Record, record.Event) bool {
	if m.Figures == nil {
		return nil
	}
	seen, ok := m.Figures[string(id)]
	return func(r record.Record, e record.Event) bool { return ok && r.Under(e).Shows(seen) }
}

// ReadIDs reads a Many.
func ReadIDs(c *fiber.Ctx) (Many, error) {
	r, err := web.Fields(c)
	if r == nil {
		return Many{}, err
	}
	var m Many
	if !r.IsNull("comment") {
		m.Comment = r.Remark("comment", record.MaxComment)
	}
	r.Require("ids")
	list, ok := r.Strings("ids", MaxMany, maxID)
	if ok && len(list) == 0 {
		r.Fault(apperr.Detail{Field: "ids", Code: fields.Required, Message: fmt.Sprintf("ids names 1 to %d records.", MaxMany)})
	}
	first := map[string]int{}
	m.IDs = make([]record.ID, len(list))
	for i, id := range list {
		m.IDs[i] = record.ID(id)
		if at, twice := first[id]; twice && id != "" {
			r.Fault(apperr.Detail{Field: fmt.Sprintf("ids[%d]", i), Code: fields.DuplicateKey, Message: fmt.Sprintf("ids[%d] repeats ids[%d].", i, at)})
			continue
		}
		first[id] = i
	}
	if revisions, ok := r.IntegerMap("revisions", MaxMany, maxID, 1, math.MaxInt64); ok {
		m.Revisions = revisions
	}
	if figures, ok := r.DecimalMap("figures", MaxMany, maxID, decimal.Decimal{}, decimal.FromInt(maxFigure)); ok {
		m.Figures = figures
	}
	return m, web.Finish(c, r)
}

// Duplicates determines the handling of a record whose reference another one has.
type Duplicates string

// The ways to deal with duplicate references.
const (
	Refuse Duplicates = "refuse" // the default
	Skip   Duplicates = "skip"   // the stored record stays
	Update Duplicates = "update" // the stored record gets the fields that were sent
)

// AllDuplicates are the values of onDuplicate.
func AllDuplicates() []string { return []string{string(Refuse), string(Skip), string(Update)} }

// Batch is the body {"items": […], "onDuplicate": …}: 1 to 100 records, each as sent. Errors in one of them are
// part of its outcome.
type Batch struct {
	Items       []json.RawMessage
	OnDuplicate Duplicates
}

// ReadBatch reads a Batch.
func ReadBatch(c *fiber.Ctx) (Batch, error) {
	body, err := web.Body(c)
	if err != nil {
		return Batch{}, err
	}
	r, err := fields.Parse(body)
	if r == nil {
		return Batch{}, err
	}
	mode, ok := r.Enum("onDuplicate", AllDuplicates()...)
	if !ok {
		mode = string(Refuse)
	}
	items, ok := r.Raws("items", "a list of records", MaxMany)
	if len(items) == 0 && (ok || !r.Has("items")) {
		r.Fault(apperr.Detail{Field: "items", Code: fields.Required, Message: fmt.Sprintf("items is required; it holds 1 to %d records.", MaxMany)})
	}
	if web.Strict(c) {
		r.RefuseUnknown()
	}
	if err := outside(r.Err(), "items["); err != nil {
		return Batch{}, err
	}
	web.Notify(c, r.Notices()...)
	return Batch{Items: items, OnDuplicate: Duplicates(mode)}, nil
}

// Each applies a transition for each of the ids, some concurrently, and returns the
// outcomes in their order. request returns the request for an id. None follows once the caller may
// no longer do what is requested: under load they take longer than a revocation may take. With an
// error it returns the outcomes of those that were applied, too.
func (w Write) Each(c *fiber.Ctx, ids []record.ID, request func(ctx context.Context, id record.ID) (record.Request, error)) ([]Outcome, error) {
	ctx := c.UserContext()
	moved, errs := make([]record.Record, len(ids)), make([]error, len(ids))
	turns := make(chan struct{}, concurrentMoves)
	var group sync.WaitGroup
	var ended error
	begun := 0
	for i, id := range ids {
		turns <- struct{}{}
		if ended = w.Continue(ctx); ended != nil {
			break
		}
		begun++
		group.Go(func() {
			defer func() {
				<-turns
				if v := recover(); v != nil { // nobody else recovers a panic outside of the request's own goroutine
					errs[i] = fmt.Errorf("move panicked: %v", v)
				}
			}()
			r, err := request(ctx, id)
			if err == nil {
				moved[i], err = w.Apply(ctx, r)
			}
			errs[i] = err
		})
	}
	group.Wait()
	items := make([]Outcome, len(ids))
	for i, id := range ids[:begun] {
		if errs[i] == nil {
			moved[i] = teams.Under(c, moved[i])
			items[i] = Outcome{ID: id, Record: &moved[i]}
			continue
		}
		refused, err := Refused(c, errs[i])
		refused.ID = id
		items[i], ended = refused, cmp.Or(ended, err)
	}
	return items, ended
}
