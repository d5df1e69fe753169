package recordtest

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// oddStrings are strings that engines are known to interpret, escape, fold, normalize
// or truncate.
func oddStrings() []string {
	return []string{
		"$where", "$$ROOT", "a.b", ".", "__proto__", "constructor", `{"$gt":""}`,
		`'; DROP TABLE records; --`, `"quoted" 'twice' \ back\slash`, "%_?*[a]", "?1 :name @p",
		" leading and trailing \t", "line\nfeed\r\nand \x01 control \x7f", "nul\x00inside", "\ufeffbom",
		"Zoë Ωmega 東京 العربية", "e\u0301 is not \u00e9", "\u2028\u2029", "👩‍👩‍👧 🏳️‍🌈 \U0010ffff", "<script>&amp;</script>",
		"null", "true", "0", "1e3", "0x10", "NaN", strings.Repeat("long ", 2000),
	}
}

// oddJSON are canonical values whose keys and numbers engines are known to interpret.
// They must be returned byte for byte, because they are hashed.
func oddJSON() []string {
	return []string{
		`{}`, `[]`, `null`, `0`, `""`,
		`{"$where":"1","a.b":{"$gt":""},"":{"":[]},"__proto__":{"x":1},"_id":"r9","nul\u0000key":1}`,
		`{"max":9223372036854775807,"min":-9223372036854775808,"odd":9007199254740993,"huge":123456789012345678901234567890}`,
		`{"f":1.10,"e":1e-7,"E":1E+400,"negative":-0,"long":0.1000000000000000055511151231257827}`,
		`{"b":1,"a":2,"a ":[[1,[2,[3]]],[]]}`,
		"{\"text\":\"\u2028 \u2029 <&> \\u003c \\/ 👩‍👩‍👧 e\u0301\"}",
		`{ "spaces" : [ 1 , 2 ] }`,
	}
}

