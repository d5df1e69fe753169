package footprint_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

const (
	monteCarloSeed  = 20260512
	monteCarloDraws = 40_000
	// normal975 is the 97.5% quantile of the normal distribution. The interval
	// of a line, mass / GSD² to mass × GSD², holds 95%, so that ln(GSD²) is this
	// many standard deviations.
	normal975 = 1.959963984540054
)

// uncertainLine is a line as the simulation sees it, in kg.
type uncertainLine struct {
	factor      string
	mass, sigma float64
}

type uncertainRecord struct{ typ, body string }

// kilograms returns a mass as a floating-point number.
func kilograms(m footprint.Mass) float64 {
	f, _ := m.Big().Float64()
	return f / 1e9
}

// uncertain evaluates records and returns their lines and the interval of their
// total. No GSD² may be above 2, for which the tolerances are meant.
func uncertain(t *testing.T, records []uncertainRecord) ([]uncertainLine, total.Interval) {
	t.Helper()
	var lines []uncertainLine
	var sum total.Contribution
	for _, r := range records {
		e := evaluate(t, r.typ, r.body, london)
		sum = sum.Add(total.Of(&e))
		for _, l := range e.Lines {
			gsd2 := float64(l.GSD2) / 1e6
			if gsd2 <= 1 || gsd2 > 2 {
				t.Fatalf("%s %s has the GSD² %v, want it above 1 and at most 2", r.typ, r.body, gsd2)
			}
			lines = append(lines, uncertainLine{l.FactorID, kilograms(l.Mass), math.Log(gsd2) / normal975})
		}
	}
	return lines, sum.Breakdown(london).Total
}

// simulate draws totals: each line is lognormal around its mass, and lines of
// one key err together. It returns them in order.
func simulate(lines []uncertainLine, key func(i int) string) []float64 {
	index := map[string]int{}
	errorOf := make([]int, len(lines))
	for i := range lines {
		k, ok := index[key(i)]
		if !ok {
			k = len(index)
			index[key(i)] = k
		}
		errorOf[i] = k
	}
	random := rand.New(rand.NewPCG(monteCarloSeed, 0))
	errors, totals := make([]float64, len(index)), make([]float64, monteCarloDraws)
	for n := range totals {
		for k := range errors {
			errors[k] = random.NormFloat64()
		}
		for i, l := range lines {
			totals[n] += l.mass * math.Exp(l.sigma*errors[errorOf[i]])
		}
	}
	slices.Sort(totals)
	return totals
}

// quantile returns the bounds of a quantile of the distribution that the totals were drawn from: the rank has a
// standard error of √(n p (1-p)), and these are the totals three standard errors away, for any distribution.
func quantile(totals []float64, p float64) (least, most float64) {
	n := float64(len(totals))
	three := 3 * math.Sqrt(n*p*(1-p))
	return totals[int(n*p-three)], totals[int(n*p+three)]
}

// methodBias bounds how far the ends of the true interval may lie from those of
// the method, which adds half-widths of different factors in quadrature.
//
// Two things pull them apart. A sum of lognormals lies above the sum of their
// medians, by no more than their means do: Σ m (exp(σ²/2) - 1) over the lines.
// That raises both ends. And a sum of several is more symmetric than its parts,
// whose lower half-width is the smaller one: in the limit both are 1.96 standard
// deviations. That lowers both ends, by no more than the limit is away. For one
// factor alone neither happens; the ends are exact.
type methodBias struct{ raised, lowEndLowered, highEndLowered float64 }

func biasOf(lines []uncertainLine) methodBias {
	type ends struct{ down, up float64 }
	byFactor := map[string][]uncertainLine{}
	for _, l := range lines {
		byFactor[l.factor] = append(byFactor[l.factor], l)
	}
	var b methodBias
	var down2, up2, variance float64
	for _, of := range byFactor {
		var e ends
		for _, l := range of {
			gsd2 := math.Exp(normal975 * l.sigma)
			e.down += l.mass * (1 - 1/gsd2)
			e.up += l.mass * (gsd2 - 1)
			b.raised += l.mass * math.Expm1(l.sigma*l.sigma/2)
			for _, o := range of { // the covariance of lognormals of one error
				variance += l.mass * o.mass * math.Exp((l.sigma*l.sigma+o.sigma*o.sigma)/2) * math.Expm1(l.sigma*o.sigma)
			}
		}
		down2, up2 = down2+e.down*e.down, up2+e.up*e.up
	}
	symmetric := normal975 * math.Sqrt(variance)
	b.lowEndLowered = max(symmetric-math.Sqrt(down2), 0)
	b.highEndLowered = max(math.Sqrt(up2)-symmetric, 0)
	return b
}

var oneFactorRecords = map[string][]uncertainRecord{
	"one line": {{"waste", `{"treatment":"landfill","weightKg":1000}`}},
	"two stages": {
		{"flights", `{"from":"LHR","to":"JFK","class":"economy","passengers":1}`},
	},
	"records of different quality": {
		{"flights", `{"from":"LHR","to":"JFK","class":"economy","passengers":4,"dataQuality":"measured"}`},
		{"flights", `{"from":"LHR","to":"LAX","class":"economy","passengers":1}`},
		{"flights", `{"from":"MAN","to":"SIN","class":"economy","passengers":2,"dataQuality":"assumed"}`},
	},
}

