package main

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// factorTables are the tables whose rows are factors, in the order of a set.
var factorTables = []string{
	"flights", "accommodation", "grid_electricity", "venue_energy", "waste", "ground-transport", "freight",
	"catering", "materials", "digital", "refrigerants", "gwp",
}

// yearInID finds the edition inside a factor id.
var yearInID = regexp.MustCompile(`(^|[.-])20\d\d([.-]|$)`)

// series is an id without its year, which is the same in all sets.
func series(id string) string {
	return yearInID.ReplaceAllStringFunc(id, func(m string) string {
		if strings.HasSuffix(m, ".") || strings.HasSuffix(m, "-") {
			return m[:1]
		}
		return ""
	})
}

// correct corrects rows whose text contradicts their code.
func correct(r row) {
	if r["factor_id"] == "elec.cy.ember.2023" && strings.HasPrefix(r["detail"], "Cayman Islands") {
		r["factor_id"], r["region"] = "elec.ky.ember.2023", "KY"
	}
}

func licence(table, source string) string {
	switch {
	case strings.Contains(source, "DESNZ"), strings.Contains(source, "BEIS"):
		return "Open Government Licence v3.0"
	case strings.Contains(source, "Ember"):
		return "CC BY 4.0 (Ember)"
	case strings.Contains(source, "eGRID"), strings.Contains(source, "ENERGY STAR"):
		return "US public domain"
	case strings.Contains(source, "Our World in Data"):
		return "CC BY (Our World in Data)"
	case strings.Contains(source, "ADEME"), strings.Contains(source, "Nos Gestes Climat"):
		return "MIT (ADEME Impact CO2, Nos Gestes Climat)"
	case strings.Contains(source, "Inventory of Carbon"):
		return "University of Bath, ICE v2.0; serialised under MIT"
	case table == "gwp" || table == "refrigerants":
		return "facts of the IPCC assessment reports"
	}
	return "facts quoted from the named source"
}

type chosen struct {
	row      row
	year     int // 0: undated
	fallback bool
}

// buildSet writes the set of a year as tab-separated lines. The first cell of a line is its kind: set, licence,
// source, place (location in the source), factor, default, pedigree.
func buildSet(tables map[string][]row, year int) ([]byte, error) {
	var out bytes.Buffer
	line := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	line("set", fmt.Sprintf("desnz-%d", year), strconv.Itoa(year))

	// number returns texts that occur many times one line each.
	seen := map[string]map[string]string{"licence": {}, "source": {}, "place": {}}
	number := func(kind, text string) string {
		if n, ok := seen[kind][text]; ok {
			return n
		}
		n := strconv.Itoa(len(seen[kind]))
		seen[kind][text] = n
		line(kind, n, text)
		return n
	}
	ids := make(map[string]bool)
	for _, table := range factorTables {
		rows, err := choose(tables[table], table, year)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		for _, c := range rows {
			id := c.row["factor_id"]
			if ids[id] {
				return nil, fmt.Errorf("factor %s occurs twice", id)
			}
			ids[id] = true
			fallback := ""
			if c.fallback {
				fallback = "fallback"
			}
			line("factor", id, series(id), c.row["category"], c.row["activity"], c.row["detail"], c.row["unit"],
				c.row["kgco2e_per_unit"], c.row["co2"], c.row["ch4"], c.row["n2o"], c.row["wtt_kgco2e_per_unit"],
				c.row["region"], c.row["year"], number("source", c.row["source"]), number("place", c.row["source_location"]),
				number("licence", licence(table, c.row["source"])), fallback)
		}
	}
	for _, r := range tables["activity_defaults"] {
		if r["verified"] != "yes" {
			continue
		}
		if _, err := decimal.Parse(r["value"]); err != nil {
			return nil, fmt.Errorf("default %s: %w", r["default_id"], err)
		}
		line("default", r["default_id"], r["quantity"], r["detail"], r["value"], r["unit"], r["region"], r["year"],
			number("source", r["source"]), number("place", r["source_location"]), number("licence", licence("", r["source"])))
	}
	for _, r := range tables["data_quality"] {
		if r["scheme"] == "pedigree" && r["verified"] == "yes" {
			line("pedigree", r["indicator"], r["score"], r["uncertainty_factor"])
		}
	}
	return out.Bytes(), nil
}

// choose selects of each series the newest row that is not newer than the set, else the earliest.
func choose(rows []row, table string, setYear int) ([]chosen, error) {
	best := make(map[string]chosen)
	for _, r := range rows {
		correct(r)
		if r["verified"] != "yes" || r["kgco2e_per_unit"] == "" {
			continue
		}
		for _, cell := range []string{"kgco2e_per_unit", "co2", "ch4", "n2o", "wtt_kgco2e_per_unit"} {
			if r[cell] == "" {
				continue
			}
			if _, err := decimal.Parse(r[cell]); err != nil {
				return nil, fmt.Errorf("%s: %s is %q: %w", r["factor_id"], cell, r[cell], err)
			}
		}
		value, err := decimal.Parse(r["kgco2e_per_unit"])
		if err != nil {
			return nil, err
		}
		if value.IsZero() && table == "grid_electricity" {
			continue
		}
		c := chosen{row: r}
		if r["year"] != "" {
			if c.year, err = strconv.Atoi(r["year"]); err != nil {
				return nil, fmt.Errorf("%s: year: %w", r["factor_id"], err)
			}
		}
		// Only the yearly DESNZ editions can lack a row of the set's year;
		// other publishers' years are those of their data.
		edition := yearInID.MatchString(r["factor_id"]) && strings.HasPrefix(r["source"], "DESNZ")
		c.fallback = edition && c.year != setYear
		key := series(r["factor_id"])
		if old, ok := best[key]; !ok || better(c.year, old.year, setYear) {
			best[key] = c
		}
	}
	out := make([]chosen, 0, len(best))
	for _, c := range best {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b chosen) int { return cmp.Compare(a.row["factor_id"], b.row["factor_id"]) })
	return out, nil
}

// better reports whether year a suits the set better than year b.
func better(a, b, setYear int) bool {
	switch {
	case a <= setYear && b <= setYear:
		return a > b
	case a > setYear && b > setYear:
		return a < b
	}
	return a <= setYear
}