func valueTests() []test {
	return []test{
		{"every text of an organization and an event survives byte for byte", func(b *bench) {
			for i, odd := range oddStrings() {
				o := record.Organization{ID: record.OrgID(odd), Name: odd, Plan: odd, CreatedAt: start, Rev: 1}
				b.must(b.InsertOrganization(b.Context(), o))
				gotOrg, err := b.Organization(b.Context(), o.ID)
				b.must(err)
				equal(b, "organization", gotOrg, o)

				e := record.Event{
					ID: record.EventID(odd), Org: o.ID, Title: odd, StartDate: odd, EndDate: odd, Country: odd, Timezone: odd,
					Description: odd, Method: record.Method{GWP: odd}, FactorSet: odd, CreatedBy: record.Actor{ID: odd, Name: odd},
					Reference: odd, Metadata: map[string]string{odd: odd},
					CreatedAt: start, UpdatedAt: start, Rev: int64(i + 1), Mark: odd,
				}
				e, err = b.InsertEvent(b.Context(), o.ID, e, record.Unlimited)
				b.must(err)
				gotEvent, err := b.Event(b.Context(), o.ID, e.ID)
				b.must(err)
				equal(b, "event", gotEvent, e)
				gotEvent, err = b.EventByReference(b.Context(), o.ID, odd)
				b.must(err)
				equal(b, "event by its reference", gotEvent, e)
				b.must(b.ClearEventMark(b.Context(), o.ID, e.ID, odd))
				has, err := b.HasMarks(b.Context(), o.ID, e.ID)
				b.must(err)
				equal(b, "has marks", has, false)
			}
		}},
		{"every text of a record and its history survives byte for byte", func(b *bench) {
			for _, odd := range oddStrings() {
				org, sub := record.OrgID("org "+odd), record.Sub{Event: record.EventID(odd), Type: odd}
				r := oddRecord(org, sub, odd)
				r.Seq = b.insert(org, r).Seq
				equal(b, "seq", r.Seq, 1)
				equal(b, "record", b.read(org, r.Key()), r)
				_, err := b.InsertRecord(b.Context(), org, referring(sub, "another", odd))
				b.want(record.ErrDuplicateReference, err)

				b.must(b.InsertEntry(b.Context(), org, sub.Event, r.ID, r.Last))
				entries, err := b.Entries(b.Context(), org, r.ID)
				b.must(err)
				equal(b, "entries", entries, []record.Entry{r.Last})

				marks, err := b.MarkedRecords(b.Context(), org, sub.Event, 9)
				b.must(err)
				equal(b, "marked", marks, []record.MarkedRecord{{Type: odd, ID: r.ID, Seq: 1, Mark: odd}})
				b.must(b.ClearRecordMarks(b.Context(), org, sub.Event, marks))
				highest, err := b.MaxSeqs(b.Context(), org, sub.Event)
				b.must(err)
				equal(b, "highest seq of "+odd, highest[odd], 1)

				r = next(r)
				r.Mark, r.Fields, r.Reference = odd, nil, odd+" changed"
				b.replace(org, r)
				equal(b, "record", b.read(org, r.Key()), r)
			}
		}},
		{"canonical JSON survives byte for byte", func(b *bench) {
			for i, odd := range oddJSON() {
				text := json.RawMessage(odd)
				r := draft(flights, record.ID(fmt.Sprint("r", i)))
				r.Fields, r.Preview, r.Contribution, r.Status = text, text, text, record.Approved
				r.Seq = b.insert(acme, r).Seq
				equal(b, "record", b.read(acme, r.Key()), r)
				counted, err := b.Approved(b.Context(), acme, flights, r.Seq, r.Seq)
				b.must(err)
				equal(b, "fields", string(counted[0].Fields), odd)
				equal(b, "contribution", string(counted[0].Contribution), odd)
				inputs, err := b.Inputs(b.Context(), acme, flights, r.Seq, r.Seq)
				b.must(err)
				equal(b, "input", inputs[0].Fields, odd)
				b.replace(acme, next(r))
				b.must(b.StoreContributions(b.Context(), acme, recalculated(r.ID, r.Rev+1, r.ContextRev+1, text, text)))
				got := b.read(acme, r.Key())
				equal(b, "preview", string(got.Preview), odd)
				equal(b, "contribution", string(got.Contribution), odd)

				e := someEvent(record.EventID(fmt.Sprint("e", i)))
				e.Boundary = text
				_, err = b.InsertEvent(b.Context(), acme, e, record.Unlimited)
				b.must(err)
				gotEvent, err := b.Event(b.Context(), acme, e.ID)
				b.must(err)
				equal(b, "boundary", string(gotEvent.Boundary), odd)
			}
		}},
		{"whole numbers of 64 bits survive", func(b *bench) {
			for i, n := range []int64{1<<53 + 1, math.MaxInt64 - 1, -1<<53 - 1, math.MinInt64} {
				e := someEvent(record.EventID(fmt.Sprint("e", i)))
				e.Attendees, e.VirtualAttendees, e.ContextRev, e.Rev = new(n), new(n), n, n
				e, err := b.InsertEvent(b.Context(), acme, e, math.MaxInt64)
				b.must(err)
				got, err := b.Event(b.Context(), acme, e.ID)
				b.must(err)
				equal(b, "event", got, e)
				e.Rev++
				b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), acme, e, n+1))
				b.must(b.ReplaceEvent(b.Context(), acme, e, n))

				r := draft(flights, record.ID(fmt.Sprint("r", i)))
				r.Rev, r.ContextRev, r.Last.Rev, r.Status = n, n, n, record.Approved
				r = b.insert(acme, r)
				equal(b, "record", b.read(acme, r.Key()), r)
				b.must(b.StoreContributions(b.Context(), acme, recalculated(r.ID, n, n+1, nil, nil)))
				equal(b, "context", b.read(acme, r.Key()).ContextRev, n+1)
				b.must(b.InsertEntry(b.Context(), acme, gala, r.ID, r.Last))
				entries, err := b.Entries(b.Context(), acme, r.ID)
				b.must(err)
				equal(b, "entries", entries, []record.Entry{r.Last})
			}
		}},
		{"times keep their milliseconds, whatever zone they were given in", func(b *bench) {
			zone := time.FixedZone("east", 5*3600+1800)
			for i, at := range []time.Time{
				start, start.In(zone), time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
				time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC), {},
			} {
				r := draft(flights, record.ID(fmt.Sprint("r", i)))
				r.CreatedAt, r.UpdatedAt, r.Last.At = at, at, at
				r.SubmittedAt, r.ReviewedAt = new(at), new(at)
				r.Seq = b.insert(acme, r).Seq
				equal(b, "record", b.read(acme, r.Key()), r)
			}
		}},
		{"every role and the lack of one survives", func(b *bench) {
			for _, role := range []identity.Role{identity.RoleNone, identity.User, identity.Manager, identity.Admin} {
				r := draft(flights, record.ID("r-"+role.String()))
				by := record.Actor{ID: "u", Role: role}
				r.CreatedBy, r.EditedBy, r.SubmittedBy, r.ReviewedBy, r.Last.By = by, by, &by, &by, by
				r.Seq = b.insert(acme, r).Seq
				equal(b, "record", b.read(acme, r.Key()), r)
				e := someEvent(record.EventID("e-" + role.String()))
				e.CreatedBy = by
				_, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
				b.must(err)
				got, err := b.Event(b.Context(), acme, e.ID)
				b.must(err)
				equal(b, "creator", got.CreatedBy, by)
			}
		}},
	}
}

// oddRecord returns a record with odd in every string.
func oddRecord(org record.OrgID, sub record.Sub, odd string) record.Record {
	by := record.Actor{ID: odd, Name: odd, Role: identity.User}
	r := fullRecord(sub, record.ID(odd))
	r.Org, r.Reference, r.Mark, r.ReviewComment = org, odd, odd, odd
	r.Notices = []footprint.Notice{{Code: odd, Message: odd, Field: odd, Suggestions: []string{odd, "", odd}}}
	r.CreatedBy, r.EditedBy, r.SubmittedBy, r.ReviewedBy = by, by, &by, &by
	r.Last = record.Entry{
		Rev: r.Rev, Move: record.Move(odd), From: record.Status(odd), To: record.Status(odd), By: by, At: start,
		Comment: odd, Changed: []string{odd, ""}, Prev: odd, Hash: odd,
	}
	return r
}
