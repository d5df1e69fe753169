package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// asked and told are a request about a record and its response, as the linearizability
// checker sees them.
type asked struct {
	record string
	move   string // of the table, or "read" or "history"
	// seen is the revision in If-Match, 0 for none.
	seen int
}

type told struct {
	status   int
	code     string
	state    string
	revision int
}

// stateOf is the state of a record in the model.
type stateOf struct {
	state    string
	revision int
	deleted  bool
}

// recordModel specifies what requests about a record may return sequentially, for
// managers of an organization without four eyes.
func recordModel() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			of := map[string][]porcupine.Operation{}
			for _, o := range history {
				id := o.Input.(asked).record
				of[id] = append(of[id], o)
			}
			var parts [][]porcupine.Operation
			for _, part := range of {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() any { return stateOf{state: "unsubmitted", revision: 1} },
		Step: func(state, input, output any) (bool, any) {
			next, want := step(state.(stateOf), input.(asked))
			got := output.(told)
			if got.status == http.StatusServiceUnavailable { // overload: nothing was done
				return true, state
			}
			return got == want, next
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// step returns the record after a request, and the response.
func step(r stateOf, a asked) (stateOf, told) {
	switch {
	case r.deleted && a.move == "history": // its history is kept for managers
		return r, told{http.StatusOK, "", r.state, r.revision}
	case r.deleted:
		return r, told{status: http.StatusNotFound, code: "RECORD_NOT_FOUND"}
	case a.move == "read" || a.move == "history":
		return r, told{http.StatusOK, "", r.state, r.revision}
	case a.seen != 0 && a.seen != r.revision:
		return r, told{status: http.StatusPreconditionFailed, code: "PRECONDITION_FAILED"}
	}
	m := refMoveOf(a.move)
	if !slices.Contains(m.from, r.state) {
		code := "INVALID_TRANSITION"
		if m.name == "edit" || m.name == "delete" {
			code = "RECORD_LOCKED"
		}
		return r, told{status: http.StatusConflict, code: code, state: r.state}
	}
	if m.name == "delete" {
		r.deleted, r.revision = true, r.revision+1
		return r, told{status: http.StatusOK}
	}
	if m.to != "" {
		r.state = m.to
	}
	r.revision++
	return r, told{http.StatusOK, "", r.state, r.revision}
}

// racing is a set of managers who concurrently change the same few records, each
// through one of several replicas of the services.
type racing struct {
	event   string
	records []string
	begun   time.Time

	edits   atomic.Int64
	mu      sync.Mutex
	history []porcupine.Operation
}

// ask makes one request and records when it began and ended.
func (r *racing) ask(p *pair, client int, a asked) {
	path := "/events/" + r.event + "/waste/" + a.record
	method, body := http.MethodPost, `{"comment":"why"}`
	switch a.move {
	case "read":
		method, body = http.MethodGet, ""
	case "history":
		method, path, body = http.MethodGet, path+"/history?limit=1", ""
	case "edit":
		method, body = http.MethodPatch, fmt.Sprintf(`{"weightKg":%d}`, r.edits.Add(1)+1) // the weights differ from each other and from the first, because an edit without a difference is not one
	case "delete":
		method, body = http.MethodDelete, ""
	default:
		path += "/" + a.move
	}
	var header []string
	if a.seen != 0 {
		header = []string{"If-Match", fmt.Sprintf(`"%d.1.%s"`, a.seen, a.record)}
	}
	call := time.Since(r.begun)
	answer := p.ask(fmt.Sprintf("acme/m%d/manager", client), method, path, body, header...)
	back := time.Since(r.begun)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, porcupine.Operation{
		ClientId: client, Input: a, Call: call.Nanoseconds(), Output: toldBy(a, answer), Return: back.Nanoseconds(),
	})
}

// toldBy decodes a response.
func toldBy(a asked, answer *answer) told {
	t := told{status: answer.status}
	if answer.status != http.StatusOK {
		t.code = fmt.Sprint(answer.at("error", "code"))
		if answer.status == http.StatusConflict {
			t.state = fmt.Sprint(answer.at("error", "details", 0, "code"))
		}
		return t
	}
	number := func(v any) (n int) {
		if text, ok := v.(json.Number); ok {
			i, _ := text.Int64()
			n = int(i)
		}
		return n
	}
	switch a.move {
	case "delete":
	case "history":
		t.state, t.revision = answer.str("items", 0, "to"), number(answer.data("pagination", "total"))
	default:
		t.state, t.revision = answer.str("status"), number(answer.data("revision"))
	}
	return t
}

// client makes its requests, some of them conditional on what it saw last.
func (r *racing) client(p *pair, client int, random *rand.Rand, requests int) {
	moves := []string{"read", "read", "history", "edit", "submit", "submit", "withdraw", "review", "approve", "approve", "request-changes", "reject", "reopen", "reopen"}
	seen := map[string]int{}
	for n := range requests {
		a := asked{record: r.records[random.IntN(len(r.records))], move: moves[random.IntN(len(moves))]}
		if n > requests/2 && random.IntN(40) == 0 {
			a.move = "delete"
		}
		if a.move != "read" && a.move != "history" && random.IntN(3) == 0 {
			a.seen = seen[a.record]
		}
		r.ask(p, client, a)
		r.mu.Lock()
		for _, o := range slices.Backward(r.history) {
			if o.ClientId == client {
				if got := o.Output.(told); got.revision > 0 {
					seen[a.record] = got.revision
				}
				break
			}
		}
		r.mu.Unlock()
	}
}

// TestRecordsAreLinearizable makes many clients change the same few records
// concurrently, through two replicas of the services, and verifies with a checker that
// the history is linearizable.
func TestRecordsAreLinearizable(t *testing.T) {
	t.Parallel()
	rounds := courses(t, 2)
	random := testkit.Rand(t)
	seed := random.Uint64()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choices
		first := open()
		if err := first.InsertOrganization(t.Context(), record.Organization{ID: "acme", Name: "Acme", Plan: "team", Rev: 1}); err != nil {
			t.Fatal(err)
		}
		clock := newMovable()
		replicas := []*pair{newPair(t, first, clock), newPair(t, open(), clock)}
		for range rounds {
			r := &racing{begun: time.Now()}
			r.event = replicas[0].ask("acme/m0/manager", http.MethodPost, "/events", `{"title":"Race","country":"GB"}`).want(http.StatusCreated).str("_id")
			for range 3 {
				r.records = append(r.records, replicas[0].ask("acme/m0/manager", http.MethodPost, "/events/"+r.event+"/waste",
					`{"treatment":"landfill","weightKg":1}`).want(http.StatusCreated).str("_id"))
			}
			var clients sync.WaitGroup
			for i := range 6 {
				own := rand.New(rand.NewPCG(random.Uint64(), uint64(i))) //nolint:gosec // a test's choices
				clients.Go(func() { r.client(replicas[i%2], i, own, 30) })
			}
			clients.Wait()
			r.check(t, first)
		}
	})
}

