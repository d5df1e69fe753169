package crosscheck_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/crosscheck"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

type stored = crosscheck.Facts

// heldFacts are stored facts whose first reading waits until they are opened.
type heldFacts struct {
	stored
	read          atomic.Int64
	begun, opened chan struct{}
}

func (h *heldFacts) Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]resulttree.NodeFacts, error) {
	if h.read.Add(1) == 1 {
		close(h.begun)
		select {
		case <-h.opened:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return h.stored.Facts(ctx, org, event, typ, from, to)
}

// hold returns a checker whose first derivation waits.
func (p *place) hold() (*crosscheck.Checker, *heldFacts) {
	held := &heldFacts{stored: p.results, begun: make(chan struct{}), opened: make(chan struct{})}
	return crosscheck.New(eventreader.Reader{Records: p.records, Results: p.results}, held, p.library, time.Minute), held
}

// found is the outcome of a request: the findings as text, or the error.
type found struct {
	text string
	err  error
}

func ask(ctx context.Context, k *crosscheck.Checker, ev record.Event, r resulttree.Result) found {
	checks, err := k.Of(ctx, ev, r)
	if err != nil {
		return found{"", err}
	}
	text, err := json.Marshal(checks.Findings)
	return found{string(text), err}
}

// TestAnEventThatChangesMeanwhile: a request that has read the event after a change of its boundary does not share the
// derivation of one that had read it before. What the earlier one finds does not remain as that of the changed event.
func TestAnEventThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open("org", "e")
	p.put("org", "e", "a", flight(1, ""))
	r := p.settle("org", "e")
	before := p.event("org", "e")
	p.change("org", "e", func(ev *record.Event) { ev.Boundary = json.RawMessage(`{"included":["waste"],"excluded":[]}`) })
	after := p.event("org", "e")

	checker, held := p.hold()
	first := make(chan found, 1)
	go func() { first <- ask(t.Context(), checker, before, r) }()
	<-held.begun
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if got := ask(ctx, checker, after, r); got.err != nil || !strings.Contains(got.text, findings.IncludedTypeMissing) {
		t.Errorf("of the changed event: %+v", got)
	}
	close(held.opened)
	if got := <-first; got.err != nil || strings.Contains(got.text, findings.IncludedTypeMissing) {
		t.Errorf("of the event as it was: %+v", got)
	}
	if got := ask(t.Context(), checker, after, r); got.err != nil || !strings.Contains(got.text, findings.IncludedTypeMissing) {
		t.Errorf("of the changed event, afterwards: %+v", got)
	}
}

// TestTheFirstCallerLeaves: a derivation goes on if the request that began it is cancelled, for those that wait for it.
func TestTheFirstCallerLeaves(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open("org", "e")
	p.put("org", "e", "a", flight(1, ""))
	p.put("org", "e", "b", flight(1, ""))
	r, ev := p.settle("org", "e"), p.event("org", "e")

	checker, held := p.hold()
	ctx, leave := context.WithCancel(t.Context())
	first, second := make(chan found, 1), make(chan found, 1)
	go func() { first <- ask(ctx, checker, ev, r) }()
	<-held.begun
	leave()
	if got := <-first; !errors.Is(got.err, context.Canceled) {
		t.Errorf("who leaves: %+v", got)
	}
	go func() { second <- ask(t.Context(), checker, ev, r) }()
	close(held.opened)
	if got := <-second; got.err != nil || !strings.Contains(got.text, findings.DuplicateFlight) || held.read.Load() != 1 {
		t.Errorf("who stays: %+v, after %d derivations", got, held.read.Load())
	}
}
