package governed

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// crowd is several people who act on one event at the same time, each through one of
// three replicas of the services.
type crowd struct {
	*system
	random   *rand.Rand
	replicas []*system
	waste    []string // the ids of the records
	hot      []string // those that everybody looks at in a round
	log      []string

	done map[string]int // accepted requests about records: "id move person"
}

// action is a request that somebody makes.
type action struct {
	what, as, method string
	on               func(*system) *fiber.App
	// path and body are evaluated when the request is made.
	path   func(*system) string
	body   any
	record string // "" if it is not about one
	move   record.Move
}

// TestManagersAtOnce verifies, for random moves of several people at the same moment, what must hold after any
// interleaving under four-eyes control: who approved a record or a change did not make it; each request that was
// accepted is in a history, and nothing else is; the total is the sum of the approved records; nobody
// changes the event alone; and a signed figure stays.
func TestManagersAtOnce(t *testing.T) {
	t.Parallel()
	rounds, plays := 12, 1
	if testkit.Long(t) {
		rounds, plays = 200, 5
	}
	for name, open := range engines() {
		for n := range plays {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				t.Parallel()
				c := &crowd{system: found(t, open), random: testkit.Rand(t), done: map[string]int{}}
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("requests:\n%s", strings.Join(c.log, "\n"))
					}
				})
				c.rule(map[string]any{"fourEyes": true, "requireReason": true})
				c.approve()
				c.replicas = []*system{c.system}
				for range 2 {
					r := &system{t: t, records: c.records, results: c.results, keys: c.keys, clock: c.clock, entered: map[string]audit.Note{}}
					r.start()
					c.replicas = append(c.replicas, r)
				}
				for range rounds {
					if c.round(); t.Failed() {
						return
					}
				}
			})
		}
	}
}

// approve makes a record and lets two people approve it, so that the event is governed.
func (c *crowd) approve() {
	c.t.Helper()
	c.create()
	id := c.waste[0]
	if c.done[id+" submit ursula"] == 0 {
		c.submit(id)
	}
	c.want(http.StatusOK, c.ask(c.reviewApp, http.MethodPost, base+"/waste/"+id+"/approve", "max", nil))
	c.done[id+" approve max"]++
	c.calculate(-1, false)
}

// create makes a record, which usually is submitted.
func (c *crowd) create() {
	c.t.Helper()
	a := c.want(http.StatusCreated, c.ask(c.recordsApp, http.MethodPost, base+"/waste", "ursula", fieldsOf(line{typ: "waste", amount: 10}, fmt.Sprint("record ", len(c.waste)))))
	id := fmt.Sprint(a.data["_id"])
	c.waste = append(c.waste, id)
	if c.random.IntN(4) > 0 {
		c.submit(id)
	}
}

func (c *crowd) submit(id string) {
	c.t.Helper()
	c.want(http.StatusOK, c.ask(c.recordsApp, http.MethodPost, base+"/waste/"+id+"/submit", "ursula", nil))
	c.done[id+" submit ursula"]++
}

// reopened withdraws the signature, as a manager who may.
func (c *crowd) reopened() {
	c.t.Helper()
	for _, as := range []string{"max", "mia", "ada"} {
		if c.ask(c.countApp, http.MethodPost, base+"/sign-off/withdraw", as, map[string]any{"comment": "Once more."}).status == http.StatusOK {
			return
		}
	}
	c.t.Fatal("nobody may withdraw the signature")
}

