package calculation

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Kinds of the parts of a difference between two results. They are part of the API. A record has one kind, except
// that successive changes of factors and of the method are separate.
const (
	kindAdded   = "added"          // counts now and did not
	kindRemoved = "removed"        // counted and does not any more
	kindChanged = "changed"        // its input changed
	kindFactor  = "factor_changed" // same input, other factor set
	kindMethod  = "method_changed" // same input, other method or engine
	kindBoth    = "recalculated"   // same input; several of these changed at once
	kindOther   = "other"          // not a record's: figures that predate stored changes

	// These are of the event. They move the total only where a record depends on
	// them, and the figures per attendee.
	kindCountry   = "country_changed"
	kindPlace     = "place_changed"
	kindDates     = "dates_changed"
	kindAttendees = "attendees_changed"
	kindBoundary  = "boundary_changed"
)

const (
	// maxChanges bounds the changes read for one comparison.
	maxChanges = 100_000
	// listedRecords bounds the records named in an answer.
	listedRecords = 100
	// contextRevisions bounds the results that are read to distinguish factors from method.
	contextRevisions = 1000
)

type diffView struct {
	Event      record.EventID `json:"eventId"`
	From       endView        `json:"from"`
	To         endView        `json:"to"`
	Difference footprint.Mass `json:"differenceKgCO2e"`
	// Parts add up to Difference to the last digit.
	Parts []partView `json:"parts"`
	// Records are those that changed most; RecordsChanged counts all.
	Records        []changeView `json:"records"`
	RecordsChanged int          `json:"recordsChanged"`
	// Figures are those per attendee, each with parts that add up to its difference.
	Figures []figureView `json:"figures"`
	// Intervals are the ends of the interval of the total, likewise.
	Intervals []figureView `json:"intervals"`
	// Categories are the scopes and categories of scope 3 that differ. A new method can move masses between them
	// without changing the total.
	Categories []categoryMove `json:"categories"`
	// Cause is of all revisions from the older one, exclusive, to the newer one.
	Cause []causeView `json:"cause"`
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
	// Before and After are the record's contributions; null if it did not count.
	Before *footprint.Mass `json:"before"`
	After  *footprint.Mass `json:"after"`
	KgCO2e footprint.Mass  `json:"kgCO2e"`
}

// diff serves the difference between two results of an event.
func (s *server) diff(c *fiber.Ctx) error {
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	newest, err := s.resultOrNone(c.UserContext(), ev.Org, ev.ID)
	if err != nil {
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
	changed, err := resulttree.Comparer{Results: s.Results, Most: maxChanges}.Between(c.UserContext(), older, newer)
	// Revisions may have been merged while they were read: they are recorded as dropped before anything of them is
	// removed.
	if dropped := s.checkKept(c, newest, older.Revision, newer.Revision); dropped != nil {
		return dropped
	}
	if errors.Is(err, resulttree.ErrTooManyChanges) {
		return apperr.New(apperr.PayloadTooLarge, "There are more than %d changes between the two revisions. Compare revisions that are closer together.", maxChanges)
	}
	if err != nil {
		return err
	}
	contexts, err := s.contextsBetween(c, newest, older, newer)
	if err != nil {
		return err
	}
	causes, err := s.causesBetween(c, newest, older, newer)
	if err != nil {
		return err
	}
	view, err := makeDiff(older, newer, changed, contexts)
	if err != nil {
		return err
	}
	view.addEventParts(older, newer, causes)
	view.Cause = causesFor(c, causeViews(causes))
	if from.Revision > to.Revision {
		view.reverse()
	}
	view.Figures = figuresBetween(from, to, view)
	if err := view.addMoves(from, to); err != nil {
		return err
	}
	return web.OK(c, view)
}

// contextsBetween returns the contexts that the results between two were
// calculated under, by their ContextRev, where they may be needed.
func (s *server) contextsBetween(c *fiber.Ctx, newest, older, newer resulttree.Result) (map[int64]resulttree.Result, error) {
	contexts := map[int64]resulttree.Result{older.ContextRev: older, newer.ContextRev: newer}
	if contextKind(older, newer) != kindBoth || newer.Revision-older.Revision > contextRevisions {
		return contexts, nil
	}
	between, err := s.revisions(c, newest, older.Revision+1, newer.Revision-1)
	for _, r := range between {
		contexts[r.ContextRev] = r
	}
	return contexts, err
}

// contextKind returns the kind of change of context between two results.
func contextKind(a, b resulttree.Result) string {
	switch kinds := contextKinds(a, b); {
	case len(kinds) == 1:
		return kinds[0]
	case len(kinds) > 1:
		return kindBoth
	}
	return kindMethod
}

// contextKinds returns all kinds of change of context between two results.
func contextKinds(a, b resulttree.Result) []string {
	x, y := a.Context, b.Context
	var kinds []string
	for _, c := range []struct {
		kind    string
		changed bool
	}{
		{kindFactor, x.FactorSet != y.FactorSet},
		{kindMethod, x.RadiativeForcing != y.RadiativeForcing || x.GWP != y.GWP || a.EngineVersion != b.EngineVersion},
		{kindCountry, x.Country != y.Country},
		{kindPlace, x.Place != y.Place},
		{kindDates, x.StartDate != y.StartDate || x.EndDate != y.EndDate},
		{kindAttendees, x.Attendees != y.Attendees},
	} {
		if c.changed {
			kinds = append(kinds, c.kind)
		}
	}
	return kinds
}

func endOf(r resulttree.Result) (endView, error) {
	sum, err := r.Sum()
	if err != nil {
		return endView{}, err
	}
	return endView{Revision: r.Revision, KgCO2e: sum.Total(), CalculatedAt: r.CalculatedAt.UTC().Format(timeLayout),
		Method: methodView{r.Context.RadiativeForcing, r.Context.GWP}, FactorSet: r.Context.FactorSet, EngineVersion: r.EngineVersion}, nil
}

func makeDiff(older, newer resulttree.Result, changed []resulttree.RecordChange, contexts map[int64]resulttree.Result) (diffView, error) {
	view := diffView{Event: newer.Event, Parts: []partView{}, Records: []changeView{}, Figures: []figureView{}, Intervals: []figureView{}, Categories: []categoryMove{}, Cause: []causeView{}}
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

func (v *diffView) add(kind, typ string, records int64, m footprint.Mass) {
	at := slices.IndexFunc(v.Parts, func(p partView) bool { return p.Kind == kind && p.Type == typ })
	if at < 0 {
		at, v.Parts = len(v.Parts), append(v.Parts, partView{Kind: kind, Type: typ})
	}
	v.Parts[at].Records += records
	v.Parts[at].KgCO2e = v.Parts[at].KgCO2e.Add(m)
}

// arrange sorts parts and records and omits small records.
func (v *diffView) arrange() {
	kinds := []string{kindAdded, kindRemoved, kindChanged, kindFactor, kindMethod, kindCountry, kindPlace, kindDates, kindAttendees, kindBoundary, kindBoth, kindOther}
	slices.SortFunc(v.Parts, func(a, b partView) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)))
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

// reverse reverses the direction of the difference.
func (v *diffView) reverse() {
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
