package demo

import (
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/tests/expected"
)

// Difference is a figure that differs from the expected one.
type Difference struct {
	What      string
	Got, Want expected.Milligrams
}

// String names the figure and the deviation.
func (d Difference) String() string {
	return fmt.Sprintf("%s: got %s kg, expected %s kg, off by %s kg", d.What, d.Got, d.Want, d.Got-d.Want)
}

// Compare compares the server's result with the expected table: the total, its parts by
// type, stage and scope, and each record. It returns nothing if all are equal to the
// last digit.
func (o *Outcome) Compare(table expected.Table) []Difference {
	var out []Difference
	check := func(what string, got, want expected.Milligrams) {
		if got != want {
			out = append(out, Difference{what, got, want})
		}
	}
	r := o.Result
	mg := func(k client.Kilograms) expected.Milligrams { return expected.Milligrams(k) }
	check("total", mg(r.Total.KgCO2e), table.Total())
	types := map[string]expected.Milligrams{}
	for _, p := range r.ByType {
		types[p.Type] += mg(p.KgCO2e)
	}
	for _, group := range []struct {
		what      string
		got, want map[string]expected.Milligrams
	}{
		{"type ", types, table.By(func(row expected.Row) string { return row.Type })},
		{"stage ", map[string]expected.Milligrams{"direct": mg(r.ByStage.Direct), "upstream": mg(r.ByStage.Upstream), "combined": mg(r.ByStage.Combined)},
			table.By(func(row expected.Row) string { return row.Stage })},
		{"scope ", map[string]expected.Milligrams{"1": mg(r.ByScope.Scope1), "2": mg(r.ByScope.Scope2), "3": mg(r.ByScope.Scope3)},
			table.By(func(row expected.Row) string { return row.Scope })},
		{"record ", o.Records, table.By(func(row expected.Row) string { return row.Record })},
	} {
		for _, key := range keysOf(group.got, group.want) {
			check(group.what+key, group.got[key], group.want[key])
		}
	}
	return out
}

func keysOf(maps ...map[string]expected.Milligrams) []string {
	var keys []string
	for _, m := range maps {
		for key := range m {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
