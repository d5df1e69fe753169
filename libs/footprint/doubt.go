package footprint

import (
	"math/big"
	"strconv"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
	"github.com/eventcarbon/ecf/libs/lru"
)

// Doubt is the uncertainty of a line: variances of the logarithm of its mass, in billionths. The mass is the expected
// value of a lognormal distribution whose variance is the sum of the three.
type Doubt struct {
	// Activity is the doubt of the amount. All lines of a record share it.
	Activity int64 `json:"activity"`
	// Basic is the doubt of the factor's row. All lines of the row and stage share
	// it.
	Basic int64 `json:"basic"`
	// Fit is the doubt of using the row for another time, place or technology.
	// Lines of the row and stage with the same Use share it.
	Fit int64 `json:"fit"`
	// Use names the place and the scores for time, geography and technology.
	Use string `json:"use"`
}

// Variance returns the sum of the three.
func (d *Doubt) Variance() int64 { return d.Activity + d.Basic + d.Fit }

// second reports whether the event is calculated by engine 2.0.0 or later.
func (c *calculation) second() bool { return c.ev.EngineVersion() != Engine1 }

// third reports whether the event is calculated by engine 2.1.0 or later.
func (c *calculation) third() bool { return c.second() && c.ev.EngineVersion() != Engine2 }

// fewAnswers is the number of responses below which a coefficient of variation is not meaningful.
const fewAnswers = 5

// sampled sets the variance of a survey of n out of N people: σ² = ln(1 + CV²/n × (1 - n/N)). Without a
// coefficient of variation, or with one of few responses, CV is at least 1: no spread among few responses is no
// evidence of a small one.
func (c *calculation) sampled(in *common) {
	cv := decimal.FromInt(1)
	if in.SampleCV != nil && (in.Respondents >= fewAnswers || in.SampleCV.Cmp(cv) > 0) {
		cv = *in.SampleCV
	} else {
		c.note(NoticeSampling, "sampleCV", "%d of %d answered; the coefficient of variation counts as 1.", in.Respondents, in.Population)
	}
	r := decimalRat(cv)
	r.Mul(r, r)
	r.Mul(r, big.NewRat(in.Population-in.Respondents, in.Population))
	r.Quo(r, big.NewRat(in.Respondents, 1))
	c.variance = fixed.Log(r.Add(r, big.NewRat(1, 1)))
}

// doubt sets the interval of a line. A figure supplied with the record has only the uncertainty of the record.
func (c *calculation) doubt(l *Line, e entry, s scores) {
	p := c.engine.pedigree
	activity := p.variance(0, s.reliability) + p.variance(1, s.completeness)
	if c.variance != nil {
		activity += billionths(c.variance)
	}
	if e.variance != nil {
		activity += ofFactor(e.variance)
	}
	d := Doubt{Activity: activity, Fit: p.variance(2, s.time) + p.variance(3, s.geography) + p.variance(4, s.technology)}
	d.Basic = p.basic(c.engine.set, c.typ, e)
	if e.factor == nil {
		d.Activity, d.Basic, d.Fit = d.Variance(), 0, 0
	} else {
		d.Use = c.place + "." + strconv.Itoa(int(s.time)*100+int(s.geography)*10+int(s.technology))
	}
	l.Doubt = &d
	c.spreadOut(l)
}

// spreadOut sets the interval of a line by its doubt.
func (c *calculation) spreadOut(l *Line) {
	s := logSpreadOf(l.Doubt.Variance())
	l.Low, l.High = s.around(l.Mass)
	l.GSD2 = s.gsd2
}

// spreads caches spreads by the variance in billionths. Most lines have one of a few hundred variances: those of the
// scores and the rows. Those of surveys are unique and soon evicted.
var spreads = lru.New[int64, logSpread](4096)

func logSpreadOf(variance int64) logSpread {
	s, ok := spreads.Get(variance)
	if !ok {
		s = newLogSpread(fromBillionths(variance))
		s.gsd2 = fixed.Quo(fixed.Exp(s.half), fixed.Pow10(18)).Uint64()
		spreads.Put(variance, s)
	}
	return s
}

// variance returns the variance of the logarithm for one score, in billionths.
// An uncertainty factor U is the factor of a 95% interval, so that ln(U) is 1.96
// standard deviations.
func (p *pedigree) variance(indicator int, score uint8) int64 {
	return p.variances[indicator][min(max(score, 1), 5)-1]
}

// ofFactor returns ln(U)² / 1.96² in billionths.
func ofFactor(square *big.Int) int64 {
	n := new(big.Int).Mul(square, big.NewInt(10_000))
	return billionths(fixed.Quo(n, big.NewInt(196*196)))
}

func billionths(x *big.Int) int64 { return fixed.Quo(x, billionth).Int64() }

func fromBillionths(v int64) *big.Int { return new(big.Int).Mul(big.NewInt(v), billionth) }

