// Package report renders a result for people: a table with one row per line
// (CSV) and a printable page (HTML). Both are functions of the bundle, which is
// the same result for programs, so all three say the same.
package report

import (
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// Data is what a report is made of.
type Data struct {
	// Built is the result with its records, lines and factors.
	bundle.Built
	// About is the event, for what moves no numbers.
	About    record.Event
	Context  footprint.EventContext
	Findings []findings.Finding
	// Organization is whose event it is.
	Organization string
	// NotCounted are the numbers of records that are not in the result; nil where
	// they are not known.
	NotCounted *bundle.NotCounted
	// SignOff is the signature of a person under the result; nil where nobody has
	// signed off.
	SignOff *bundle.SignOff
	// Causes say in words why there is this revision.
	Causes []string
}

// lines explains the lines of the record with a number.
func (d Data) lines(i int) []explain.Line { return linesOf(d.Records[i], d.Context) }

func linesOf(r bundle.Record, ev footprint.EventContext) []explain.Line {
	return explain.Lines(record.Counted{ID: record.ID(r.ID), Type: r.Type, Fields: r.Fields}, r.Lines, ev)
}

// shown are the fields of all types that a row shows.
type shown struct {
	Description, Date, Group, Country, ExternalReference, DataQuality string
	From, To, Site, Name, City, Material, Mode, Category              string
}

func shownOf(fields json.RawMessage) shown {
	var s shown
	_ = json.Unmarshal(fields, &s) // what does not read is not shown
	return s
}
