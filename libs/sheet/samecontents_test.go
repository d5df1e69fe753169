package sheet_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// contents is a kind of table: the headings of its columns in each language, in the order of its fields, and the words for totals.
// The last field is measured, with its units beside the factor to that of the field.
type contents struct {
	typ       string
	fields    []string
	languages [][]string
	totals    []string
	units     map[string]int64
	// texts are the values of the first fields; a field without any has whole numbers.
	texts [][]string
}

var tablesOfContents = []contents{
	{"waste", []string{"material", "treatment", "weightKg"}, [][]string{
		{"Waste type", "Treatment", "Weight (UNIT)"}, {"Abfallart", "Entsorgung", "Gewicht (UNIT)"}, {"Type de déchet", "Traitement", "Poids (UNIT)"},
		{"Tipo de residuo", "Tratamiento", "Peso (UNIT)"}, {"Tipo di rifiuto", "Trattamento", "Peso (UNIT)"}, {"Afvalstroom", "Verwerking", "Gewicht (UNIT)"},
		{"Rodzaj odpadu", "Zagospodarowanie", "Waga (UNIT)"}, {"Affaldstype", "Behandling", "Vægt (UNIT)"}, {"Avfallstyp", "Behandling", "Vikt (UNIT)"},
		{"Jätelaji", "Käsittely", "Paino (UNIT)"}, {"Druh odpadu", "Nakládání", "Hmotnost (UNIT)"}, {"Fraksjon", "Behandling", "Vekt (UNIT)"},
	}, []string{"Total", "Summe", "Total", "Total", "Totale", "Totaal", "Razem", "I alt", "Summa", "Yhteensä", "Celkem", "Totalt"},
		map[string]int64{"kg": 1, "t": 1000}, [][]string{{"food", "glass", "wood", "paper_card"}, {"landfill", "recycling", "incineration"}}},
	{"energy", []string{"source", "energyKWh"}, [][]string{
		{"Energy source", "Energy (UNIT)"}, {"Energieträger", "Energie (UNIT)"}, {"Énergie", "Consommation (UNIT)"}, {"Fuente de energía", "Consumo (UNIT)"},
		{"Fonte energetica", "Consumo (UNIT)"}, {"Energiebron", "Verbruik (UNIT)"}, {"Źródło energii", "Zużycie (UNIT)"}, {"Energikilde", "Forbrug (UNIT)"},
		{"Energikälla", "Förbrukning (UNIT)"}, {"Energialähde", "Kulutus (UNIT)"}, {"Zdroj energie", "Spotřeba (UNIT)"},
	}, []string{"Total", "Gesamt", "Total", "Total", "Totale", "Totaal", "Suma", "I alt", "Summa", "Yhteensä", "Celkem"},
		map[string]int64{"kWh": 1, "MWh": 1000}, [][]string{{"grid", "natural_gas"}}},
	{"accommodation", []string{"rooms", "nights"}, [][]string{
		{"Number of rooms", "Nights"}, {"Anzahl Zimmer", "Nächte"}, {"Chambres", "Nuits"}, {"Habitaciones", "Noches"}, {"Camere", "Notti"}, {"Kamers", "Nachten"},
		{"Pokoje", "Noce"}, {"Værelser", "Overnatninger"}, {"Antal rum", "Nätter"}, {"Huoneita", "Öitä"}, {"Počet pokojů", "Počet nocí"}, {"Quartos", "Noites"},
	}, []string{"Total", "Insgesamt", "Total", "Total", "Totale", "Totaal", "Razem", "I alt", "Totalt", "Yhteensä", "Celkem", "Total"}, nil, nil},
}

