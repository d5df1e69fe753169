package demo

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/tests/expected"
)

// Part is one part of a breakdown.
type Part struct {
	Type   string              `json:"type"`
	Group  string              `json:"group"`
	KgCO2e expected.Milligrams `json:"kgCO2e"`
}

// Result is what the demo reads of a computed result.
type Result struct {
	Revision int64  `json:"revision"`
	Status   string `json:"status"`
	Total    struct {
		KgCO2e expected.Milligrams  `json:"kgCO2e"`
		Low    *expected.Milligrams `json:"low"`
		High   *expected.Milligrams `json:"high"`
	} `json:"total"`
	PerAttendeeKg    *expected.Milligrams `json:"perAttendeeKg"`
	PerAttendeeDayKg *expected.Milligrams `json:"perAttendeeDayKg"`
	ByType           []Part               `json:"byType"`
	ByGroup          []Part               `json:"byGroup"`
	ByScope          struct {
		Scope1 expected.Milligrams `json:"scope1"`
		Scope2 expected.Milligrams `json:"scope2"`
		Scope3 expected.Milligrams `json:"scope3"`
	} `json:"byScope"`
	ByStage struct {
		Direct   expected.Milligrams `json:"direct"`
		Upstream expected.Milligrams `json:"upstream"`
		Combined expected.Milligrams `json:"combined"`
	} `json:"byStage"`
	Counts struct {
		Approved int `json:"approved"`
	} `json:"counts"`
	FactorSet struct {
		ID string `json:"id"`
	} `json:"factorSet"`
	// Raw is the result as it was served.
	Raw json.RawMessage `json:"-"`
}

// Difference is a figure that is not the expected one.
type Difference struct {
	What      string
	Got, Want expected.Milligrams
}

// String tells the figure and by how much it is off.
func (d Difference) String() string {
	return fmt.Sprintf("%s: got %s kg, expected %s kg, off by %s kg", d.What, d.Got, d.Want, d.Got-d.Want)
}

// Compare holds what the server made of an example against its expected table:
// the total, its parts by type, stage and scope, and each record. Nothing is
// returned when all are equal to the last digit.
func (o *Outcome) Compare(table expected.Table) []Difference {
	var out []Difference
	check := func(what string, got, want expected.Milligrams) {
		if got != want {
			out = append(out, Difference{what, got, want})
		}
	}
	r := o.Result
	check("total", r.Total.KgCO2e, table.Total())
	types := map[string]expected.Milligrams{}
	for _, p := range r.ByType {
		types[p.Type] += p.KgCO2e
	}
	for _, group := range []struct {
		what      string
		got, want map[string]expected.Milligrams
	}{
		{"type ", types, table.By(func(row expected.Row) string { return row.Type })},
		{"stage ", map[string]expected.Milligrams{"direct": r.ByStage.Direct, "upstream": r.ByStage.Upstream, "combined": r.ByStage.Combined},
			table.By(func(row expected.Row) string { return row.Stage })},
		{"scope ", map[string]expected.Milligrams{"1": r.ByScope.Scope1, "2": r.ByScope.Scope2, "3": r.ByScope.Scope3},
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
