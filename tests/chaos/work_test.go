package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// most is how many records a round creates: few enough for the test engine.
const most = 40

// entry is the expected state of one record: the acknowledged moves, in order. One
// client at a time works with a record, so nothing else can have happened to it.
type entry struct {
	busy sync.Mutex

	typ    string
	token  string // in its description, which identifies it
	id     string
	status string
	weight int
	etag   string
	moves  []string // acknowledged; the first is create
	// unsure is a move that had no definite response; the record is not used after it.
	unsure string
}

// ledger is what the clients of a round have recorded.
type ledger struct {
	event string

	mu      sync.Mutex
	entries []*entry
	wrong   []error
}

func (l *ledger) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, err)
}

// next returns a new entry while there is room, or an existing one, reserved for the
// caller.
func (l *ledger) next(random *rand.Rand) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.entries); n == 0 || n < most && random.IntN(3) == 0 {
		e := &entry{typ: []string{"waste", "flights"}[random.IntN(2)], token: fmt.Sprintf("record %d of round %016x", n, random.Uint64())}
		e.busy.Lock()
		l.entries = append(l.entries, e)
		return e
	}
	for range 10 {
		if e := l.entries[random.IntN(len(l.entries))]; e.busy.TryLock() {
			if e.unsure == "" && e.status != "deleted" {
				return e
			}
			e.busy.Unlock()
		}
	}
	return nil
}

// acknowledged counts the acknowledged records and moves.
func (l *ledger) acknowledged() (records, moves int) {
	for _, e := range l.entries {
		if len(e.moves) > 0 {
			records++
			moves += len(e.moves)
		}
	}
	return records, moves
}

// step is a move that a state allows.
type step struct {
	move, to string
	manager  bool
	weight   int // relative frequency
}

// steps is the workflow as the interface specifies it, written independently of the
// product.
func steps(status string) []step {
	decisions := []step{{"approve", "approved", true, 12}, {"request-changes", "changes_requested", true, 2}, {"reject", "rejected", true, 1}}
	switch status {
	case "":
		return []step{{"create", "unsubmitted", false, 1}}
	case "unsubmitted", "changes_requested":
		return []step{{"submit", "submitted", false, 8}, {"edit", status, false, 3}, {"delete", "deleted", false, 1}}
	case "submitted":
		return append(decisions, step{"withdraw", "unsubmitted", false, 1}, step{"review", "in_review", true, 3})
	case "in_review":
		return decisions
	case "approved", "rejected":
		return []step{{"reopen", "changes_requested", true, 1}}
	}
	return nil
}

func choose(random *rand.Rand, from []step) step {
	sum := 0
	for _, s := range from {
		sum += s.weight
	}
	n := random.IntN(sum)
	for _, s := range from {
		if n -= s.weight; n < 0 {
			return s
		}
	}
	return from[0]
}

// worker is one of the clients that use the system meanwhile.
type worker struct {
	user, manager *client
	random        *rand.Rand
	ledger        *ledger
}

// run makes moves until stop is closed; it finishes the current move.
func (w *worker) run(ctx context.Context, stop <-chan struct{}) {
	for {
		pause := time.NewTimer(time.Duration(w.random.IntN(30)) * time.Millisecond)
		select {
		case <-stop:
			return
		case <-pause.C:
		}
		if e := w.ledger.next(w.random); e != nil {
			w.advance(ctx, e)
			e.busy.Unlock()
		}
	}
}

// advance makes one move and records its outcome.
func (w *worker) advance(ctx context.Context, e *entry) {
	s := choose(w.random, steps(e.status))
	c := w.user
	if s.manager {
		c = w.manager
	}
	err := w.make(ctx, c, e, s)
	switch {
	case errors.Is(err, errUnknown):
		e.unsure = s.move
		w.ledger.fail(fmt.Errorf("%s of %q got no definite response although every fault was over: %w", s.move, e.token, err))
	case err != nil:
		e.unsure = s.move
		w.ledger.fail(fmt.Errorf("%s of %q (%s %s), which was %s after %v: %w", s.move, e.token, e.typ, e.id, e.status, e.moves, err))
	default:
		e.status = s.to
		e.moves = append(e.moves, s.move)
	}
}

func (e *entry) input() map[string]any {
	if e.typ == "flights" {
		return map[string]any{"description": e.token, "from": "LHR", "to": "JFK", "passengers": e.weight}
	}
	return map[string]any{"description": e.token, "treatment": "landfill", "weightKg": e.weight}
}

func (w *worker) make(ctx context.Context, c *client, e *entry, s step) error {
	collection := "/events/" + w.ledger.event + "/" + e.typ
	path := collection + "/" + e.id
	switch s.move {
	case "create":
		e.weight = 1 + w.random.IntN(5000)
		a, err := c.post(ctx, collection, e.input())
		if err != nil {
			return err
		}
		return e.take(a, http.StatusCreated, s)
	case "edit":
		e.weight = 1 + w.random.IntN(5000)
		a, err := c.ask(ctx, http.MethodPatch, path, e.input(), map[string]string{"If-Match": e.etag})
		if err != nil {
			return err
		}
		if a.status == http.StatusPreconditionFailed && a.again {
			// An earlier attempt was executed and its response lost; no other client
			// uses the record.
			if a, err = c.ask(ctx, http.MethodGet, path, nil, nil); err != nil {
				return err
			}
			var now struct{ WeightKg, Passengers int }
			if err := a.into(&now); err != nil || max(now.WeightKg, now.Passengers) != e.weight {
				return fmt.Errorf("edited by someone else: %s %s", fmt.Sprint(err), a.body)
			}
		}
		return e.take(a, http.StatusOK, s)
	case "delete":
		a, err := c.ask(ctx, http.MethodDelete, path, nil, map[string]string{"If-Match": e.etag})
		if err == nil && a.status != http.StatusOK && !(a.again && a.status == http.StatusNotFound) {
			err = fmt.Errorf("status %d: %s", a.status, a.body)
		}
		return err
	}
	var body any
	if slices.Contains([]string{"request-changes", "reject", "reopen"}, s.move) {
		body = map[string]string{"comment": "because " + e.token}
	}
	a, err := c.post(ctx, path+"/"+s.move, body)
	if err != nil {
		return err
	}
	return e.take(a, http.StatusOK, s)
}

// take checks a response and records the state that it shows.
func (e *entry) take(a answer, status int, s step) error {
	if a.status != status {
		return fmt.Errorf("status %d: %s", a.status, a.body)
	}
	var r struct {
		ID          string `json:"_id"`
		Description string
		Status      string
		Revision    int
	}
	if err := a.into(&r); err != nil {
		return err
	}
	if e.id == "" {
		e.id = r.ID
	}
	if r.ID != e.id || r.Description != e.token || r.Status != s.to || r.Revision != len(e.moves)+1 {
		return fmt.Errorf("is answered with %s", a.body)
	}
	e.etag = a.etag
	return nil
}
