// Package recordtest is the conformance suite of record.Store: what each method returns
// and refuses, that one organization never sees another, and that all of it holds under
// concurrent writes.
package recordtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// Run runs the suite. open returns a store over the database of the test t it is
// handed: the first call for a t makes an empty one, and every further call
// with the same t gives another store value over that same database, as
// another process would have.
//
// No test puts more than about 50 records into an event, so that an engine that
// reads whole collections passes in reasonable time too.
func Run(t *testing.T, open func(t *testing.T) record.Store) {
	for _, group := range [][]test{
		organizationTests(), eventTests(), eventReferenceTests(), insertTests(), replaceTests(), readTests(), listTests(), queueTests(), historyTests(),
		markTests(), contributionTests(), tenantTests(), contextTests(), valueTests(), raceTests(), modelTests(), pagingTests(), workflowTests(),
		keyTests(), batchTests(), importTests(), gateTests(), archiveTests(), summaryTests(), eventAuditTests(), teamTests(), supplierTests(), packTests(),
	} {
		for _, one := range group {
			t.Run(one.name, func(t *testing.T) {
				t.Parallel()
				one.run(&bench{T: t, Store: open(t), open: open})
			})
		}
	}
}

// test is one part of the suite. Its name states what it verifies.
type test struct {
	name string
	run  func(b *bench)
}

// bench is the environment of a test: a store on an empty database.
type bench struct {
	*testing.T
	record.Store
	open func(t *testing.T) record.Store
}

// another returns a further store on the same database.
func (b *bench) another() record.Store { return b.open(b.T) }

// The tenants and places of the suite. The other organization uses the same event and
// type names, which only its id distinguishes.
const (
	acme  record.OrgID   = "org-acme"
	other record.OrgID   = "org-other"
	gala  record.EventID = "event-gala"
	fair  record.EventID = "event-fair"
)

var flights = record.Sub{Event: gala, Type: "flights"}

// start is the time of the first record of the suite.
var start = time.Date(2026, 3, 14, 15, 9, 26, 535_000_000, time.UTC)

// someEvent returns an event with every field set.
func someEvent(id record.EventID) record.Event {
	return record.Event{
		ID: id, Org: acme, Title: "Gala", StartDate: "2026-05-01", EndDate: "2026-05-03",
		Attendees: new(int64(250)), VirtualAttendees: new(int64(0)), Country: "DE", Timezone: "Europe/Berlin",
		Place: "Kiel", Location: footprint.Venue{Name: "Kiel", Region: "Schleswig-Holstein", Country: "DE", GeonameID: 2891122, Code: "HAM", Latitude: "54.32133", Longitude: "10.13489", Area: true},
		Description: "An evening.", Boundary: json.RawMessage(`{"included":["flights"],"excluded":[]}`),
		Method: record.Method{RadiativeForcing: true, GWP: "AR6", Engine: "2.0.0"}, FactorSet: "2026.1",
		Compensation: []record.Compensation{{Kind: record.Removal, KgCO2e: decimal.New(125, 1), Description: "Trees", Standard: "S", Registry: "R", Reference: "1-9", RetiredOn: "2026-06-01"}},
		CreatedBy:    record.Actor{ID: "u1", Name: "Ann", Role: identity.Manager},
		CreatedAt:    start, UpdatedAt: start.Add(time.Second), Rev: 1, ContextRev: 1,
	}
}

// draft returns a record as created.
func draft(sub record.Sub, id record.ID) record.Record {
	by := record.Actor{ID: "u1", Name: "Ann", Role: identity.User}
	return record.Record{
		ID: id, Org: acme, Event: sub.Event, Type: sub.Type, Rev: 1, Status: record.Unsubmitted,
		Fields:  json.RawMessage(`{"from":"FRA","passengers":3,"to":"LHR"}`),
		Preview: json.RawMessage(`{"kgCO2e":"1.5"}`), ContextRev: 1,
		CreatedBy: by, EditedBy: by, CreatedAt: start, UpdatedAt: start,
		Last: record.Entry{Rev: 1, Move: record.Create, To: record.Unsubmitted, By: by, At: start, Hash: "h1"},
	}
}

// fullRecord returns a record with every field set.
func fullRecord(sub record.Sub, id record.ID) record.Record {
	r := draft(sub, id)
	boss := record.Actor{ID: "u2", Name: "Bob", Role: identity.Admin}
	r.Rev, r.Status, r.Reference, r.ContextRev, r.Mark = 5, record.Approved, "ref-"+string(id), 7, "mark-"+string(id)
	r.Notices = []footprint.Notice{
		{Code: "IGNORED", Message: "Not used.", Field: "color", Suggestions: []string{"class", "via"}},
		{Code: "PLAIN", Message: "Just so."},
	}
	r.Contribution = json.RawMessage(`{"kg":"1.5","lines":[]}`)
	r.UpdatedAt = start.Add(time.Hour)
	r.EditedBy = record.Actor{ID: "u3", Role: identity.Manager}
	r.SubmittedAt, r.SubmittedBy = new(start.Add(time.Minute)), new(record.Actor{ID: "u1", Name: "Ann", Role: identity.User})
	r.ReviewedAt, r.ReviewedBy, r.ReviewComment = new(start.Add(time.Hour)), &boss, "Fine."
	r.Last = record.Entry{
		Rev: 5, Move: record.Approve, From: record.InReview, To: record.Approved, By: boss, At: start.Add(time.Hour),
		Comment: "Fine.", Changed: []string{"from", "to"}, Once: "once-5", Prev: "h4", Hash: "h5",
	}
	return r
}