// TestMonteCarloOfOneFactor draws the error of one factor, which all lines of all records share: the analytical
// interval is exact, so it must agree within the sampling error.
func TestMonteCarloOfOneFactor(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", monteCarloSeed)
	for name, records := range oneFactorRecords {
		lines, total := uncertain(t, records)
		for _, l := range lines {
			if l.factor != lines[0].factor {
				t.Fatalf("%s: %s and %s are two factors", name, l.factor, lines[0].factor)
			}
		}
		totals := simulate(lines, func(i int) string { return lines[i].factor })
		for p, end := range map[float64]float64{0.025: kilograms(total.Low), 0.5: kilograms(total.KgCO2e), 0.975: kilograms(total.High)} {
			if least, most := quantile(totals, p); end < least || end > most {
				t.Errorf("%s: the quantile %v is %v to %v kg, the method says %v", name, p, least, most, end)
			}
		}
	}
}

var severalFactorRecords = map[string][]uncertainRecord{
	"two equal factors": {
		{"waste", `{"treatment":"recycling","material":"glass","weightKg":1000}`},
		{"waste", `{"treatment":"recycling","material":"metal","weightKg":1000}`},
	},
	"one large and one small": {
		{"flights", `{"from":"LHR","to":"JFK","passengers":40}`},
		{"accommodation", `{"nights":2,"rooms":40}`},
	},
	"an event": {
		{"flights", `{"from":"LHR","to":"JFK","passengers":4,"class":"economy","group":"attendees"}`},
		{"flights", `{"from":"LHR","to":"SIN","passengers":2,"class":"economy","group":"speakers","dataQuality":"measured"}`},
		{"flights", `{"from":"CDG","to":"LHR","passengers":20,"class":"economy","group":"attendees"}`},
		{"ground-transport", `{"mode":"rail","distanceKm":300,"passengers":150}`},
		{"ground-transport", `{"mode":"rail","distanceKm":80,"passengers":90,"dataQuality":"assumed"}`},
		{"ground-transport", `{"mode":"car","distanceKm":60,"vehicles":40}`},
		{"accommodation", `{"nights":2,"rooms":150,"group":"attendees"}`},
		{"accommodation", `{"nights":3,"rooms":20,"group":"staff","dataQuality":"measured"}`},
		{"accommodation", `{"nights":2,"rooms":20,"country":"FR"}`},
		{"venue", `{"electricityKWh":9000,"gasKWh":4000,"dataQuality":"measured"}`},
		{"energy", `{"source":"diesel","volumeLitres":200}`},
		{"catering", `{"meals":800,"diet":"vegetarian"}`},
		{"catering", `{"meals":300,"diet":"red_meat"}`},
		{"waste", `{"treatment":"landfill","weightKg":600}`},
		{"waste", `{"treatment":"landfill","weightKg":400,"dataQuality":"assumed"}`},
		{"freight", `{"mode":"road","weightKg":4000,"distanceKm":300}`},
		{"materials", `{"material":"board","source":"virgin","weightKg":300}`},
		{"water", `{"supplyM3":120}`},
	},
}

// TestMonteCarloOfSeveralFactors compares the 2.5% and 97.5% quantiles with the interval of the method, which is an
// approximation here: within the bounds of its bias and the sampling error.
func TestMonteCarloOfSeveralFactors(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", monteCarloSeed)
	for name, records := range severalFactorRecords {
		lines, total := uncertain(t, records)
		totals := simulate(lines, func(i int) string { return lines[i].factor })
		b := biasOf(lines)
		for _, c := range []struct{ p, end, lowered float64 }{
			{0.025, kilograms(total.Low), b.lowEndLowered},
			{0.975, kilograms(total.High), b.highEndLowered},
		} {
			least, most := quantile(totals, c.p)
			if most < c.end-c.lowered || least > c.end+b.raised {
				t.Errorf("%s: the quantile %v is %v to %v kg, the method says %v, less %v or more %v", name, c.p, least, most, c.end, c.lowered, b.raised)
			}
			// The tolerance itself must stay small for the comparison to mean
			// anything: to each side at most a third of a mean half-width.
			if width := kilograms(total.High.Sub(total.Low)); max(c.lowered, b.raised) > width/6 {
				t.Errorf("%s: the tolerance, less %v or more %v, is wide beside the interval of %v", name, c.lowered, b.raised, width)
			}
			t.Logf("%s: %v is %.3f to %.3f, method %.3f -%.3f +%.3f", name, c.p, least, most, c.end, c.lowered, b.raised)
		}
	}
}

// TestMonteCarloTellsCorrelationApart draws an error for each line instead of each factor. The spread of totals must
// then be so much smaller that the method is rejected, or the comparison would prove nothing about shared factors.
func TestMonteCarloTellsCorrelationApart(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", monteCarloSeed)
	var records []uncertainRecord
	for range 8 {
		records = append(records, uncertainRecord{"waste", `{"treatment":"landfill","weightKg":1000}`},
			uncertainRecord{"accommodation", `{"nights":5,"rooms":10}`})
	}
	lines, total := uncertain(t, records)
	apart := simulate(lines, func(i int) string { return string(rune('a' + i)) })
	together := simulate(lines, func(i int) string { return lines[i].factor })
	b := biasOf(lines)
	high := kilograms(total.High)
	if _, most := quantile(apart, 0.975); most > high-b.highEndLowered {
		t.Errorf("independent lines reach %v kg, the method says %v less %v", most, high, b.highEndLowered)
	}
	if _, most := quantile(together, 0.975); most < high-b.highEndLowered {
		t.Errorf("shared factors reach %v kg, the method says %v less %v", most, high, b.highEndLowered)
	}
}
