package writes_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/libs/writes"
)

// byDocument is a store that writes one document at a time, as MongoDB does.
type byDocument struct{ writes.Store }

// TestWritesAreMetered verifies that the gateway is told what a write stores, on an engine of either kind: of records
// their contents, of changes of many records each comment, of events what was sent, and nothing of a dry run or of
// what was refused.
func TestWritesAreMetered(t *testing.T) {
	t.Parallel()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	engine := sqlitestore.New(db)
	for name, store := range map[string]writes.Store{"keeper": engine, "by document": byDocument{engine}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			org := record.OrgID(strings.ReplaceAll(name, " ", "-"))
			sub := record.Sub{Event: record.EventID("e-" + org), Type: "waste"}
			at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
			newRecord := func(i int) record.Record {
				return record.Record{ID: record.ID(fmt.Sprintf("%s-%d", org, i)), Org: org, Event: sub.Event, Type: sub.Type, Rev: 1, Status: record.Unsubmitted, CreatedAt: at, UpdatedAt: at,
					Fields: json.RawMessage(`{"description":"` + strings.Repeat("x", 5000) + `"}`)}
			}
			tenant := record.Organization{ID: org, Name: "Organization", Rev: 1, CreatedAt: at}
			if err := engine.InsertOrganization(t.Context(), tenant); err != nil {
				t.Fatal(err)
			}
			maker := writes.Maker{Store: store, Now: time.Now}
			steps := map[string]func(c *fiber.Ctx, w writes.Write) error{
				"one": func(c *fiber.Ctx, w writes.Write) error {
					_, err := w.Store.InsertRecord(c.UserContext(), org, newRecord(0))
					return err
				},
				"many": func(c *fiber.Ctx, w writes.Write) error {
					_, _, err := w.Store.InsertRecords(c.UserContext(), org, sub, []record.Record{newRecord(1), newRecord(1), newRecord(2)})
					return err
				},
				"comment": func(c *fiber.Ctx, w writes.Write) error {
					after := newRecord(0)
					after.Seq, after.Rev, after.Last = 1, 2, record.Entry{Rev: 2, Comment: strings.Repeat("x", 2000)}
					if keeper, ok := w.Store.(record.EntryKeeper); ok {
						return keeper.ReplaceRecordKeeping(c.UserContext(), org, after, 1, record.Entry{Rev: 1})
					}
					return w.Store.ReplaceRecord(c.UserContext(), org, after, 1)
				},
				"conflict": func(c *fiber.Ctx, w writes.Write) error {
					return w.Store.ReplaceRecord(c.UserContext(), org, newRecord(0), 7)
				},
				"event": func(c *fiber.Ctx, w writes.Write) error {
					e := record.Event{ID: sub.Event, Org: org, Title: "Event", Rev: 1, ContextRev: 1, CreatedAt: at, UpdatedAt: at}
					if _, err := w.Store.InsertEvent(c.UserContext(), org, e, record.Unlimited); err != nil {
						return err
					}
					e.Rev = 2
					return w.Store.ReplaceEvent(c.UserContext(), org, e, 1)
				},
				"organization": func(c *fiber.Ctx, w writes.Write) error {
					changed := tenant
					changed.Rev = 2
					return w.Store.ReplaceOrganization(c.UserContext(), changed, 1)
				},
			}
			app := web.New(web.Options{})
			app.Post("/:step", func(c *fiber.Ctx) error {
				w, err := maker.Begin(c)
				if err != nil {
					return err
				}
				return steps[c.Params("step")](c, w)
			})
			for _, step := range []struct {
				name, body  string
				least, most int64
				header      []string
			}{
				{"one", "", 6000, 9000, []string{"X-Dry-Run", "true"}},
				{"one", "", 6000, 9000, nil},
				{"many", "", 12000, 16000, nil},
				{"comment", "", 6000, 9000, nil},
				{"conflict", "", 0, 0, nil},
				{"event", `{"description":"` + strings.Repeat("x", 5000) + `"}`, 20000, 25000, nil},
				{"organization", `{"name":"` + strings.Repeat("x", 5000) + `"}`, 10000, 13000, nil},
			} {
				if step.header != nil {
					step.least, step.most = 0, 0
				}
				got := webtest.Send(t, app, "", http.MethodPost, "/"+step.name, step.body, step.header...)
				n, err := strconv.ParseInt(got.Header.Get(web.HeaderStored), 10, 64)
				if step.most > 0 && err != nil || n < step.least || n > step.most {
					t.Errorf("%s %v stores %d (%d %s), want %d to %d", step.name, step.header, n, got.Status, got.Body, step.least, step.most)
				}
			}
		})
	}
}