func (r *racing) check(t *testing.T, store record.Store) {
	t.Helper()
	effects, refusals := 0, 0
	for _, o := range r.history {
		switch out := o.Output.(told); {
		case out.status == http.StatusConflict || out.status == http.StatusPreconditionFailed:
			refusals++
		case out.status == http.StatusOK && o.Input.(asked).move != "read" && o.Input.(asked).move != "history":
			effects++
		}
	}
	t.Logf("%d requests, %d had an effect, %d were refused", len(r.history), effects, refusals)
	if effects == 0 || refusals == 0 {
		t.Error("no two requests had an effect on the same record")
	}
	if result := porcupine.CheckOperationsTimeout(recordModel(), r.history, time.Minute); result != porcupine.Ok {
		t.Errorf("%s: the history is not linearizable:\n%s", result, r)
	}
	if _, err := histories.Verify(context.WithoutCancel(t.Context()), store, "acme", func(f histories.Fault) error {
		t.Error(f)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// String lists the requests and responses, record by record.
func (r *racing) String() string {
	var out strings.Builder
	for _, part := range recordModel().Partition(r.history) {
		slices.SortFunc(part, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
		for _, o := range part {
			fmt.Fprintf(&out, "%10.3f–%10.3f ms, client %d: %+v -> %+v\n", float64(o.Call)/1e6, float64(o.Return)/1e6, o.ClientId, o.Input, o.Output)
		}
	}
	return out.String()
}

// TestAnswersWithoutAnOrderAreFound verifies that the checker can fail.
func TestAnswersWithoutAnOrderAreFound(t *testing.T) {
	t.Parallel()
	op := func(client int, call, back int64, move string, seen int, out told) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: asked{"r", move, seen}, Call: call, Output: out, Return: back}
	}
	good := func(state string, revision int) told { return told{http.StatusOK, "", state, revision} }
	refused := func(state string) told {
		return told{status: http.StatusConflict, code: "INVALID_TRANSITION", state: state}
	}
	for name, c := range map[string]struct {
		history []porcupine.Operation
		want    porcupine.CheckResult
	}{
		"one of two wins": {[]porcupine.Operation{
			op(0, 0, 9, "submit", 0, good("submitted", 2)), op(1, 1, 8, "submit", 0, refused("submitted")),
		}, porcupine.Ok},
		"both win": {[]porcupine.Operation{
			op(0, 0, 9, "submit", 0, good("submitted", 2)), op(1, 1, 8, "submit", 0, good("submitted", 2)),
		}, porcupine.Illegal},
		"both are refused": {[]porcupine.Operation{
			op(0, 0, 9, "submit", 0, refused("submitted")), op(1, 1, 8, "submit", 0, refused("submitted")),
		}, porcupine.Illegal},
		"an old state is read while the move is made": {[]porcupine.Operation{
			op(0, 0, 9, "submit", 0, good("submitted", 2)), op(1, 1, 8, "read", 0, good("unsubmitted", 1)),
		}, porcupine.Ok},
		"an old state is read after the move": {[]porcupine.Operation{
			op(0, 0, 3, "submit", 0, good("submitted", 2)), op(1, 4, 8, "read", 0, good("unsubmitted", 1)),
		}, porcupine.Illegal},
		"an old state is read after a new one": {[]porcupine.Operation{
			op(0, 0, 9, "submit", 0, good("submitted", 2)), op(1, 1, 3, "read", 0, good("submitted", 2)), op(2, 4, 5, "history", 0, good("unsubmitted", 1)),
		}, porcupine.Illegal},
		"a revision is lost": {[]porcupine.Operation{
			op(0, 0, 1, "edit", 0, good("unsubmitted", 2)), op(0, 2, 3, "edit", 0, good("unsubmitted", 2)),
		}, porcupine.Illegal},
		"decided on what had changed": {[]porcupine.Operation{
			op(0, 0, 1, "edit", 0, good("unsubmitted", 2)), op(1, 2, 3, "submit", 1, good("submitted", 3)),
		}, porcupine.Illegal},
		"refused for a change that came later": {[]porcupine.Operation{
			op(1, 0, 1, "submit", 1, told{status: http.StatusPreconditionFailed, code: "PRECONDITION_FAILED"}), op(0, 2, 3, "edit", 0, good("unsubmitted", 2)),
		}, porcupine.Illegal},
		"seen after it was deleted": {[]porcupine.Operation{
			op(0, 0, 1, "delete", 0, told{status: http.StatusOK}), op(1, 2, 3, "read", 0, good("unsubmitted", 1)),
		}, porcupine.Illegal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := porcupine.CheckOperationsTimeout(recordModel(), c.history, time.Minute); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
