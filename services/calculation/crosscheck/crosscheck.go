// Package crosscheck runs the checks across the counted records of an event,
// and caches their outcome until the records change.
package crosscheck

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	// maxKeptFacts bounds the cache of facts, in bytes: those of some 75,000 records.
	maxKeptFacts = 8 << 20
	// maxKeptChecks bounds that of the checks of events, in bytes.
	maxKeptChecks = 4 << 20
)

// Checker runs the checks across the records of an event: the findings, and
// what to measure next. It caches the facts of segments by
// the hash of their inputs, and the findings of an event by the hash of all
// of them, so that a change costs reading one segment and an unchanged result
// costs nothing. The cache is per process, and may be cleared at any
// time. Facts are cached in stored form and decoded on use, which takes a
// quarter of the memory.
type Checker struct {
	reader  eventreader.Reader
	stored  Facts
	library Library
	timeout time.Duration

	facts *lru.Cache[segmentKey, string]
	found *lru.Cache[eventKey, eventChecks]
	// flights are those that are being worked out.
	flights singleflight.Group
}

// Facts are where the facts of segments are stored.
type Facts interface {
	Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]resulttree.NodeFacts, error)
	KeepFacts(ctx context.Context, org record.OrgID, event record.EventID, facts resulttree.NodeFacts, version int64) error
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

type eventKey struct {
	org   record.OrgID
	event record.EventID
}

type eventChecks struct {
	// What they were derived from: the inputs, a digest of their figures, and the event.
	inputs       string
	contribution [sha256.Size]byte
	eventRev     int64
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
func New(reader eventreader.Reader, stored Facts, library Library, timeout time.Duration) *Checker {
	return &Checker{reader: reader, stored: stored, library: library, timeout: timeout,
		facts: lru.NewCosting[segmentKey](maxKeptFacts, func(facts string) int { return len(facts) + entryBytes }),
		found: lru.NewCosting[eventKey](maxKeptChecks, eventChecks.bytes)}
}

// entryBytes is the overhead of a cache entry, including its key.
const entryBytes = 400

// bytes returns the memory used by checks.
func (c eventChecks) bytes() int {
	const text = 40 // of an id with its header
	n := entryBytes + len(c.inputs) + 200*len(c.Next)
	for _, f := range c.Findings {
		n += 100 + len(f.Message) + text*len(f.RecordIDs)
	}
	for _, u := range c.suppliers {
		n += 400 + text*len(u.Records)
	}
	return n
}

// Of returns what the records of an event's newest result say together.
func (k *Checker) Of(ctx context.Context, ev record.Event, r resulttree.Result) (Checks, error) {
	checks, err := k.ofRecords(ctx, ev, r)
	if err != nil || len(checks.suppliers) == 0 {
		return checks, err
	}
	withdrawn, err := k.withdrawn(ctx, r.Org, checks.suppliers)
	if len(withdrawn) > 0 { // else the list of no findings would become a nil one
		checks.Findings = append(withdrawn, checks.Findings...)
	}
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
				out = append(out, findings.WithdrawnFactor(u))
			}
		}
	}
	return out, nil
}

