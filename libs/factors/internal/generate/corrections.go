package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

const correctionsID = "corrections-2026"

// revised is by how much a later edition of a figure must differ, as a part of the
// published one, to be entered as its correction.
var revised = big.NewRat(5, 100)

// generationRows are parts of the ids of national rows that have only generation.
var generationRows = []string{".eea.", ".egrid.", ".nga.", ".mfe."}

// buildCorrections writes the table of corrections of published sets, and of the upstream parts of grids whose
// publishers have only generation. The sets are unchanged; engines from 2.1.0 on use the table. The series of a
// correction is the id of the row that it corrects, that of an upstream part the id of its row and ".upstream".
func buildCorrections(tables map[string][]row) ([]byte, error) {
	s := &supplement{ids: map[string]bool{}, seen: map[string]map[string]string{"licence": {}, "source": {}, "place": {}}}
	s.line("set", correctionsID, "2026")
	held := map[string]row{}
	var ids []string
	for _, r := range tables["grid_electricity"] {
		correct(r)
		if r["verified"] == "yes" && r["kgco2e_per_unit"] != "" && r["kgco2e_per_unit"] != "0" {
			held[r["factor_id"]] = r
			ids = append(ids, r["factor_id"])
		}
	}
	slices.Sort(ids)
	figure := map[string]string{}
	for _, r := range tables["grid_corrections"] {
		old, ok := held[r["corrects"]]
		if !ok {
			return nil, fmt.Errorf("%s corrects no row", r["corrects"])
		}
		figure[r["corrects"]] = r["kgco2e_per_unit"]
		s.corrected(old, r, old["detail"]+"; corrected: "+r["reason"])
	}
	later := laterGrid(tables["grid_by_year"])
	for _, id := range ids {
		if r, ok := later[id]; ok && differs(held[id]["kgco2e_per_unit"], r["kgco2e_per_kwh"]) {
			old := held[id]
			s.corrected(old, row{"kgco2e_per_unit": r["kgco2e_per_kwh"], "year": r["year"], "source": r["source"], "source_location": r["origin"]},
				old["detail"]+"; revised by its publisher, before "+old["kgco2e_per_unit"])
		}
	}
	for _, id := range ids {
		s.upstreamOf(held[id], figure[id], later)
	}
	return s.out.Bytes(), s.err
}

// laterGrid returns the rows of the later download of Ember's figures by the id of
// the row that they are a later edition of.
func laterGrid(rows []row) map[string]row {
	out := map[string]row{}
	for _, r := range rows {
		if len(r["region"]) == 2 && strings.HasPrefix(r["boundary"], "life cycle (Ember)") && r["kgco2e_per_kwh"] != "0" && r["iso3"] != "CYM" {
			out["elec."+strings.ToLower(r["region"])+".ember."+r["year"]] = r
		}
	}
	return out
}

func differs(old, now string) bool {
	a, okA := new(big.Rat).SetString(old)
	b, okB := new(big.Rat).SetString(now)
	if !okA || !okB || a.Sign() == 0 {
		return false
	}
	part := new(big.Rat).Sub(b, a)
	return part.Abs(part.Quo(part, a)).Cmp(revised) > 0
}

// corrected writes the correction of a row.
func (s *supplement) corrected(old, r row, detail string) {
	s.row(old["factor_id"]+".corrected", old["factor_id"], old["activity"], detail, r, old["region"])
}

// upstreamOf writes the upstream part of a row of generation: the excess of the life-cycle figure of the same place
// and year. It writes none if there is no excess: then the two publishers contradict each other.
func (s *supplement) upstreamOf(r row, correctedFigure string, later map[string]row) {
	id := r["factor_id"]
	if len(r["region"]) != 2 || !slices.ContainsFunc(generationRows, func(part string) bool { return strings.Contains(id, part) }) {
		return
	}
	country := strings.ToLower(r["region"])
	whole, ok := later["elec."+country+".ember."+r["year"]]
	if !ok {
		return
	}
	generation := r["kgco2e_per_unit"]
	if correctedFigure != "" {
		generation = correctedFigure
	}
	a, okA := new(big.Rat).SetString(generation)
	b, okB := new(big.Rat).SetString(whole["kgco2e_per_kwh"])
	if !okA || !okB || b.Cmp(a) <= 0 {
		return
	}
	const digits = 6
	value := strings.TrimRight(b.Sub(b, a).FloatString(digits), "0")
	s.row("elec."+country+".upstream."+r["year"], id+".upstream", "grid electricity, upstream",
		fmt.Sprintf("%s; derived: life cycle %s (Ember, %s) less generation %s (%s); grid losses excluded", whole["name"], whole["kgco2e_per_kwh"], r["year"], generation, id),
		row{"kgco2e_per_unit": value, "year": r["year"], "source": "derived from " + whole["source"], "source_location": whole["origin"] + " and " + r["source"]}, r["region"])
}

// row writes a factor with its gases, if known.
func (s *supplement) row(id, series, activity, detail string, r row, region string) {
	if !s.check(entry{id: id, value: r["kgco2e_per_unit"]}) {
		return
	}
	source, place := s.number("source", r["source"]), s.number("place", r["source_location"])
	text := "CC BY 4.0 (Ember)"
	if strings.Contains(r["source"], "public domain") {
		text = "US public domain"
	}
	s.line("factor", id, series, "venue", activity, detail, "kWh", r["kgco2e_per_unit"], r["co2"], r["ch4"], r["n2o"], "", region, r["year"],
		source, place, s.number("licence", text), "")
}
