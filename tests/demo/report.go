package demo

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/client"
)

// Report writes the result as a table.
func (o *Outcome) Report(w io.Writer, ex *Example) error {
	r := o.Result
	var table bytes.Buffer
	line := func(name, kg, share string) {
		table.WriteString(strings.TrimRight(fmt.Sprintf("  %-22s %16s %8s", name, kg, share), " ") + "\n")
	}
	mass := func(name string, kg fmt.Stringer) { line(name, kg.String(), "") }
	part := func(name string, kg client.Kilograms) { line(name, kg.String(), percent(kg, r.Total.KgCO2e)) }
	heading := func(text string) { fmt.Fprintf(&table, "%s\n", text) }

	fmt.Fprintf(&table, "\n%s: %d records approved, factors %s, revision %d\n\n",
		ex.Event.Title, r.Counts.Approved, r.FactorSet.ID, r.Revision)
	line("", "kg CO2e", "share")
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
	mass("expected total", ex.Expected.Total())
	mass("low (95%)", r.Total.Low)
	mass("high (95%)", r.Total.High)
	if r.PerAttendeeKg != nil {
		mass("per attendee", *r.PerAttendeeKg)
	}
	if r.PerAttendeeDayKg != nil {
		mass("per attendee and day", *r.PerAttendeeDayKg)
	}
	_, err := w.Write(table.Bytes())
	return err
}

// percent returns a share of the whole with one decimal.
func percent(part, whole client.Kilograms) string {
	if whole == 0 {
		return ""
	}
	return big.NewRat(100*int64(part), int64(whole)).FloatString(1) + "%"
}
