package calculation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

const (
	// maxKeptFacts bounds the memory of checks, some 200 bytes for each.
	maxKeptFacts = 200_000
	// maxKeptFindings bounds how many events' findings are kept.
	maxKeptFindings = 1000
)

// checks works out the findings of events. It keeps the facts of segments under
// the hash of their inputs, and the findings of an event under the hash of all
// of them, so that a change costs the reading of one segment and a result that
// has not changed costs nothing. What is kept is only a copy: each process has
// its own, and it may be emptied at any time.
type checks struct {
	mu    sync.Mutex
	facts map[segmentKey]segmentFacts
	kept  int // facts in all
	found map[eventKey]eventFindings
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

type eventFindings struct {
	// What the findings are of: the inputs, their figures, and the event as it was.
	inputs, contribution string
	eventRev             int64
	list                 []findings.Finding
}

func newChecks() *checks {
	return &checks{facts: map[segmentKey]segmentFacts{}, found: map[eventKey]eventFindings{}}
}

// findingsOf gives the findings of an event's newest result.
func (s *server) findingsOf(ctx context.Context, ev record.Event, r Result) ([]findings.Finding, error) {
	var sum footprint.Contribution
	if err := json.Unmarshal(r.Contribution, &sum); err != nil {
		return nil, fmt.Errorf("result of event %s: %w", r.Event, err)
	}
	if sum.Records() > maxTogether {
		return []findings.Finding{findings.TooMany(maxTogether)}, nil
	}
	key := eventKey{r.Org, r.Event}
	want := eventFindings{inputs: r.InputsHash, contribution: string(r.Contribution), eventRev: ev.Rev}
	if list, ok := s.checks.known(key, want); ok {
		return list, nil
	}
	all, steady, err := s.factsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	want.list = findings.Of(findings.EventOf(ev, sum.Total()), all)
	if steady {
		s.checks.remember(key, want)
	}
	return want.list, nil
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
				facts = append(facts, findings.FactOf(c))
			}
			s.checks.keep(key, segmentFacts{under(read.hash), facts})
			steady = steady && read.hash == n.Hash
		}
		all = append(all, facts...)
	}
	return all, steady, nil
}

func (c *checks) known(key eventKey, want eventFindings) ([]findings.Finding, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.found[key]
	return f.list, ok && f.inputs == want.inputs && f.contribution == want.contribution && f.eventRev == want.eventRev
}

func (c *checks) remember(key eventKey, f eventFindings) {
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