func (k *Checker) ofRecords(ctx context.Context, ev record.Event, r resulttree.Result) (Checks, error) {
	key := eventKey{r.Org, r.Event}
	want := eventChecks{inputs: r.InputsHash, contribution: sha256.Sum256(r.Contribution), eventRev: ev.Rev}
	if known, ok := k.found.Get(key); ok && known.inputs == want.inputs && known.contribution == want.contribution && known.eventRev == want.eventRev {
		return known.Checks, nil
	}
	sum, err := r.Sum()
	if err != nil {
		return Checks{}, err
	}
	if sum.Records() > eventreader.MaxRecords {
		return Checks{Findings: []findings.Finding{findings.TooMany(eventreader.MaxRecords)}, Next: []findings.ToMeasure{}}, nil
	}
	// Concurrent requests for a new result share one derivation, with its own timeout, since the first caller may
	// disconnect.
	flight := fmt.Sprintf("%s/%s/%d/%d", r.Org, r.Event, r.Version, ev.Rev)
	done := k.flights.DoChan(flight, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.timeout)
		defer cancel()
		all, steady, err := k.Facts(ctx, r)
		if err != nil {
			return Checks{}, err
		}
		var together errgroup.Group
		together.Go(func() error {
			want.Next, want.suppliers = findings.MeasureNext(all...), findings.SupplierUses(all...)
			return nil
		})
		want.Findings = findings.Of(findings.EventOf(ev, sum.Total()), all...)
		_ = together.Wait()
		if steady {
			k.found.Put(key, want)
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

// Facts returns the facts of all records that a result counts, a part for each segment,
// and whether they are of the very records it was made of: they may have changed since.
func (k *Checker) Facts(ctx context.Context, r resulttree.Result) (all [][]findings.Fact, steady bool, err error) {
	nodes, err := k.reader.Results.Nodes(ctx, r.Org, r.Event, "", 0, 0, math.MaxInt64)
	if err != nil {
		return nil, false, err
	}
	// The result may have been replaced since it was read.
	steady, err = eventreader.IsTreeOf(r, nodes)
	if err != nil {
		return nil, false, err
	}
	known := make([]string, len(nodes))
	if err := k.known(ctx, r, nodes, known); err != nil {
		return nil, false, err
	}
	parts := make([][]findings.Fact, len(nodes))
	fits := make([]bool, len(nodes))
	// The first reader waits for all of them: the segments are divided among the processors.
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(runtime.GOMAXPROCS(0), mostReaders))
	for i, n := range nodes {
		group.Go(func() (err error) {
			parts[i], fits[i], err = k.factsOf(ctx, r, n, known[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	return parts, steady && !slices.Contains(fits, false), nil
}

// mostReaders bounds how many segments of an event are read at once.
const mostReaders = 4

func keyOf(r resulttree.Result, id resulttree.NodeID) segmentKey {
	return segmentKey{r.Org, r.Event, id}
}

// known sets the known facts of segments: from the cache, else from the store. They may be of other inputs, and are
// empty if there are none.
func (k *Checker) known(ctx context.Context, r resulttree.Result, nodes []resulttree.Node, known []string) error {
	var missing []int
	for i, n := range nodes {
		var ok bool
		if known[i], ok = k.facts.Get(keyOf(r, n.NodeID)); !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	typ, from, to := "", int64(0), int64(math.MaxInt64)
	if len(missing) == 1 {
		n := nodes[missing[0]]
		typ, from, to = n.Type, n.Index, n.Index
	}
	stored, err := k.stored.Facts(ctx, r.Org, r.Event, typ, from, to)
	if err != nil {
		return err
	}
	of := make(map[resulttree.NodeID]string, len(stored))
	for _, s := range stored {
		of[s.NodeID] = string(s.Facts)
	}
	for _, i := range missing {
		known[i] = of[nodes[i].NodeID]
	}
	return nil
}

// factsOf returns the facts of a segment, and whether they are of the records that a result was made of. known are
// its known facts.
func (k *Checker) factsOf(ctx context.Context, r resulttree.Result, n resulttree.Node, known string) (facts []findings.Fact, fits bool, err error) {
	if n.ContextRev == r.ContextRev && resulttree.FactsFit(n, known) {
		if s, ok := findings.ReadSegment(known); ok {
			k.facts.Put(keyOf(r, n.NodeID), known)
			return s.Facts, true, nil
		}
	}
	read, err := k.reader.Segment(ctx, r.Org, r.Event, n)
	if err != nil {
		return nil, false, err
	}
	for i, c := range read.Counted {
		if read.Counted[i], err = withFigures(c, r); err != nil {
			return nil, false, err
		}
	}
	as := n
	as.ContextRev, as.Hash = r.ContextRev, read.Hash
	s, made := resulttree.MakeFacts(as, read.Counted, known)
	fits = read.Hash == n.Hash && n.ContextRev == r.ContextRev
	// The context may have moved on since the result was read.
	if stored := s.Compact(); n.ContextRev == r.ContextRev && stored != nil {
		k.facts.Put(keyOf(r, n.NodeID), string(stored))
		if fits && made*factsMade > len(s.Facts) && n.Index < resulttree.FactSegments {
			// A failure only means that they are derived again.
			_ = k.stored.KeepFacts(ctx, r.Org, r.Event, resulttree.NodeFacts{NodeID: n.NodeID, Facts: stored}, n.Version)
		}
	}
	return s.Facts, fits, nil
}

// factsMade is the fraction of a segment's facts (one in so many) that must have been derived here before all of them
// are stored.
const factsMade = 8

// withFigures sets the contribution of a record in the context of a result, if the stored one is of another context.
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