// round lets three to eight people act at once, and checks what comes of it.
func (c *crowd) round() {
	c.t.Helper()
	e, err := c.records.EventContext(c.t.Context(), org, event)
	must(c.t, err)
	for e.Gate.State != record.GateSigned && (len(c.waste) < 3 || len(c.waste) < 12 && c.random.IntN(3) == 0) {
		c.create()
	}
	if e.Gate.State == record.GateSigned && c.random.IntN(2) == 0 { // nothing else can happen to it
		c.reopened()
	}
	c.hot = []string{c.waste[c.random.IntN(len(c.waste))], c.waste[c.random.IntN(len(c.waste))]}
	actions := make([]action, 3+c.random.IntN(6))
	answers := make([]answer, len(actions))
	worker, stop := context.WithCancel(c.t.Context())
	var working, acting sync.WaitGroup
	working.Go(func() { // a sign-off waits for it
		for worker.Err() == nil {
			// Another worker may be faster; what remains is calculated at the end.
			_ = resulttree.NewRecalculator(c.records, c.results, c.now).Recalculate(worker, org, event)
		}
	})
	begin := make(chan struct{})
	for i := range actions {
		actions[i] = c.action()
		replica := c.replicas[c.random.IntN(len(c.replicas))]
		acting.Go(func() {
			<-begin
			a := actions[i]
			answers[i] = replica.ask(a.on(replica), a.method, a.path(replica), a.as, a.body)
		})
	}
	close(begin)
	acting.Wait()
	c.settled()
	stop()
	working.Wait()
	c.calculate(-1, false)
	for i, a := range actions {
		got := answers[i]
		c.log = append(c.log, fmt.Sprintf("%s by %s: %d %s", a.what, a.as, got.status, got.code))
		if got.status >= http.StatusInternalServerError && got.status != http.StatusServiceUnavailable {
			c.t.Errorf("%s by %s: %d %s", a.what, a.as, got.status, got.body)
		}
		if a.record != "" && got.status == http.StatusOK {
			c.done[fmt.Sprintf("%s %s %s", a.record, a.move, a.as)]++
		}
	}
	c.log = append(c.log, "--")
	c.check()
}

// action returns a random request.
func (c *crowd) action() action {
	managers := []string{"mia", "max", "ada", "alan"}
	id, manager := c.hot[c.random.IntN(len(c.hot))], managers[c.random.IntN(len(managers))]
	because := map[string]any{"comment": "Because."}
	of := func(path string) func(*system) string { return func(*system) string { return base + path } }
	moves := func(move record.Move, as string, body any) action {
		return action{what: string(move) + " " + id, as: as, method: http.MethodPost, on: ofReview, path: of("/waste/" + id + "/" + string(move)), body: body, record: id, move: move}
	}
	patch := func(what string, body map[string]any) action {
		body["comment"] = "Because."
		return action{what: what, as: manager, method: http.MethodPatch, on: ofRecords, path: of(""), body: body}
	}
	decide := func(what string, body any) action {
		n := c.random.Uint64()
		return action{what: what + " a change", as: manager, method: http.MethodPost, on: ofCount, body: body, path: func(s *system) string {
			e, err := s.records.EventContext(s.t.Context(), org, event)
			must(s.t, err)
			if len(e.Proposals) == 0 {
				return base + "/changes/none/" + what
			}
			return base + "/changes/" + e.Proposals[n%uint64(len(e.Proposals))].ID + "/" + what
		}}
	}
	switch n := c.random.IntN(24); n {
	case 0, 1, 2, 3:
		return moves("approve", manager, nil)
	case 4, 5, 6:
		a := moves("edit", []string{"ursula", "mia", "max"}[c.random.IntN(3)], map[string]any{"weightKg": 1000 * (1 + c.random.IntN(50))})
		a.method, a.on, a.path, a.record = http.MethodPatch, ofRecords, of("/waste/"+id), "" // an edit without a difference is none
		return a
	case 7, 8, 9:
		a := moves("submit", "ursula", nil)
		a.on = ofRecords
		return a
	case 10:
		a := moves("withdraw", "ursula", nil)
		a.on = ofRecords
		return a
	case 11, 12:
		return moves("reopen", manager, because)
	case 13:
		return moves([]record.Move{"reject", "request-changes"}[c.random.IntN(2)], manager, because)
	case 14:
		return patch("attendees", map[string]any{"attendees": 1 + c.random.IntN(500)})
	case 15:
		return patch("compensation", map[string]any{"compensation": []any{map[string]any{"kind": "removal", "kgCO2e": 1 + c.random.IntN(500), "description": "Peat"}}})
	case 16:
		return patch("boundary", map[string]any{"boundary": map[string]any{"included": []string{"waste"}, "excluded": []any{map[string]any{"type": "flights", "reason": fmt.Sprint("None ", c.random.IntN(50))}}}})
	case 17:
		return action{what: "factor set", as: manager, method: http.MethodPost, on: ofCount, path: of("/factor-set"),
			body: map[string]any{"factorSet": []string{"desnz-2025", "desnz-2026"}[c.random.IntN(2)], "comment": "Because."}}
	case 18, 19:
		r, err := c.results.Result(c.t.Context(), org, event)
		if err != nil {
			return moves("approve", manager, nil)
		}
		return action{what: "sign", as: manager, method: http.MethodPost, on: ofCount, path: of("/sign-off"), body: map[string]any{"revision": r.Revision, "statement": "Final."}}
	case 20:
		return action{what: "withdraw the signature", as: manager, method: http.MethodPost, on: ofCount, path: of("/sign-off/withdraw"), body: because}
	case 21, 22:
		return decide("approve", nil)
	default:
		return decide("reject", because)
	}
}