// next returns r at the next revision.
func next(r record.Record) record.Record {
	r.Rev++
	r.UpdatedAt = r.UpdatedAt.Add(time.Second)
	r.Last = record.Entry{
		Rev: r.Rev, Move: record.Edit, From: r.Status, To: r.Status, By: r.EditedBy, At: r.UpdatedAt,
		Prev: r.Last.Hash, Hash: fmt.Sprint("h", r.Rev),
	}
	return r
}

// deleted returns the tombstone of r.
func deleted(r record.Record) record.Record {
	r = next(r)
	r.Deleted = true
	return r
}

// The helpers below stop the test on an unexpected error.

func (b *bench) insert(org record.OrgID, r record.Record) record.Record {
	b.Helper()
	stored, err := b.InsertRecord(b.Context(), org, r)
	b.must(err)
	return stored
}

// fill inserts n drafts named prefix1, prefix2 …
func (b *bench) fill(org record.OrgID, sub record.Sub, prefix string, n int) []record.Record {
	b.Helper()
	all := make([]record.Record, n)
	for i := range all {
		all[i] = b.insert(org, draft(sub, record.ID(fmt.Sprint(prefix, i+1))))
	}
	return all
}

// replace stores r in place of its previous revision.
func (b *bench) replace(org record.OrgID, r record.Record) record.Record {
	b.Helper()
	b.must(b.ReplaceRecord(b.Context(), org, r, r.Rev-1))
	return r
}

// move stores r in another state.
func (b *bench) move(org record.OrgID, r record.Record, to record.Status) record.Record {
	b.Helper()
	r = next(r)
	r.Status = to
	return b.replace(org, r)
}

func (b *bench) delete(org record.OrgID, r record.Record) {
	b.Helper()
	b.replace(org, deleted(r))
}

func (b *bench) read(org record.OrgID, key record.Key) record.Record {
	b.Helper()
	r, err := b.Record(b.Context(), org, key)
	b.must(err)
	return r
}

func (b *bench) insertEvent(org record.OrgID, id record.EventID) record.Event {
	b.Helper()
	e, err := b.InsertEvent(b.Context(), org, someEvent(id), record.Unlimited)
	b.must(err)
	return e
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("unexpected error: %v", err)
	}
}

// want checks for a sentinel error.
func (b *bench) want(sentinel, err error) {
	b.Helper()
	if !errors.Is(err, sentinel) {
		b.Fatalf("got error %v, want %v", err, sentinel)
	}
}

// wantFailure checks for an error that is none of the sentinels.
func (b *bench) wantFailure(err error) {
	b.Helper()
	if err == nil {
		b.Fatal("no error where one was due")
	}
	for _, sentinel := range []error{
		record.ErrNotFound, record.ErrConflict, record.ErrDuplicate, record.ErrDuplicateReference, record.ErrQuota,
	} {
		if errors.Is(err, sentinel) {
			b.Fatalf("got %v, want a failure of another kind", err)
		}
	}
}

func equal[T any](b *bench, what string, got, want T) {
	b.Helper()
	got, want = normal(got), normal(want)
	if !reflect.DeepEqual(got, want) {
		b.Fatalf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(text)
}

// normal returns v in a canonical form: times in UTC, nil instead of an empty list. A
// store may return either.
func normal[T any](v T) T {
	c := reflect.New(reflect.TypeFor[T]()).Elem()
	c.Set(reflect.ValueOf(&v).Elem())
	return normalValue(c).Interface().(T) //nolint:forcetypeassert // it is a T
}

func normalValue(v reflect.Value) reflect.Value {
	if v.Type() == reflect.TypeFor[time.Time]() {
		t, _ := reflect.TypeAssert[time.Time](v)
		return reflect.ValueOf(t.UTC())
	}
	c := reflect.New(v.Type()).Elem()
	if v.Type() == reflect.TypeFor[decimal.Decimal]() {
		return v // it has only one form
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			c.Field(i).Set(normalValue(v.Field(i)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.Set(reflect.New(v.Type().Elem()))
			c.Elem().Set(normalValue(v.Elem()))
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.Set(reflect.Append(c, normalValue(v.Index(i))))
		}
	default:
		c.Set(v)
	}
	return c
}

// ended returns a cancelled context.
func (b *bench) ended() context.Context {
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	return ctx
}

func ids(records []record.Record) []record.ID {
	all := make([]record.ID, len(records))
	for i, r := range records {
		all[i] = r.ID
	}
	return all
}

func seqs(records []record.Record) []int64 {
	all := make([]int64, len(records))
	for i, r := range records {
		all[i] = r.Seq
	}
	return all
}
