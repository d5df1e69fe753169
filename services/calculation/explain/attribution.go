package explain

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
)

// Attributions returns the lines that the licences of factors ask for, or that
// say whose facts they are: each once, in the order of the alphabet.
func Attributions(rows []bundle.Factor) []string {
	var lines []string
	for _, f := range rows {
		line := attribution(f.Source, f.Licence)
		if at, found := slices.BinarySearch(lines, line); !found {
			lines = slices.Insert(lines, at, line)
		}
	}
	return lines
}

// attribution returns the line for one source under its licence.
func attribution(source, licence string) string {
	for _, known := range [...]struct{ licence, line string }{
		{"Open Government Licence", "Contains public sector information licensed under the Open Government Licence v3.0."},
		{"CC BY 4.0 (Ember)", "Ember, Yearly Electricity Data, licensed under CC BY 4.0 (creativecommons.org/licenses/by/4.0); figures selected."},
		{"CC BY (Our World in Data)", "Our World in Data, licensed under CC BY; figures of Poore and Nemecek 2018, selected."},
		{"MIT (ADEME", "Contains data of ADEME (Impact CO2, Nos Gestes Climat), under the MIT licence."},
		{"University of Bath", "Inventory of Carbon & Energy (ICE) v2.0, G. Hammond and C. Jones, University of Bath."},
		{"facts of the IPCC", "Global warming potentials: facts of the IPCC assessment reports."},
	} {
		if strings.HasPrefix(licence, known.licence) {
			return known.line
		}
	}
	return "Contains figures of " + source + " (" + licence + ")."
}
