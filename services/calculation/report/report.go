// Package report renders a result for people: a table with one row per line
// (CSV) and a printable page (HTML). Both are functions of the bundle, which is
// the same result for programs, so all three agree; the page also says which
// of the available factor sets would fit the event better.
package report

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Data is what a report is made of.
type Data struct {
	// Built is the result with its records, lines and factors. Its parts are not looked at.
	bundle.Built
	// Some are the records that the page shows; nil: all in Built.
	Some *Some
	// About is the event, for data that does not affect figures.
	About    record.Event
	Context  footprint.EventContext
	Findings []findings.Finding
	// Organization is the event's owner.
	Organization string
	// NotCounted are the numbers of uncounted records; nil if unknown.
	NotCounted *bundle.NotCounted
	// SignOff is the sign-off of the result; nil if there is none.
	SignOff *bundle.SignOff
	// Causes are why there is this revision, or why the figure changed since Earlier.
	Causes []resulttree.Cause
	// Earlier is the newest edition that was signed before this revision; nil if there is none.
	Earlier *Earlier
}

// changedSinceSigned reports whether the event was changed after it was signed off, and is still signed: only what no figure
// depends on can be. The page has it as it is now.
func (d Data) changedSinceSigned() bool {
	return d.SignOff != nil && d.About.Gate.State == record.GateSigned && d.About.Last.Action == record.EventChanged
}

// Earlier is an edition that was signed before the revision of a report.
type Earlier struct {
	Edition, Revision int64
	SignedAt          time.Time
	// Total is its figure; nil if its revision is not found.
	Total *footprint.Mass
	// AllCauses reports whether the causes are those of all revisions since.
	AllCauses bool
}

// Some is what the page shows of the records.
type Some struct {
	// Records is their total number.
	Records int
	// Largest are the AnnexRecords largest ones, in the order of a bundle; ties by that order.
	Largest []bundle.Record
	// Rest is the sum of the others.
	Rest footprint.Mass
	// Next are those to measure next.
	Next []Next
}

// Next is a record to measure next.
type Next struct {
	findings.ToMeasure
	Record bundle.Record
}

// some returns the records that the page shows, if all are available.
func (d Data) some() Some {
	if d.Some != nil {
		return *d.Some
	}
	order := make([]int, len(d.Records))
	facts := make([]findings.Fact, len(d.Records))
	at := make(map[record.ID]int, len(d.Records))
	for i, r := range d.Records {
		id := record.ID(r.ID)
		facts[i] = findings.Fact{ID: id, Type: r.Type, Mass: r.KgCO2e, Deviations: total.DeviationsOf(r.Lines, d.EngineVersion)}
		at[id], order[i] = i, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return d.Records[b].KgCO2e.Cmp(d.Records[a].KgCO2e) })
	s := Some{Records: len(d.Records)}
	largest := order[:min(len(order), AnnexRecords)]
	for _, i := range order[len(largest):] {
		s.Rest = s.Rest.Add(d.Records[i].KgCO2e)
	}
	slices.Sort(largest)
	for _, i := range largest {
		s.Largest = append(s.Largest, d.Records[i])
	}
	for _, m := range findings.MeasureNext(facts) {
		s.Next = append(s.Next, Next{m, d.Records[at[m.ID]]})
	}
	return s
}

func linesOf(r bundle.Record, ev footprint.EventContext) []explain.Line {
	return explain.Lines(record.Counted{ID: record.ID(r.ID), Type: r.Type, Fields: r.Fields}, r.Lines, ev)
}

// shown are the fields of all types that a row shows.
type shown struct {
	Description, Date, Group, Country, ExternalReference, DataQuality string
	From, To, Site, Name, City, Material, Mode, Category              string
	Treatment, Source, Diet, Kind, VenueType                          string
	Meals                                                             int64
	Drinks, Servings                                                  map[string]json.RawMessage
}

func shownOf(fields json.RawMessage) shown {
	var s shown
	_ = json.Unmarshal(fields, &s) // unreadable fields are not shown
	return s
}
