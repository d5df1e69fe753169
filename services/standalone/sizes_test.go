package standalone_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
)

// runbook contains the sizes for capacity planning.
const runbook = "../../docs/runbooks/mongodb.md"

// TestSizesOfTheRunbook compares the bytes per document and index key in the runbook with those of documents made by
// the product: they must agree within a quarter.
func TestSizesOfTheRunbook(t *testing.T) {
	t.Parallel()
	g := newGrowing(t)
	ctx := t.Context()
	must(t, g.records.InsertOrganization(ctx, record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1, CreatedAt: time.Now()}))
	by := record.Actor{ID: strings.Repeat("i", 26), Name: "Ada Lovelace", Role: identity.Manager}
	ev, err := g.records.InsertEvent(ctx, "org", record.NewEvent("org", "event", record.Event{Title: "Annual Conference", Country: "GB",
		Method: record.DefaultMethod, FactorSet: "desnz-2026"}, by, time.Now()), record.Unlimited)
	must(t, err)
	flow := record.Workflow{Store: g.records, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
	for typ, body := range map[string]string{
		"waste":   `{"treatment":"landfill","weightKg":1234.25,"description":"stand 12"}`,
		"flights": `{"from":"LHR","to":"JFK","passengers":14,"class":"economy","roundTrip":true,"group":"speakers","date":"2026-06-09"}`,
	} {
		decoded, err := footprint.Decode(typ, []byte(body), ev.Context())
		must(t, err)
		r := record.Record{ID: record.ID(record.NewID()), Event: ev.ID, Type: typ, Fields: decoded.Fields, ContextRev: ev.ContextRev}
		r.Preview, r.Contribution, err = record.Evaluate(typ, decoded.Fields, nil, ev.Context())
		must(t, err)
		r, err = flow.Insert(ctx, "org", r, by)
		must(t, err)
		for _, m := range []record.Move{record.Submit, record.Approve, record.Reopen, record.Submit, record.Approve} {
			_, err = flow.Apply(ctx, record.Request{Org: "org", Key: r.Key(), Move: m, By: by, Comment: "as agreed"})
			must(t, err)
			must(t, g.worker.Recalculate(ctx, "org", ev.ID))
		}
	}
	accounts := accountmongo.New(g.db)
	for n := range 5 {
		_, err := accounts.AppendAudit(ctx, account.AuditEntry{ID: fmt.Sprintf("%026d", n), Org: "org", Seq: int64(n) + 1, At: time.Now(), Action: "record.approve", Outcome: "done",
			Actor: by.ID, Subject: strings.Repeat("s", 26), Session: strings.Repeat("s", 26), Before: "submitted", After: "approved", Address: "192.0.2.17",
			RequestID: strings.Repeat("r", 26), Prev: strings.Repeat("f", 64), Hash: strings.Repeat("f", 64)})
		must(t, err)
	}
	stated := statedSizes(t)
	for _, kind := range []struct{ name, collection string }{
		{"a record", "records"}, {"an entry of a record's history", "history"}, {"an event", "events"},
		{"a revision of a result", "result_revisions"}, {"a change of a node", "result_changes"}, {"an entry of the audit log", "audit"},
	} {
		cursor, err := g.db.Collection(kind.collection).Find(ctx, bson.D{{Key: "org", Value: "org"}})
		must(t, err)
		var all []bson.Raw
		must(t, cursor.All(ctx, &all))
		sum := 0
		for _, d := range all {
			sum += len(d)
		}
		if len(all) == 0 {
			t.Errorf("%s: there is none", kind.name)
			continue
		}
		var one bson.M
		must(t, bson.Unmarshal(all[len(all)-1], &one))
		inIndexes, keys := indexBytes(t, kind.collection, one)
		mean := sum / len(all)
		if of, grows := growsWithItsEvent[kind.collection]; grows {
			kept := keptBytes(t, "mongodb\t10\tall\t"+of) // of records approved in bursts of ten
			mean = int(kept.data / kept.rows)
		}
		t.Logf("%s: %d documents of %d bytes, %d index keys of %d bytes together", kind.name, len(all), mean, keys, inIndexes)
		s := stated[kind.name]
		for of, measured := range map[string][2]int{"document": {mean, s[0]}, "index keys": {inIndexes, s[1]}} {
			if is, want := measured[0], measured[1]; is*4 > want*5 || is*5 < want*4 {
				t.Errorf("the %s of %s: %d bytes, and %d in %s", of, kind.name, is, want, runbook)
			}
		}
		if keys != s[2] {
			t.Errorf("%s has %d index keys, and %d in %s", kind.name, keys, s[2], runbook)
		}
	}
}

// growsWithItsEvent are the kinds of the table of stored bytes whose documents grow with their event, by collection:
// an event of two records is not representative.
var growsWithItsEvent = map[string]string{"result_revisions": "revisions", "result_changes": "changes"}

// statedSizes reads the rows "| name | bytes | bytes of index keys | index keys |" of the
// runbook.
func statedSizes(t *testing.T) map[string][3]int {
	t.Helper()
	text, err := os.ReadFile(runbook)
	must(t, err)
	stated := map[string][3]int{}
	row := regexp.MustCompile(`^\| ([^|]+) \| ([0-9,]+) \| ([0-9,]+) \| ([0-9]+) \|`)
	for line := range bytes.Lines(text) {
		if m := row.FindSubmatch(line); m != nil {
			var numbers [3]int
			for i := range numbers {
				numbers[i], err = strconv.Atoi(strings.ReplaceAll(string(m[i+2]), ",", ""))
				must(t, err)
			}
			stated[string(m[1])] = numbers
		}
	}
	return stated
}
