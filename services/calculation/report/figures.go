package report

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

// rounded writes a mass in a unit of so many kilograms, with so many decimals.
func rounded(m footprint.Mass, kilogramsPerUnit int64, decimals int) string {
	r := new(big.Rat).SetFrac(m.Big(), new(big.Int).Mul(big.NewInt(1_000_000_000), big.NewInt(kilogramsPerUnit)))
	return explain.Grouped(r.FloatString(decimals))
}

// thousandKilograms is where kilograms are no longer read easily.
var thousandKilograms = footprint.MassOf(1_000_000_000_000)

// kg writes a mass in kilograms: whole ones from ten kilograms on, grams below that.
func kg(m footprint.Mass) string {
	if m.Cmp(footprint.MassOf(10_000_000_000)) >= 0 || m.IsZero() {
		return rounded(m, 1, 0)
	}
	return rounded(m, 1, 3)
}

// exactKilograms is a mass to the milligram, as notices and findings have it.
var exactKilograms = regexp.MustCompile(`\b(\d{1,9})\.(\d{6}) kg\b`)

// legible returns a sentence with its masses as kg writes them. The exact ones
// are in the JSON form.
func legible(message string) string {
	return exactKilograms.ReplaceAllStringFunc(message, func(found string) string {
		exact, err := strconv.ParseInt(strings.Replace(strings.TrimSuffix(found, " kg"), ".", "", 1), 10, 64)
		if err != nil {
			return found
		}
		return kg(footprint.MassOf(exact*1000)) + " kg"
	})
}

// inTonnes writes the total with its interval, in tonnes from one tonne on.
func inTonnes(i total.Interval) amount {
	unit, per, decimals := "kg", int64(1), 1
	if i.KgCO2e.Cmp(thousandKilograms) >= 0 {
		unit, per, decimals = "tonnes", 1000, 1
		if i.KgCO2e.Cmp(footprint.MassOf(10_000_000_000_000)) < 0 {
			decimals = 2
		}
	}
	return amount{rounded(i.KgCO2e, per, decimals), unit, rounded(i.Low, per, decimals), rounded(i.High, per, decimals)}
}

func rowOf(label string, records int64, i total.Interval, total footprint.Mass) row {
	return row{Name: label, Records: explain.Grouped(fmt.Sprint(records)), Kg: kg(i.KgCO2e), Share: percent(i.KgCO2e, total), Low: kg(i.Low), High: kg(i.High)}
}

func shareRow(label string, m, total footprint.Mass) row {
	return row{Name: label, Kg: kg(m), Share: percent(m, total)}
}

// perMille returns part / whole in thousandths, rounded; 0 of nothing.
func perMille(part, whole footprint.Mass) int64 {
	if whole.IsZero() {
		return 0
	}
	n := new(big.Int).Mul(part.Big(), big.NewInt(2000))
	n.Add(n, whole.Big())
	return n.Div(n, new(big.Int).Lsh(whole.Big(), 1)).Int64()
}

// percent writes a share to a tenth of a percent; what is there but less is said
// to be less.
func percent(part, whole footprint.Mass) string {
	n := perMille(part, whole)
	if n == 0 && part.Sign() > 0 {
		return "<0.1%"
	}
	return permille(n)
}

func permille(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%d%%", sign, n/10, n%10)
}

// boundary reads what the event says it includes and leaves out.
func (p *page) boundary(d Data) {
	var b struct {
		Included []string
		Excluded []exclusion
	}
	_ = json.Unmarshal(d.Event.Boundary, &b) // what does not read says nothing
	for _, s := range b.Included {
		p.Included = append(p.Included, strings.ReplaceAll(s, "_", " "))
	}
	for _, x := range b.Excluded {
		p.Excluded = append(p.Excluded, exclusion{name(x.Type), x.Reason})
	}
}