// billionth is 10^-9 in the unit of package fixed.
var billionth = fixed.Pow10(15)

// The factors of the interval of a row whose source publishes none: the default
// basic uncertainties of the pedigree approach, by what is bought. Energy, goods
// and treatment of waste have 1.05 (Muller et al., "Giving a scientific basis for
// uncertainty factors used in global life cycle inventory databases",
// International Journal of Life Cycle Assessment 21 (2016), 1185-1196, table 4,
// prior value; the same in the sheet "Info" of the GHG Protocol's uncertainty tool
// by Quantis, 2011), transport services and products of agriculture 2.00 (the
// same sheet).
var (
	basicDefault     = basicVariance(big.NewRat(105, 100))
	basicTransport   = basicVariance(big.NewRat(2, 1))
	basicAgriculture = basicTransport
)

// The relative uncertainties of one table that does not state its coverage; they are interpreted as the upper half of
// a 95% interval.
const (
	basicMeal  = "uncertainty.meal"
	basicTrain = "uncertainty.train"
)

// Flights: 37% for a flight with condensation trails, 10% for the fuel burnt, by the text of the row
// uncertainty.plane_contrails.
var (
	basicFlight     = basicVariance(big.NewRat(137, 100))
	basicCombustion = basicVariance(big.NewRat(110, 100))
)

// basic returns the basic variance of a row in billionths.
func (p *pedigree) basic(set *factors.Set, typ string, e entry) int64 {
	published := func(id string) int64 {
		if d, ok := set.Default(id); ok {
			return cachedVariance(new(big.Rat).Add(decimalRat(d.Value), big.NewRat(1, 1)))
		}
		return basicDefault
	}
	f := e.factor
	switch {
	case f == nil:
	case e.supplier != nil:
		return basicOfSupplier(e.supplier)
	case typ == "flights" && e.withoutRF != nil && !e.upstream:
		return basicFlight
	case typ == "flights" && !e.upstream:
		return basicCombustion
	case strings.HasPrefix(f.Series, "food.meal."):
		return published(basicMeal)
	case strings.HasPrefix(f.Series, "desnz-rail-"):
		return published(basicTrain)
	case strings.HasPrefix(f.Series, "drink."):
		return basicAgriculture
	// The emissions per kilometre of one passenger or tonne depend on the load factor; those of a vehicle on the fuel
	// burnt.
	case typ != "flights" && (f.Unit == "passenger.km" || f.Unit == "tonne.km"):
		return basicTransport
	}
	return basicDefault
}

// variances remembers those of the few factors that are published.
var variances sync.Map

func cachedVariance(factor *big.Rat) int64 {
	key := factor.RatString()
	if v, ok := variances.Load(key); ok {
		if n, ok := v.(int64); ok {
			return n
		}
	}
	n := basicVariance(factor)
	variances.Store(key, n)
	return n
}

// basicVariance returns the variance of the logarithm for the factor of a 95% interval, in
// billionths.
func basicVariance(factor *big.Rat) int64 { return ofFactor(fixed.Square(fixed.Log(factor))) }

// Lognormal returns the ends of the 95% interval of a lognormal distribution
// with the expected value m, m × exp(-σ²/2 ± 1.96σ), for the variance σ² of its
// logarithm in 10^-24; and 1.96σ. The interval always contains m.
func Lognormal(m Mass, variance *big.Int) (low, high Mass, half *big.Int) {
	s := newLogSpread(variance)
	low, high = s.around(m)
	return low, high, s.half
}

// logSpread is the interval of a lognormal distribution around any mass.
type logSpread struct {
	down, up *big.Int // factors; up is nil where the upper end is the mass itself
	half     *big.Int
	gsd2     uint64
}

func newLogSpread(variance *big.Int) logSpread {
	sigma := new(big.Int).Sqrt(new(big.Int).Mul(variance, fixed.One))
	half := fixed.Quo(new(big.Int).Mul(sigma, big.NewInt(196)), big.NewInt(100))
	middle := fixed.Quo(variance, big.NewInt(2))
	s := logSpread{half: half, down: fixed.Exp(new(big.Int).Add(half, middle))}
	if up := new(big.Int).Sub(half, middle); up.Sign() > 0 {
		s.up = fixed.Exp(up)
	}
	return s
}

// around returns the ends around a mass.
func (s logSpread) around(m Mass) (low, high Mass) {
	w := fixed.Borrow()
	defer w.Return()
	mass, product, end := &w[0], &w[1], &w[2]
	m.SetBig(mass)
	low, high = BigMass(fixed.SetQuo(end, product.Mul(mass, fixed.One), s.down)), m
	if s.up != nil {
		high = BigMass(fixed.SetQuo(end, product.Mul(mass, s.up), fixed.One))
	}
	return low, high
}
