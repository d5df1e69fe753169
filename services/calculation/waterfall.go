package calculation

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// Kinds of a part of the difference between two results. They are part of the
// API. A record is of one kind, except that changes of factors and of the
// method are told apart where they came one after the other.
const (
	kindAdded   = "added"          // counts now and did not
	kindRemoved = "removed"        // counted and does not any more
	kindChanged = "changed"        // its input changed
	kindFactor  = "factor_changed" // same input, other factor set
	kindMethod  = "method_changed" // same input, other method or engine
	kindBoth    = "recalculated"   // same input; factors and method changed at once
	kindOther   = "other"          // of no record: figures from before changes were kept
)

const (
	// mostChanges bounds the changes read for one comparison.
	mostChanges = 100_000
	// listedRecords bounds the records named in an answer.
	listedRecords = 100
	// contextRevisions bounds the results read to tell factors from method.
	contextRevisions = 1000
)

type waterfallView struct {
	Event      record.EventID `json:"eventId"`
	From       endView        `json:"from"`
	To         endView        `json:"to"`
	Difference footprint.Mass `json:"differenceKgCO2e"`
	// Parts add up to Difference to the last digit.
	Parts []partView `json:"parts"`
	// Records are those that changed most; RecordsChanged counts all.
	Records        []changeView `json:"records"`
	RecordsChanged int          `json:"recordsChanged"`
}

type endView struct {
	Revision      int64          `json:"revision"`
	KgCO2e        footprint.Mass `json:"kgCO2e"`
	CalculatedAt  string         `json:"calculatedAt"`
	Method        methodView     `json:"method"`
	FactorSet     string         `json:"factorSet"`
	EngineVersion string         `json:"engineVersion"`
}

type partView struct {
	Kind    string         `json:"kind"`
	Type    string         `json:"type"`
	Records int64          `json:"records"`
	KgCO2e  footprint.Mass `json:"kgCO2e"`
}

type changeView struct {
	ID   string `json:"_id"`
	Type string `json:"type"`
	Kind string `json:"kind"`
	// Before and After are what the record counted; null when it did not.
	Before *footprint.Mass `json:"before"`
	After  *footprint.Mass `json:"after"`
	KgCO2e footprint.Mass  `json:"kgCO2e"`
}

// waterfall serves what leads from one result of an event to another.
func (s *server) waterfall(c *fiber.Ctx) error {
	org, event, err := s.readEvent(c)
	if err != nil {
		return err
	}
	newest, err := s.Results.Result(c.UserContext(), org, event)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	from, err := s.revisionAt(c, newest, "revision")
	if err != nil {
		return err
	}
	to, err := s.revisionAt(c, newest, "other")
	if err != nil {
		return err
	}
	older, newer := from, to
	if older.Revision > newer.Revision {
		older, newer = newer, older
	}
	changed, err := Comparer{Results: s.Results, Most: mostChanges}.Between(c.UserContext(), older, newer)
	if errors.Is(err, errTooFar) {
		return apperr.New(apperr.PayloadTooLarge, "More than %d changes lie between the two revisions; compare revisions that are nearer to each other.", mostChanges)
	}
	if err != nil {
		return err
	}
	contexts, err := s.contextsBetween(c, newest, older, newer)
	if err != nil {
		return err
	}
	view, err := makeWaterfall(older, newer, changed, contexts)
	if err != nil {
		return err
	}
	if from.Revision > to.Revision {
		view.reverse()
	}
	return web.OK(c, view)
}

// contextsBetween gives the contexts that the results between two were
// calculated under, by their ContextRev, where they may be needed.
func (s *server) contextsBetween(c *fiber.Ctx, newest, older, newer Result) (map[int64]Result, error) {
	contexts := map[int64]Result{older.ContextRev: older, newer.ContextRev: newer}
	if contextKind(older, newer) != kindBoth || newer.Revision-older.Revision > contextRevisions {
		return contexts, nil
	}
	between, err := s.revisions(c, newest, older.Revision+1, newer.Revision-1)
	for _, r := range between {
		contexts[r.ContextRev] = r
	}
	return contexts, err
}

// contextKind says what kind of change of context lies between two results.
func contextKind(a, b Result) string {
	factor := a.Context.FactorSet != b.Context.FactorSet
	method := a.Context.RadiativeForcing != b.Context.RadiativeForcing || a.Context.GWP != b.Context.GWP || a.EngineVersion != b.EngineVersion
	switch {
	case factor && method:
		return kindBoth
	case factor:
		return kindFactor
	}
	return kindMethod
}

func endOf(r Result) (endView, error) {
	var sum footprint.Contribution
	if err := json.Unmarshal(r.Contribution, &sum); err != nil {
		return endView{}, fmt.Errorf("result of event %s: %w", r.Event, err)
	}
	return endView{Revision: r.Revision, KgCO2e: sum.Total(), CalculatedAt: r.CalculatedAt.UTC().Format(timeLayout),
		Method: methodView{r.Context.RadiativeForcing, r.Context.GWP}, FactorSet: r.Context.FactorSet, EngineVersion: r.EngineVersion}, nil
}