// TestSameContentsCountTheSame: a table counts the same quantities in any order of its columns, in any language, with any
// separator, in any unit, however its numbers are written, with or without totals, or asks; never others.
func TestSameContentsCountTheSame(t *testing.T) {
	t.Parallel()
	counts, rows := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		table := rapid.SampledFrom(tablesOfContents).Draw(rt, "table")
		language := rapid.IntRange(0, len(table.languages)-1).Draw(rt, "language")
		comma := rapid.SampledFrom([]string{";", "\t", ","}).Draw(rt, "separator")
		point, group := ".", ""
		if comma != "," && rapid.Bool().Draw(rt, "decimal comma") {
			point = ","
			group = rapid.SampledFrom([]string{"", ".", " ", "\u00a0", "\u202f"}).Draw(rt, "groups")
		}
		unit, factor := "", int64(1)
		if len(table.units) > 0 {
			unit = rapid.SampledFrom([]string{"kg", "t", "kWh", "MWh"}).Filter(func(unit string) bool { return table.units[unit] > 0 }).Draw(rt, "unit")
			factor = table.units[unit]
		}
		order := rapid.Permutation(indexes(len(table.fields)+1)).Draw(rt, "order")
		var cells, want [][]string
		sums := make([]int64, len(table.fields))
		for range rapid.IntRange(2, 6).Draw(rt, "rows") {
			row, fields := []string{"Site " + string(rune('A'+len(cells)))}, []string(nil)
			for i, field := range table.fields {
				switch {
				case i < len(table.texts):
					value := rapid.SampledFrom(table.texts[i]).Draw(rt, field)
					row, fields = append(row, value), append(fields, field+"="+value)
				case unit == "":
					n := rapid.Int64Range(1, 60).Draw(rt, field)
					sums[i] += n
					row, fields = append(row, strconv.FormatInt(n, 10)), append(fields, fmt.Sprintf("%s=%d", field, n))
				default:
					n := rapid.Int64Range(1, 9_999_999).Draw(rt, field) // thousandths
					sums[i] += n
					row = append(row, inGroups(n, point, group))
					fields = append(fields, fmt.Sprintf("%s=%v", field, float64(n)*float64(factor)/1000))
				}
			}
			cells, want = append(cells, row), append(want, fields)
		}
		total := rapid.Bool().Draw(rt, "total")
		if total {
			row := []string{table.totals[language]}
			for i := range table.fields {
				switch {
				case i < len(table.texts):
					row = append(row, "")
				case unit == "":
					row = append(row, strconv.FormatInt(sums[i], 10))
				default:
					row = append(row, inGroups(sums[i], point, group))
				}
			}
			cells = append(cells, row)
		}
		heads := append([]string{"Site"}, table.languages[language]...)
		var file strings.Builder
		for _, row := range append([][]string{heads}, cells...) {
			line := make([]string, 0, len(row))
			for _, at := range order {
				line = append(line, strings.ReplaceAll(row[at], "UNIT", unit))
			}
			file.WriteString(strings.Join(line, comma) + "\n")
		}
		got := countedRows(t, table.typ, "GB", file.String())
		for i, fields := range want {
			row := got[strconv.Itoa(i+2)]
			rows++
			if row == "" || strings.HasPrefix(row, "!") {
				continue // it may ask
			}
			counts++
			if fault := sameRow(row, strings.Join(fields, "; ")); fault != "" {
				rt.Fatalf("row %d: %s, of\n%s", i+2, fault, file.String())
			}
		}
		if row := got[strconv.Itoa(len(cells)+1)]; total && row != "" && !strings.HasPrefix(row, "!") {
			rt.Fatalf("the totals count as %s, of\n%s", row, file.String())
		}
	})
	if counts*3 < rows*2 {
		t.Errorf("only %d of %d rows are counted", counts, rows)
	}
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// inGroups writes thousandths with a decimal sign, and with a sign between groups of digits.
func inGroups(thousandths int64, point, group string) string {
	whole, rest := strconv.FormatInt(thousandths/1000, 10), fmt.Sprintf("%03d", thousandths%1000)
	if n := len(whole); n > 3 && group != "" {
		whole = whole[:n-3] + group + whole[n-3:]
	}
	if rest = strings.TrimRight(rest, "0"); rest == "" {
		return whole
	}
	return whole + point + rest
}
