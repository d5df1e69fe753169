package mongostore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// most is below a third of the server's limit, and mostOfRecord the bound of the longest record: its input and figures,
// and the rest.
const (
	most         = 5 << 20
	mostOfRecord = record.MaxBytes + 1<<20
)

// actor has the longest possible id and name; texts have characters that JSON escapes.
var actor = record.Actor{ID: strings.Repeat("i", 26), Name: text(200), Role: identity.Manager}

func text(characters int) string { return strings.Repeat("\u2028", characters) }

// TestNoDocumentNearsTheLargest builds the largest document of each kind that has
// lists or long texts in it, by the bounds of the domain.
func TestNoDocumentNearsTheLargest(t *testing.T) {
	t.Parallel()
	now, comment := time.Now(), text(record.MaxComment)

	e := record.Event{Title: text(200), Place: text(500), Description: text(5000), CreatedBy: actor, Reference: text(128)}
	e.Last = record.EventEntry{By: actor, At: now, Comment: comment}
	for n := range record.MaxEditions {
		e.Editions = append(e.Editions, record.Edition{Edition: int64(n), Root: strings.Repeat("f", 64), Statement: comment, By: actor, At: now,
			Withdrawn: &record.Withdrawal{By: actor, At: now, Comment: comment}})
	}
	body, _ := json.Marshal(strings.Repeat("x", record.MaxProposalBytes/record.MaxProposals))
	for range record.MaxProposals {
		e.Proposals = append(e.Proposals, record.Proposal{By: actor, At: now, Comment: comment, Body: body, Effect: body})
	}
	for range 10_000 { // unreported changes
		e.Last.Rev++
		e.Last.Hash = strings.Repeat("f", 64)
		e.Owed = e.Unreported()
	}
	for range record.MaxTeam {
		e.Team = append(e.Team, record.TeamMember{ID: strings.Repeat("u", 64)})
	}
	for range 50 {
		e.Compensation = append(e.Compensation, record.Compensation{KgCO2e: decimal.New(1<<62, 6), Description: text(500), Standard: text(200), Registry: text(200), Reference: text(200)})
	}
	e.Metadata = map[string]string{}
	for n := range 20 {
		e.Metadata[fmt.Sprint(n)] = text(500)
	}
	boundary, _ := json.Marshal(slices.Repeat([]string{text(500)}, 100))
	e.Boundary = boundary
	// The largest proposal is of every long field whose change needs one.
	list, _ := json.Marshal(e.Compensation)
	e.Proposals[0].Changed = []record.FieldChange{{Before: list, After: list}, {Before: boundary, After: boundary}}
	state, err := eventStateOf(e)
	bounded(t, "event", most, eventDoc{State: state}, err)

	o := record.Organization{Name: text(200)}
	for n := range 1000 {
		o.SetPolicy(record.Policy{FourEyes: n%2 == 0}, int64(n)+2, actor, &actor, now)
		o.Policies = o.Policies[max(0, len(o.Policies)-record.KeptPolicies):] // as ArchivePolicies leaves them
	}
	organization, err := organizationToDoc(o)
	bounded(t, "organization", most, organization, err)

	i := record.Import{By: actor, Ignored: slices.Repeat([]string{text(200)}, 100)}
	for range 100 {
		i.Errors = append(i.Errors, record.RowError{Column: text(200), Message: text(1000), Suggestions: slices.Repeat([]string{text(100)}, 5)})
	}
	imported, err := importStateOf("org", i)
	bounded(t, "import", most, imported, err)

	f := record.SupplierFactor{SupplierFactor: footprint.SupplierFactor{Name: text(100), Source: text(500), Evidence: slices.Repeat([]footprint.Evidence{{Name: text(200), URL: text(500)}}, 20)}}
	for range 101 { // maxSupplierEdits, and the decisions
		f.History = append(f.History, record.SupplierEntry{By: actor, At: now, Comment: comment, Changed: slices.Repeat([]string{"uncertainty"}, 12)})
	}
	supplier, err := supplierStateOf("org", f)
	bounded(t, "supplier's factor", most, supplier, err)
}

// TestNoRecordNearsTheLargest builds the longest possible record of attendee travel: rows of countries, each of which
// is represented by its towns. With all rows for some of the countries with the most towns it is rejected, and the
// longest accepted one is far below the server's limit.
func TestNoRecordNearsTheLargest(t *testing.T) {
	t.Parallel()
	var rows []json.RawMessage
	for country := range strings.FieldsSeq("DE FR IT US CA BR IN CN JP AU") {
		for _, mode := range []string{"train", "car", "plane"} {
			rows = append(rows, fmt.Appendf(nil, `{"country":%q,"mode":%q,"people":100000,"roundTrip":true}`, country, mode),
				fmt.Appendf(nil, `{"country":%q,"mode":%q,"people":100000,"roundTrip":false}`, country, mode))
		}
	}
	part := footprint.MaxOrigins/len(rows) + 1
	body, err := footprint.OriginsBody("Brighton, GB", rows)
	if err != nil {
		t.Fatal(err)
	}
	ev := record.NewEvent("org", "e", record.Event{Country: "DE", Method: record.DefaultMethod, FactorSet: "desnz-2026"}, actor, time.Now())
	decoded, err := footprint.Decode(footprint.AttendeeTravel, body, ev.Context())
	if err != nil {
		t.Fatal(err)
	}
	preview, contribution, err := record.Evaluate(footprint.AttendeeTravel, decoded.Fields, nil, ev.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := record.Record{Fields: decoded.Fields, Last: record.Entry{By: actor, Comment: text(record.MaxComment), Changed: []string{"origins"}}}
	grow := func(parts int) error {
		r.Fields = slices.Repeat(decoded.Fields, parts)
		r.Preview, r.Contribution = slices.Repeat(preview, parts), slices.Repeat(contribution, parts)
		return record.CheckSize(r.Fields, r.Preview, r.Contribution)
	}
	if err := grow(part); apperr.CodeOf(err) != apperr.ValidationError {
		t.Fatalf("%d rows of countries were taken: %v", footprint.MaxOrigins, err)
	}
	for ; grow(part) != nil; part-- {
	}
	if part < 10 {
		t.Fatalf("%d rows are refused", part*len(rows))
	}
	bounded(t, "record", mostOfRecord, newRecordDoc("org", travel, r), nil)
}

var travel = record.Sub{Event: "e", Type: footprint.AttendeeTravel}

func bounded(t *testing.T, kind string, bound int, document any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	data, err := bson.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", kind, len(data))
	if len(data) > bound {
		t.Errorf("the largest %s has %d bytes, more than %d", kind, len(data), bound)
	}
}
