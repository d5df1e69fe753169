package calculation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

const (
	// maxKeptFacts bounds the memory of checks, some 500 bytes for each.
	maxKeptFacts = 100_000
	// maxKeptFindings bounds how many events' checks are kept.
	maxKeptFindings = 1000
)

// checks works out what the records of an event say together: the findings, and
// what to measure next. It keeps the facts of segments under
// the hash of their inputs, and the findings of an event under the hash of all
// of them, so that a change costs the reading of one segment and a result that
// has not changed costs nothing. What is kept is only a copy: each process has
// its own, and it may be emptied at any time.
type checks struct {
	mu    sync.Mutex
	facts map[segmentKey]segmentFacts
	kept  int // facts in all
	found map[eventKey]eventChecks
	// flights are those that are being worked out.
	flights singleflight.Group
}

type segmentKey struct {
	org   record.OrgID
	event record.EventID
	NodeID
}

type segmentFacts struct {
	hash  string
	facts []findings.Fact
}

type eventKey struct {
	org   record.OrgID
	event record.EventID
}

type eventChecks struct {
	// What they are of: the inputs, their figures, and the event as it was.
	inputs, contribution string
	eventRev             int64
	checked
}

// checked is what the records of an event say together.
type checked struct {
	findings []findings.Finding
	next     []findings.ToMeasure
}

func newChecks() *checks {
	return &checks{facts: map[segmentKey]segmentFacts{}, found: map[eventKey]eventChecks{}}
}

// checkedOf gives what the records of an event's newest result say together.
func (s *server) checkedOf(ctx context.Context, ev record.Event, r Result) (checked, error) {
	var sum footprint.Contribution
	if err := json.Unmarshal(r.Contribution, &sum); err != nil {
		return checked{}, fmt.Errorf("result of event %s: %w", r.Event, err)
	}
	if sum.Records() > maxTogether {
		return checked{findings: []findings.Finding{findings.TooMany(maxTogether)}, next: []findings.ToMeasure{}}, nil
	}
	key := eventKey{r.Org, r.Event}
	want := eventChecks{inputs: r.InputsHash, contribution: string(r.Contribution), eventRev: ev.Rev}
	if known, ok := s.checks.known(key, want); ok {
		return known, nil
	}
	// All who wait for a new result ask at once; it is worked out for them once,
	// in a time of its own, since the first caller may leave.
	flight := fmt.Sprintf("%s/%s/%d/%d", r.Org, r.Event, r.Version, ev.Rev)
	done := s.checks.flights.DoChan(flight, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), togetherTimeout)
		defer cancel()
		all, steady, err := s.factsOf(ctx, r)
		if err != nil {
			return checked{}, err
		}
		want.checked = checked{findings.Of(findings.EventOf(ev, sum.Total()), all), findings.MeasureNext(all)}
		if steady {
			s.checks.remember(key, want)
		}
		return want.checked, nil
	})
	select {
	case <-ctx.Done():
		return checked{}, ctx.Err()
	case d := <-done:
		return d.Val.(checked), d.Err
	}
}

// factsOf gives the facts of all records that a result counts, and whether they
// are of the very records it was made of: they may have changed since.
func (s *server) factsOf(ctx context.Context, r Result) (all []findings.Fact, steady bool, err error) {
	nodes, err := s.Results.Nodes(ctx, r.Org, r.Event, "", 0, 0, math.MaxInt64)
	if err != nil {
		return nil, false, err
	}
	steady = true
	for _, n := range nodes {
		key := segmentKey{r.Org, r.Event, n.NodeID}
		// The masses of facts depend on the context, which the hash is not of.
		under := func(hash string) string { return hash + "/" + strconv.FormatInt(n.ContextRev, 10) }
		facts, ok := s.checks.segment(key, under(n.Hash))
		if !ok {
			read, err := s.segment(ctx, r.Org, r.Event, n)
			if err != nil {
				return nil, false, err
			}
			for _, c := range read.counted {
				if c, err = withFigures(c, r); err != nil {
					return nil, false, err
				}
				facts = append(facts, findings.FactOf(c))
			}
			// The context may have moved on since the result was read.
			if n.ContextRev == r.ContextRev {
				s.checks.keep(key, segmentFacts{under(read.hash), facts})
			}
			steady = steady && read.hash == n.Hash && n.ContextRev == r.ContextRev
		}
		all = append(all, facts...)
	}
	return all, steady, nil
}

// withFigures gives a record what it counts under the context of a result, where
// what is stored with it is of another one.
func withFigures(c record.Counted, r Result) (record.Counted, error) {
	if c.ContextRev == r.ContextRev && len(c.Contribution) > 0 {
		return c, nil
	}
	e, err := footprint.Evaluate(c.Type, c.Fields, r.Context)
	if err != nil {
		c.Contribution = nil // approved since, and cannot be calculated
		return c, nil        //nolint:nilerr // such a record counts nothing
	}
	c.Contribution, err = json.Marshal(e.Contribution)
	return c, err
}

func (c *checks) known(key eventKey, want eventChecks) (checked, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.found[key]
	return f.checked, ok && f.inputs == want.inputs && f.contribution == want.contribution && f.eventRev == want.eventRev
}

func (c *checks) remember(key eventKey, f eventChecks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.found) >= maxKeptFindings {
		clear(c.found)
	}
	c.found[key] = f
}

func (c *checks) segment(key segmentKey, hash string) ([]findings.Fact, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.facts[key]; ok && f.hash == hash {
		return f.facts, true
	}
	return nil, false
}

func (c *checks) keep(key segmentKey, f segmentFacts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept+len(f.facts) > maxKeptFacts {
		clear(c.facts)
		c.kept = 0
	}
	c.kept += len(f.facts) - len(c.facts[key].facts)
	c.facts[key] = f
}
