package demo

import (
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"

	"github.com/eventcarbon/ecf/tests/expected"
)

// Report writes the result as a table for people.
func (o *Outcome) Report(w io.Writer, ex *Example) error {
	r := o.Result
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name string, kg expected.Milligrams, share string) {
		// The errors of a tabwriter come with Flush.
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t\n", name, kg, share)
	}
	part := func(name string, kg expected.Milligrams) { line(name, kg, percent(kg, r.Total.KgCO2e)) }
	heading := func(text string) { _, _ = fmt.Fprintf(table, "%s\t\t\t\n", text) }

	if _, err := fmt.Fprintf(w, "\n%s: %d records approved, factors %s, revision %d\n\n",
		ex.Title, r.Counts.Approved, r.FactorSet.ID, r.Revision); err != nil {
		return err
	}
	_, _ = fmt.Fprint(table, "\tkg CO2e\tshare\t\n")
	heading("by type")
	for _, p := range r.ByType {
		part(p.Type, p.KgCO2e)
	}
	heading("by scope")
	part("scope 1", r.ByScope.Scope1)
	part("scope 2", r.ByScope.Scope2)
	part("scope 3", r.ByScope.Scope3)
	heading("by stage")
	part("direct", r.ByStage.Direct)
	part("upstream", r.ByStage.Upstream)
	part("combined", r.ByStage.Combined)
	heading("in all")
	part("total", r.Total.KgCO2e)
	if r.Total.Low != nil && r.Total.High != nil {
		line("at least (95%)", *r.Total.Low, "")
		line("at most (95%)", *r.Total.High, "")
	}
	if r.PerAttendeeKg != nil {
		line("per attendee", *r.PerAttendeeKg, "")
	}
	if r.PerAttendeeDayKg != nil {
		line("per attendee and day", *r.PerAttendeeDayKg, "")
	}
	line("expected total", ex.Expected.Total(), "")
	return table.Flush()
}

// percent gives a share of the whole with one decimal.
func percent(part, whole expected.Milligrams) string {
	if whole == 0 {
		return ""
	}
	return big.NewRat(100*int64(part), int64(whole)).FloatString(1) + "%"
}
