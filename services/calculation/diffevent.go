package calculation

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// figureView is how a figure other than the total differs between two results.
type figureView struct {
	// Figure is the name of the figure in a result.
	Figure string `json:"figure"`
	// From and To are null if the event stated no attendees or dates. Then there is no difference either, and no
	// parts.
	From       *footprint.Mass `json:"from"`
	To         *footprint.Mass `json:"to"`
	Difference *footprint.Mass `json:"difference"`
	// Parts add up to Difference to the last digit.
	Parts []figurePart `json:"parts"`
}

type figurePart struct {
	Kind   string         `json:"kind"`
	KgCO2e footprint.Mass `json:"kgCO2e"`
}

// addEventParts adds a part for each change of the event without a record's part, such as a change of attendees only.
func (v *diffView) addEventParts(older, newer resulttree.Result, causes []resulttree.Cause) {
	kinds := contextKinds(older, newer)
	for field, kind := range map[string]string{"boundary": kindBoundary, "virtualAttendees": kindAttendees} { // outside of the context
		moved := slices.ContainsFunc(causes, func(c resulttree.Cause) bool { return slices.Contains(c.Fields, field) })
		if moved && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if slices.ContainsFunc(v.Parts, func(p partView) bool { return p.Kind == kindBoth }) {
		// These are already included; attendees and dates affect other figures as well.
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == kindFactor || k == kindMethod || k == kindCountry || k == kindPlace })
	}
	for _, kind := range kinds {
		if !slices.ContainsFunc(v.Parts, func(p partView) bool { return p.Kind == kind }) {
			v.add(kind, "", 0, footprint.Mass{})
		}
	}
	v.arrange()
}

// figuresBetween explains the figures per attendee. Each part is the effect of its change after those before it:
// first the total, by the parts of the view, then the attendees, then the dates. So they add up exactly, including
// rounding.
func figuresBetween(from, to resulttree.Result, view diffView) []figureView {
	before, after := from.Context, to.Context
	withAttendees := before
	withAttendees.Attendees = after.Attendees
	figures := []figureView{{Figure: "perAttendeeKg"}, {Figure: "perAttendeeDayKg"}}
	at := func(figure int, sum footprint.Mass, ev footprint.EventContext) *footprint.Mass {
		perAttendee, perDay := total.Intensities(sum, ev)
		return []*footprint.Mass{perAttendee, perDay}[figure]
	}
	for i := range figures {
		f := &figures[i]
		f.Parts = []figurePart{}
		f.From, f.To = at(i, view.From.KgCO2e, before), at(i, view.To.KgCO2e, after)
		if f.From == nil || f.To == nil {
			continue
		}
		difference := f.To.Sub(*f.From)
		f.Difference = &difference
		sum, known := view.From.KgCO2e, *f.From
		step := func(kind string, next *footprint.Mass) {
			if part := next.Sub(known); !part.IsZero() {
				f.add(kind, part)
			}
			known = *next
		}
		for _, p := range view.Parts {
			sum = sum.Add(p.KgCO2e)
			step(p.Kind, at(i, sum, before))
		}
		step(kindAttendees, at(i, sum, withAttendees))
		step(kindDates, at(i, sum, after))
	}
	return figures
}

func (f *figureView) add(kind string, m footprint.Mass) {
	at := slices.IndexFunc(f.Parts, func(p figurePart) bool { return p.Kind == kind })
	if at < 0 {
		at, f.Parts = len(f.Parts), append(f.Parts, figurePart{Kind: kind})
	}
	f.Parts[at].KgCO2e = f.Parts[at].KgCO2e.Add(m)
}

// causesBetween returns the causes of the revisions after the older result up to
// the newer one.
func (s *server) causesBetween(c *fiber.Ctx, newest, older, newer resulttree.Result) ([]resulttree.Cause, error) {
	if older.Revision == newer.Revision {
		return nil, nil
	}
	from := max(older.Revision+1, newer.Revision-contextRevisions+1)
	span := func(to int64) ([]resulttree.Result, error) {
		if from > to {
			return nil, nil
		}
		return resulttree.History{Results: s.Results}.Span(c.UserContext(), newest.Org, newest.Event, from, to)
	}
	to := newer.Revision
	if to == newest.Revision {
		to--
	}
	between, err := span(to)
	if err == nil && to < newer.Revision {
		if from <= to && (len(between) == 0 || between[0].Revision < to) {
			// The newest has been replaced since it was read, and those before summed up in it.
			between, err = span(newer.Revision)
		} else {
			between = append([]resulttree.Result{newest}, between...)
		}
	}
	if err != nil {
		return nil, err
	}
	var causes []resulttree.Cause
	for _, r := range slices.Backward(between) {
		if len(r.Causes) == 0 {
			causes = resulttree.MergeCauses(causes, resulttree.Cause{Action: resulttree.ActionUnknown})
		}
		causes = resulttree.MergeCauses(causes, r.Causes...)
	}
	return causes, nil
}