// check verifies what must hold while nobody acts.
func (c *crowd) check() {
	c.t.Helper()
	e, err := c.records.Event(c.t.Context(), org, event)
	must(c.t, err)
	sum, approved := new(big.Rat), 0
	for _, id := range c.waste {
		r, err := c.records.Record(c.t.Context(), org, record.Key{Event: event, Type: "waste", ID: record.ID(id)})
		must(c.t, err)
		c.history(r)
		if r.Status == record.Approved {
			approved++
			a := c.want(http.StatusOK, c.ask(c.recordsApp, http.MethodGet, base+"/waste/"+id, "mia", nil))
			sum.Add(sum, kilograms(a.data["footprint"].(map[string]any)["kgCO2e"]))
		}
	}
	a := c.ask(c.countApp, http.MethodGet, base+"/results", "mia", nil)
	switch {
	case a.status != http.StatusOK:
		if approved > 0 {
			c.t.Errorf("%d records are approved, the result is %d %s", approved, a.status, a.body)
		}
	case a.data["status"] != "current" || kilograms(a.data["total"].(map[string]any)["kgCO2e"]).Cmp(sum) != 0:
		c.t.Errorf("the result is %.300s, the approved records come to %s", a.body, sum.FloatString(6))
	}
	if e.Gate.State == record.GateSigned {
		if signed := e.Editions[len(e.Editions)-1]; fmt.Sprint(a.data["revision"]) != fmt.Sprint(signed.Revision) {
			c.t.Errorf("revision %d is signed, the newest is %v", signed.Revision, a.data["revision"])
		}
	}
	c.eventHistory(e)
}

// history verifies the history of a record.
func (c *crowd) history(r record.Record) {
	c.t.Helper()
	entries, err := c.records.Entries(c.t.Context(), org, r.ID)
	must(c.t, err)
	entries = append(slices.DeleteFunc(entries, func(x record.Entry) bool { return x.Rev >= r.Last.Rev }), r.Last)
	if err := record.VerifyHistory(org, r.ID, entries); err != nil || !r.Last.Describes(r) {
		c.t.Errorf("%s: the history does not explain it: %v", r.ID, err)
	}
	made, makers := map[string]int{}, map[string]bool{}
	for _, x := range entries {
		switch x.Move {
		case "create", "edit", "submit":
			makers[x.By.ID] = true
		case "approve":
			if makers[x.By.ID] {
				c.t.Errorf("%s: %s approved what they made: %v", r.ID, x.By.ID, entries)
			}
			clear(makers)
			makers["ursula"] = true // who created it
		}
		if x.Move != "create" && x.Move != "edit" {
			made[fmt.Sprintf("%s %s %s", r.ID, x.Move, x.By.ID)]++
		}
	}
	for what, n := range made {
		if c.done[what] != n {
			c.t.Errorf("%s is %d times in the history, and was accepted %d times", what, n, c.done[what])
		}
	}
	for what, n := range c.done {
		if strings.HasPrefix(what, string(r.ID)) && made[what] != n {
			c.t.Errorf("%s was accepted %d times, and is %d times in the history", what, n, made[what])
		}
	}
}

// eventHistory verifies the history of the event.
func (c *crowd) eventHistory(e record.Event) {
	c.t.Helper()
	entries, err := c.records.EventEntries(c.t.Context(), org, event, 1, e.Rev-1)
	must(c.t, err)
	entries = append(entries, e.Last)
	if err := record.VerifyEventHistory(e, entries); err != nil {
		c.t.Error(err)
	}
	by, values := map[string]string{}, map[string]json.RawMessage{}
	for _, x := range entries {
		switch x.Action {
		case record.ChangeProposed:
			by[x.Change] = x.By.ID
		case record.ChangeApproved:
			if by[x.Change] == x.By.ID {
				c.t.Errorf("%s approved the own change: %+v", x.By.ID, x)
			}
		case record.EventChanged, record.FactorsAdopted:
			c.t.Errorf("%s changed the event alone: %+v", x.By.ID, x)
		}
		for _, change := range x.Changed {
			if before, ok := values[change.Field]; ok && string(before) != string(change.Before) {
				c.t.Errorf("revision %d changes %s from %s, which was %s", x.Rev, change.Field, change.Before, before)
			}
			values[change.Field] = change.After
		}
	}
}
