package standalone_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
)

// cost is the traffic of a request with the database.
type cost struct {
	commands  []string
	documents int
	// written are the bytes of documents that insertions and updates carry.
	written int
}

// meter adds up the traffic with the database.
type meter struct {
	mu   sync.Mutex
	cost cost
}

func (m *meter) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			m.mu.Lock()
			defer m.mu.Unlock()
			collection, _ := e.Command.Lookup(e.CommandName).StringValueOK()
			m.cost.commands = append(m.cost.commands, e.CommandName+" "+collection)
			for _, list := range []string{"documents", "updates"} {
				m.cost.written += len(e.Command.Lookup(list).Value)
			}
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, batch := range []string{"firstBatch", "nextBatch"} {
				if list, ok := e.Reply.Lookup("cursor", batch).ArrayOK(); ok {
					values, _ := list.Values()
					m.cost.documents += len(values)
				}
			}
		},
	}
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost = cost{}
}

// during returns the cost of an action.
func (m *meter) during(t *testing.T, action func()) cost {
	t.Helper()
	m.reset()
	action()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}

// reviewer accepts every token as that of the manager of the organization it names.
type reviewer struct{}

func (reviewer) Verify(_ context.Context, token string) (identity.Principal, error) {
	token = strings.Clone(token) // Fiber reuses the buffer that holds it
	if token == "" {
		return identity.Principal{}, errors.New("no token")
	}
	return identity.Principal{Org: token, UserID: "u1", Name: "Ann", Role: identity.Manager}, nil
}

type nobody struct{}

func (nobody) Notify(context.Context, record.OrgID, record.EventID) {}

// growing is the product over MongoDB without its sockets.
type growing struct {
	*meter
	t       *testing.T
	apps    map[string]*fiber.App
	records *recordmongo.Store
	results *resultmongo.Store
	db      *mongo.Database
	worker  *resulttree.Recalculator
}

func newGrowing(t *testing.T) *growing {
	t.Helper()
	db, m, stored, results := metered(t)
	worker := resulttree.NewRecalculator(stored, results, time.Now)
	log := slog.New(slog.DiscardHandler)
	g := &growing{meter: m, t: t, records: stored, results: results, db: db, worker: &worker, apps: map[string]*fiber.App{}}
	var err error
	g.apps["records"], err = records.New(records.Deps{Store: stored, Notifier: nobody{}, Verifier: reviewer{}, Quotas: settings.Quotas{"team": record.Unlimited}, Logger: log, Now: time.Now})
	must(t, err)
	g.apps["calculation"], err = calculation.New(calculation.Deps{Records: stored, Results: results, Notifier: nobody{}, Verifier: reviewer{}, Logger: log, Now: time.Now})
	must(t, err)
	g.apps["review"], err = review.New(review.Deps{Store: stored, Notifier: nobody{}, Verifier: reviewer{}, Logger: log, Now: time.Now})
	must(t, err)
	return g
}

// waitingOf is how many records of each event wait for review.
const waitingOf = 30