func makeWaterfall(older, newer Result, changed []RecordChange, contexts map[int64]Result) (waterfallView, error) {
	view := waterfallView{Event: newer.Event, Parts: []partView{}, Records: []changeView{}}
	var err error
	if view.From, err = endOf(older); err != nil {
		return view, err
	}
	if view.To, err = endOf(newer); err != nil {
		return view, err
	}
	view.Difference = view.To.KgCO2e.Sub(view.From.KgCO2e)
	rest := view.Difference
	records := map[string]bool{}
	for _, r := range changed {
		parts, err := partsOf(r, older, newer, contexts)
		if err != nil {
			return view, err
		}
		for _, p := range parts {
			if p.Before != nil && p.After != nil && p.KgCO2e.IsZero() {
				continue // another input or context, and the same figure
			}
			rest = rest.Sub(p.KgCO2e)
			records[p.ID] = true
			view.Records = append(view.Records, p)
			view.add(p.Kind, p.Type, 1, p.KgCO2e)
		}
	}
	if !rest.IsZero() {
		view.add(kindOther, "", 0, rest)
	}
	view.RecordsChanged = len(records)
	view.arrange()
	return view, nil
}

func (v *waterfallView) add(kind, typ string, records int64, m footprint.Mass) {
	at := slices.IndexFunc(v.Parts, func(p partView) bool { return p.Kind == kind && p.Type == typ })
	if at < 0 {
		at, v.Parts = len(v.Parts), append(v.Parts, partView{Kind: kind, Type: typ})
	}
	v.Parts[at].Records += records
	v.Parts[at].KgCO2e = v.Parts[at].KgCO2e.Add(m)
}

// arrange puts parts and records into their order and leaves the small records
// out.
func (v *waterfallView) arrange() {
	kinds := []string{kindAdded, kindRemoved, kindChanged, kindFactor, kindMethod, kindBoth, kindOther}
	slices.SortFunc(v.Parts, func(a, b partView) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(orderOfType(a.Type), orderOfType(b.Type)))
	})
	size := func(m footprint.Mass) footprint.Mass {
		if m.Sign() < 0 {
			return m.Neg()
		}
		return m
	}
	slices.SortFunc(v.Records, func(a, b changeView) int {
		return cmp.Or(size(b.KgCO2e).Cmp(size(a.KgCO2e)), strings.Compare(a.ID, b.ID), strings.Compare(a.Kind, b.Kind))
	})
	v.Records = v.Records[:min(len(v.Records), listedRecords)]
}

// reverse looks at the difference from its other end.
func (v *waterfallView) reverse() {
	other := map[string]string{kindAdded: kindRemoved, kindRemoved: kindAdded}
	v.From, v.To, v.Difference = v.To, v.From, v.Difference.Neg()
	for i := range v.Parts {
		v.Parts[i].KgCO2e = v.Parts[i].KgCO2e.Neg()
		v.Parts[i].Kind = cmp.Or(other[v.Parts[i].Kind], v.Parts[i].Kind)
	}
	for i := range v.Records {
		r := &v.Records[i]
		r.Before, r.After, r.KgCO2e, r.Kind = r.After, r.Before, r.KgCO2e.Neg(), cmp.Or(other[r.Kind], r.Kind)
	}
	v.arrange()
}

// partsOf gives what one record adds to the difference: one part, or two where
// factors and method changed one after the other.
func partsOf(r RecordChange, older, newer Result, contexts map[int64]Result) ([]changeView, error) {
	whole := changeView{ID: r.key(), Type: r.Type}
	var err error
	if whole.Before, err = massOf(r.Before); err != nil {
		return nil, err
	}
	if whole.After, err = massOf(r.After); err != nil {
		return nil, err
	}
	switch {
	case whole.Before == nil:
		whole.Kind, whole.KgCO2e = kindAdded, *whole.After
		return []changeView{whole}, nil
	case whole.After == nil:
		whole.Kind, whole.KgCO2e = kindRemoved, whole.Before.Neg()
		return []changeView{whole}, nil
	}
	whole.KgCO2e = whole.After.Sub(*whole.Before)
	if r.Before.Hash != r.After.Hash {
		whole.Kind = kindChanged
		return []changeView{whole}, nil
	}
	if whole.Kind = contextKind(older, newer); whole.Kind != kindBoth {
		return []changeView{whole}, nil
	}
	if parts, ok := stepwise(r, contexts); ok {
		return parts, nil
	}
	return []changeView{whole}, nil
}

// stepwise tells the changes of factors from those of the method, where each
// step of the record is one or the other. What a step changed held under every
// context before its own.
func stepwise(r RecordChange, contexts map[int64]Result) ([]changeView, bool) {
	revs := slices.Sorted(maps.Keys(contexts))
	var parts []changeView
	for _, step := range r.Steps {
		at, known := slices.BinarySearch(revs, step.ContextRev)
		if !known || at == 0 {
			return nil, false
		}
		from, errFrom := massOf(step.Before)
		to, errTo := massOf(step.After)
		if errors.Join(errFrom, errTo) != nil || from == nil || to == nil || step.Before.Hash != step.After.Hash {
			return nil, false
		}
		kind := contextKind(contexts[revs[at-1]], contexts[revs[at]])
		if kind == kindBoth {
			return nil, false
		}
		part := slices.IndexFunc(parts, func(p changeView) bool { return p.Kind == kind })
		if part < 0 {
			part, parts = len(parts), append(parts, changeView{ID: r.key(), Type: r.Type, Kind: kind, Before: from})
		}
		parts[part].After = to
		parts[part].KgCO2e = parts[part].KgCO2e.Add(to.Sub(*from))
	}
	return parts, true
}

// massOf reads what a record counted; nil when it did not count.
func massOf(h Held) (*footprint.Mass, error) {
	if h.Key == "" {
		return nil, nil //nolint:nilnil // no record is no fault
	}
	m, err := footprint.ParseMicrograms(h.Value)
	if err != nil {
		return nil, fmt.Errorf("compare results: record %s counted %q: %w", h.Key, h.Value, err)
	}
	return &m, nil
}
