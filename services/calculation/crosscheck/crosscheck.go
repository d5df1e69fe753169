// Package crosscheck works out what the counted records of an event say together,
// and remembers it while they have not changed.
package crosscheck

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	// maxKeptFacts bounds the memory of checks, some 500 bytes for each.
	maxKeptFacts = 100_000
	// maxKeptFindings bounds how many events' checks are kept.
	maxKeptFindings = 1000
)

// Checker works out what the records of an event say together: the findings, and
// what to measure next. It keeps the facts of segments under
// the hash of their inputs, and the findings of an event under the hash of all
// of them, so that a change costs the reading of one segment and a result that
// has not changed costs nothing. What is kept is only a copy: each process has
// its own, and it may be emptied at any time.
type Checker struct {
	reader  eventreader.Reader
	library Library
	timeout time.Duration

	mu    sync.Mutex
	facts map[segmentKey]segmentFacts
	kept  int // facts in all
	found map[eventKey]eventChecks
	// flights are those that are being worked out.
	flights singleflight.Group
}

// Library is where the state of suppliers' factors is read, which changes without
// any record.
type Library interface {
	SupplierFactorVersions(ctx context.Context, org record.OrgID, key string) ([]record.SupplierFactor, error)
}

type segmentKey struct {
	org   record.OrgID
	event record.EventID
	resulttree.NodeID
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
	Checks
}

// Checks is what the records of an event say together.
type Checks struct {
	Findings []findings.Finding
	Next     []findings.ToMeasure
	// suppliers are the suppliers' factors in use.
	suppliers []findings.SupplierUse
}

// New returns a Checker whose work for one event takes timeout at most.
func New(reader eventreader.Reader, library Library, timeout time.Duration) *Checker {
	return &Checker{reader: reader, library: library, timeout: timeout, facts: map[segmentKey]segmentFacts{}, found: map[eventKey]eventChecks{}}
}

// Of returns what the records of an event's newest result say together.
func (k *Checker) Of(ctx context.Context, ev record.Event, r resulttree.Result) (Checks, error) {
	checks, err := k.ofRecords(ctx, ev, r)
	if err != nil || len(checks.suppliers) == 0 {
		return checks, err
	}
	withdrawn, err := k.withdrawn(ctx, r.Org, checks.suppliers)
	checks.Findings = append(withdrawn, checks.Findings...)
	return checks, err
}

// maxSuppliers bounds how many names of the library are looked up.
const maxSuppliers = 100

// withdrawn returns the findings of factors that were withdrawn since records
// took them.
func (k *Checker) withdrawn(ctx context.Context, org record.OrgID, uses []findings.SupplierUse) (out []findings.Finding, err error) {
	for _, u := range uses[:min(len(uses), maxSuppliers)] {
		versions, err := k.library.SupplierFactorVersions(ctx, org, record.SupplierKey(u.Factor.Name))
		if err != nil {
			return nil, err
		}
		for _, v := range versions {
			if v.Version == u.Factor.Version && v.Status == record.SupplierWithdrawn {
				out = append(out, findings.WithdrawnFactor(u, v.History[len(v.History)-1].Comment))
			}
		}
	}
	return out, nil
}

func (k *Checker) ofRecords(ctx context.Context, ev record.Event, r resulttree.Result) (Checks, error) {
	var sum total.Contribution
	if err := json.Unmarshal(r.Contribution, &sum); err != nil {
		return Checks{}, fmt.Errorf("result of event %s: %w", r.Event, err)
	}
	if sum.Records() > eventreader.MaxRecords {
		return Checks{Findings: []findings.Finding{findings.TooMany(eventreader.MaxRecords)}, Next: []findings.ToMeasure{}}, nil
	}
	key := eventKey{r.Org, r.Event}
	want := eventChecks{inputs: r.InputsHash, contribution: string(r.Contribution), eventRev: ev.Rev}
	if known, ok := k.known(key, want); ok {
		return known, nil
	}
	// All who wait for a new result ask at once; it is worked out for them once,
	// in a time of its own, since the first caller may leave.
	flight := fmt.Sprintf("%s/%s/%d/%d", r.Org, r.Event, r.Version, ev.Rev)
	done := k.flights.DoChan(flight, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.timeout)
		defer cancel()
		all, steady, err := k.Facts(ctx, r)
		if err != nil {
			return Checks{}, err
		}
		want.Checks = Checks{findings.Of(findings.EventOf(ev, sum.Total()), all), findings.MeasureNext(all), findings.SupplierUses(all)}
		if steady {
			k.remember(key, want)
		}
		return want.Checks, nil
	})
	select {
	case <-ctx.Done():
		return Checks{}, ctx.Err()
	case d := <-done:
		return d.Val.(Checks), d.Err
	}
}