// fill creates an organization with one event of a number of complete segments, in which all records are approved
// except waitingOf of the first, with the derived data: the nodes, the result and the counts. Of the records it
// stores whole segments, the waiting ones, those on the requested pages, and others: the engine of the tests scans a
// whole collection for each command.
func (g *growing) fill(org record.OrgID, segments, whole, others int) (size int64) {
	g.t.Helper()
	t, ctx := g.t, g.t.Context()
	must(t, g.records.InsertOrganization(ctx, record.Organization{ID: org, Name: "Org", Plan: "team", Rev: 1, CreatedAt: time.Now()}))
	ev := record.NewEvent(org, eventOf(org), record.Event{Title: "Fair", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026"}, record.Actor{ID: "u0"}, time.Now())
	ev, err := g.records.InsertEvent(ctx, org, ev, record.Unlimited)
	must(t, err)
	waiting, counted := g.stored(approved(t, ev, 0), record.Submitted), g.stored(approved(t, ev, 1), record.Approved)

	size = int64(segments) * resulttree.Fanout
	numbers := map[int64]bool{resulttree.Fanout: true}
	for n := range int64(waitingOf + 30) {
		numbers[n+1] = true
	}
	for n := range int64(25) {
		numbers[size-n], numbers[size-(size/50-1)*25-n], numbers[n+1] = true, true, true
	}
	for n := range int64(whole) * resulttree.Fanout {
		numbers[n+1] = true
	}
	for n := range int64(others) {
		numbers[resulttree.Fanout+1+(n*7919)%(size-resulttree.Fanout)] = true
	}
	var all []bson.M
	for number := range numbers {
		one := maps.Clone(counted)
		if number <= waitingOf {
			one = maps.Clone(waiting)
		}
		one["_id"], one["refKey"], one["seq"], one["event"] = idOf(org, number), idOf(org, number), number, ev.ID
		if number == 1 || number == size && segments == 2 {
			one["mark"] = record.NewMark(time.Now())
		}
		all = append(all, one)
	}
	_, err = g.db.Collection("records").InsertMany(ctx, all)
	must(t, err)
	if segments > 2 {
		g.nodes(ev, segments)
	}
	must(t, g.worker.Recalculate(ctx, org, ev.ID))
	blocks := map[string]map[record.Status]int64{"waste/0": {record.Submitted: waitingOf, record.Approved: resulttree.Fanout - waitingOf}}
	for k := 1; k < segments; k++ {
		blocks[fmt.Sprint("waste/", k)] = map[record.Status]int64{record.Approved: resulttree.Fanout}
	}
	text, err := json.Marshal(blocks)
	must(t, err)
	_, err = g.db.Collection("record_counts").InsertOne(ctx, bson.D{{Key: "_id", Value: string(org) + "/" + string(ev.ID)}, {Key: "org", Value: org}, {Key: "event", Value: ev.ID}, {Key: "version", Value: int64(1)},
		{Key: "counts", Value: bson.D{{Key: "submitted", Value: int64(waitingOf)}, {Key: "approved", Value: size - waitingOf}}}, {Key: "blocks", Value: string(text)}})
	must(t, err)
	return size
}

// nodes stores the segments of an event, each with as many records as it can have, and
// the nodes above them.
func (g *growing) nodes(ev record.Event, segments int) {
	t, ctx := g.t, g.t.Context()
	_, contribution, err := record.Evaluate("waste", []byte(`{"treatment":"landfill","weightKg":1234.25}`), nil, ev.Context())
	must(t, err)
	sum, err := g.worker.Arithmetic.Sum(slices.Repeat([]json.RawMessage{contribution}, resulttree.Fanout))
	must(t, err)
	var above *resulttree.Node
	put := func() {
		if above == nil {
			return
		}
		above.Contribution, err = g.worker.Arithmetic.Sum(slices.Repeat([]json.RawMessage{sum}, len(above.Detail.Children)))
		must(t, err)
		slices.SortFunc(above.Detail.Children, func(a, b resulttree.Child) int { return strings.Compare(a.Key, b.Key) })
		must(t, g.results.PutNode(ctx, *above, 0))
	}
	// The worker calculates the first one and adds it to the others.
	for k := int64(1); k < int64(segments); k++ {
		node := resulttree.Node{Org: ev.Org, Event: ev.ID, NodeID: resulttree.NodeID{Type: "waste", Index: k}, Version: 1, ContextRev: ev.ContextRev, Contribution: sum}
		if above == nil || k%resulttree.Fanout == 0 {
			put()
			next := node
			next.Level, next.Index, next.Contribution = resulttree.TopLevel, k/resulttree.Fanout, nil
			above = &next
		}
		node.Hash = strings.Repeat("0", 64)
		must(t, g.results.PutNode(ctx, node, 0))
		above.Detail.Children = append(above.Detail.Children, resulttree.Child{Key: strconv.FormatInt(k, 10), Value: "1"})
	}
	put()
}

func eventOf(org record.OrgID) record.EventID { return record.EventID("event-" + org) }

// stored returns the document of a record of an event.
func (g *growing) stored(r record.Record, status record.Status) (d bson.M) {
	g.t.Helper()
	r.Status, r.Event = status, "of-"+r.Event
	if status == record.Submitted {
		r.Contribution = nil
		r.Last.Move, r.Last.From, r.Last.To = record.Submit, record.Unsubmitted, record.Submitted
	}
	_, err := g.records.InsertRecord(g.t.Context(), r.Org, r)
	must(g.t, err)
	must(g.t, g.db.Collection("records").FindOne(g.t.Context(), bson.D{{Key: "_id", Value: r.ID}}).Decode(&d))
	d["untallied"] = int64(0)
	return d
}

// approved returns a record of the event in the state after its approval.
func approved(t *testing.T, ev record.Event, number int64) record.Record {
	t.Helper()
	fields := []byte(`{"treatment":"landfill","weightKg":1234.25}`)
	preview, contribution, err := record.Evaluate("waste", fields, nil, ev.Context())
	must(t, err)
	by, now := record.Actor{ID: "8ynm28vb7tb36c38yd5ewr7njc", Name: "Ada Lovelace", Role: identity.User}, time.Now().UTC().Truncate(time.Millisecond)
	return record.Record{
		ID: idOf("of-"+ev.Org, number), Org: ev.Org, Event: ev.ID, Type: "waste", Rev: 1, Fields: fields, Preview: preview,
		Contribution: contribution, ContextRev: ev.ContextRev, CreatedBy: by, EditedBy: by, SubmittedBy: &by, CreatedAt: now, UpdatedAt: now, SubmittedAt: &now,
		Last: record.Entry{Rev: 1, Move: record.Approve, From: record.Submitted, To: record.Approved, By: by, At: now, Hash: strings.Repeat("0", 64)},
	}
}

// idOf returns the id of the record with a number, which is as long as ids are.
func idOf(org record.OrgID, number int64) record.ID {
	return record.ID(fmt.Sprintf("%s%0*d", org, 26-len(org), number))
}

// ask sends a request that must succeed, and returns the id in the response. If the machine is too busy to answer in
// time, it is measured again; a move that turns out to be made by then returns no id.
func (g *growing) ask(service string, org record.OrgID, method, path string, header ...string) (id string) {
	g.t.Helper()
	unanswered := false
	for range 20 {
		var content io.Reader = http.NoBody
		if strings.HasSuffix(path, "/waste") || method == http.MethodPatch {
			content = strings.NewReader(fmt.Sprintf(`{"treatment":"landfill","weightKg":1%s}`, strings.Repeat("1", len(method))))
		}
		r := httptest.NewRequestWithContext(g.t.Context(), method, "/api/v2"+path, content)
		r.Header.Set("Authorization", "Bearer "+string(org))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := g.apps[service].Test(r, -1)
		must(g.t, err)
		body, err := io.ReadAll(answer.Body)
		must(g.t, errors.Join(err, answer.Body.Close()))
		switch answer.StatusCode {
		case http.StatusOK, http.StatusCreated:
			var made struct {
				Data struct {
					ID string `json:"_id"`
				}
			}
			must(g.t, json.Unmarshal(body, &made))
			return made.Data.ID
		case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			g.reset()
			unanswered = true
		default:
			if unanswered && answer.StatusCode == http.StatusConflict && strings.Contains(string(body), "You made this move at ") {
				return ""
			}
			g.t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, body)
		}
	}
	g.t.Fatalf("%s %s: never answered in time", method, path)
	return ""
}

// TestRoutesCostTheSameInEventsOfAnySize verifies that requests need the same commands and documents of MongoDB in
// events of a thousand and fifty thousand records, and of up to two hundred thousand in the long form: those on the
// page of benchmarks.
func TestRoutesCostTheSameInEventsOfAnySize(t *testing.T) {
	t.Parallel()
	sizes := []int{2, 101}
	if testkit.Long(t) {
		sizes = []int{2, 41, 391}
	}
	documented := tableOf(t, "| request | commands | documents read |")
	costs := map[string]cost{}
	for i, segments := range sizes {
		org := record.OrgID(fmt.Sprint("org", segments))
		g := newGrowing(t)
		size := g.fill(org, segments, 0, 20*i)
		event, id := "/events/"+string(eventOf(org)), ""
		get := func(service, path string) func() {
			return func() { g.ask(service, org, http.MethodGet, path) }
		}
		for _, route := range []struct {
			name string
			run  func()
		}{
			{"first result", get("calculation", event+"/results")},
			{"result", get("calculation", event+"/results")},
			{"event with its counts", get("records", event)},
			{"list of events", get("records", "/events")},
			{"first page", get("records", event+"/waste?limit=25")},
			{"page in the middle", get("records", fmt.Sprint(event, "/waste?limit=25&page=", size/50))},
			{"last page", get("records", fmt.Sprint(event, "/waste?limit=25&page=", size/25))},
			{"queue of the event", get("calculation", event+"/review?limit=25")},
			{"queue of the organization", get("calculation", "/review?limit=25")},
			{"approval", func() { g.ask("review", org, http.MethodPost, fmt.Sprint(event, "/waste/", idOf(org, 5), "/approve")) }},
			{"recalculation", func() { must(t, g.worker.Recalculate(t.Context(), org, eventOf(org))) }},
			{"event after it", get("records", event)},
			{"creation", func() { id = g.ask("records", org, http.MethodPost, event+"/waste") }},
			{"creation with a key", func() { g.ask("records", org, http.MethodPost, event+"/waste", "Idempotency-Key", "k1") }},
			{"change", func() { g.ask("records", org, http.MethodPatch, event+"/waste/"+id) }},
			{"submission", func() { g.ask("records", org, http.MethodPost, event+"/waste/"+id+"/submit") }},
		} {
			c := g.during(t, route.run)
			t.Logf("%d records, %s: %d documents, %d bytes written, %d commands: %s", size, route.name, c.documents, c.written, len(c.commands), strings.Join(c.commands, ", "))
			// The first read of a result also derives the facts of up to 20,000 records.
			if strings.HasPrefix(route.name, "first result") {
				continue
			}
			if i == 0 {
				costs[route.name] = c
			}
			first := costs[route.name]
			got, want, documents := strings.Join(c.commands, ", "), strings.Join(first.commands, ", "), first.documents
			if strings.HasPrefix(route.name, "queue") && i > 0 {
				// The facts of up to 20,000 records are not needed here.
				want, documents = strings.TrimSuffix(want, ", find result_nodes"), documents-2
			}
			if got != want {
				t.Errorf("%d records, %s: commands\n%s\nand of the smallest event\n%s", size, route.name, got, want)
			}
			if c.documents != documents {
				t.Errorf("%d records, %s: %d documents, want %d", size, route.name, c.documents, documents)
			}
			if i < len(sizes)-1 {
				continue
			}
			if cells := fmt.Sprintf("%d | %d", len(c.commands), c.documents); documented[route.name] != cells {
				t.Errorf("%s: %s, and %q in %s", route.name, cells, documented[route.name], benchmarks)
			}
			delete(documented, route.name)
		}
	}
	for name := range documented {
		t.Errorf("%s says what %q costs, which is not asked", benchmarks, name)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