// Facts returns the facts of all records that a result counts, and whether they
// are of the very records it was made of: they may have changed since.
func (k *Checker) Facts(ctx context.Context, r resulttree.Result) (all []findings.Fact, steady bool, err error) {
	nodes, err := k.reader.Results.Nodes(ctx, r.Org, r.Event, "", 0, 0, math.MaxInt64)
	if err != nil {
		return nil, false, err
	}
	parts := make([][]findings.Fact, len(nodes))
	fits := make([]bool, len(nodes))
	// Whoever reads first waits for all of them: each processor takes segments.
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(runtime.GOMAXPROCS(0), mostReaders))
	for i, n := range nodes {
		group.Go(func() (err error) {
			parts[i], fits[i], err = k.factsOf(ctx, r, n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	return slices.Concat(parts...), !slices.Contains(fits, false), nil
}

// mostReaders bounds how many segments of an event are read at once.
const mostReaders = 4

// factsOf returns the facts of a segment, and whether they are of the records that a
// result was made of.
func (k *Checker) factsOf(ctx context.Context, r resulttree.Result, n resulttree.Node) (facts []findings.Fact, fits bool, err error) {
	key := segmentKey{r.Org, r.Event, n.NodeID}
	// The masses of facts depend on the context, which the hash is not of.
	under := func(hash string) string { return hash + "/" + strconv.FormatInt(n.ContextRev, 10) }
	if facts, ok := k.segment(key, under(n.Hash)); ok {
		return facts, true, nil
	}
	read, err := k.reader.Segment(ctx, r.Org, r.Event, n)
	if err != nil {
		return nil, false, err
	}
	facts = make([]findings.Fact, 0, len(read.Counted))
	for _, c := range read.Counted {
		if c, err = withFigures(c, r); err != nil {
			return nil, false, err
		}
		facts = append(facts, findings.FactOf(c))
	}
	// The context may have moved on since the result was read.
	if n.ContextRev == r.ContextRev {
		k.keep(key, segmentFacts{under(read.Hash), facts})
	}
	return facts, read.Hash == n.Hash && n.ContextRev == r.ContextRev, nil
}

// withFigures sets what a record counts under the context of a result, where
// what is stored with it is of another one.
func withFigures(c record.Counted, r resulttree.Result) (record.Counted, error) {
	if c.ContextRev == r.ContextRev && len(c.Contribution) > 0 {
		return c, nil
	}
	e, err := footprint.Evaluate(c.Type, c.Fields, r.Context)
	if err != nil {
		c.Contribution = nil // approved since, and cannot be calculated
		return c, nil        //nolint:nilerr // such a record counts nothing
	}
	c.Contribution, err = json.Marshal(total.Of(&e))
	return c, err
}

func (k *Checker) known(key eventKey, want eventChecks) (Checks, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.found[key]
	return f.Checks, ok && f.inputs == want.inputs && f.contribution == want.contribution && f.eventRev == want.eventRev
}

func (k *Checker) remember(key eventKey, f eventChecks) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.found) >= maxKeptFindings {
		clear(k.found)
	}
	k.found[key] = f
}

func (k *Checker) segment(key segmentKey, hash string) ([]findings.Fact, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f, ok := k.facts[key]; ok && f.hash == hash {
		return f.facts, true
	}
	return nil, false
}

func (k *Checker) keep(key segmentKey, f segmentFacts) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept+len(f.facts) > maxKeptFacts {
		clear(k.facts)
		k.kept = 0
	}
	k.kept += len(f.facts) - len(k.facts[key].facts)
	k.facts[key] = f
}
