package footprint

import (
	"math/big"
	"strconv"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// generatorSizes are the rated kW of the chart, in its order.
var generatorSizes = [...]int64{20, 30, 40, 60, 75, 100, 125, 135, 150, 175, 200, 230, 250, 300, 350, 400, 500, 600, 750, 1000, 1250, 1500, 1750, 2000, 2250}

// generatorLoads are the loads of the chart in percent.
var generatorLoads = [...]int64{25, 50, 75, 100}

// burnt returns the litres per hour of a generator of so many kW at a load in percent: linear between the sizes and
// loads of the chart, and beyond its ends. It returns false if the chart is not available.
func burnt(kw, load *big.Rat) (*big.Rat, bool) {
	at := func(i, j int) (*big.Rat, bool) {
		d, ok := factors.Supplement().Default("gen.diesel." + strconv.FormatInt(generatorSizes[i], 10) + "kw." + strconv.FormatInt(generatorLoads[j], 10))
		if !ok {
			return nil, false
		}
		return decimalRat(d.Value), true
	}
	n := 0
	for n < len(generatorLoads)-2 && load.Cmp(big.NewRat(generatorLoads[n+1], 1)) > 0 {
		n++
	}
	size := func(i int) (*big.Rat, bool) {
		a, ok := at(i, n)
		b, also := at(i, n+1)
		if !ok || !also {
			return nil, false
		}
		return between(load, big.NewRat(generatorLoads[n], 1), big.NewRat(generatorLoads[n+1], 1), a, b), true
	}
	last := len(generatorSizes) - 1
	smallest, largest := big.NewRat(generatorSizes[0], 1), big.NewRat(generatorSizes[last], 1)
	// Beyond the chart, consumption is proportional to the size.
	if kw.Cmp(smallest) <= 0 || kw.Cmp(largest) >= 0 {
		i, edge := 0, smallest
		if kw.Cmp(largest) >= 0 {
			i, edge = last, largest
		}
		litres, ok := size(i)
		if !ok {
			return nil, false
		}
		return litres.Mul(litres, new(big.Rat).Quo(kw, edge)), true
	}
	i := 0
	for big.NewRat(generatorSizes[i+1], 1).Cmp(kw) < 0 {
		i++
	}
	a, ok := size(i)
	b, also := size(i + 1)
	if !ok || !also {
		return nil, false
	}
	return between(kw, big.NewRat(generatorSizes[i], 1), big.NewRat(generatorSizes[i+1], 1), a, b), true
}

// between returns the value at x on the line through (x0, y0) and (x1, y1).
func between(x, x0, x1, y0, y1 *big.Rat) *big.Rat {
	share := new(big.Rat).Quo(new(big.Rat).Sub(x, x0), new(big.Rat).Sub(x1, x0))
	return share.Add(share.Mul(share, new(big.Rat).Sub(y1, y0)), y0)
}

// generated returns the litres that a generator burnt, by its size, its hours and
// its load.
func (c *calculation) generated(n *energy) (quantity, bool) {
	factor, ok := c.stand("gen.power_factor", "generatorKVA")
	usual, also := c.stand("gen.load.default", "loadPercent")
	if !ok || !also {
		return quantity{}, false
	}
	percent := func(d decimal.Decimal) *big.Rat { return new(big.Rat).Mul(decimalRat(d), big.NewRat(100, 1)) }
	kw := new(big.Rat).Mul(decimalRat(*n.GeneratorKVA), decimalRat(factor.Value))
	load := percent(usual.Value)
	if n.LoadPercent != nil {
		load = decimalRat(*n.LoadPercent)
	}
	litres, ok := burnt(kw, load)
	low, lowOK := burnt(kw, percent(usual.Low.Decimal))
	high, highOK := burnt(kw, percent(usual.High.Decimal))
	if !ok || !lowOK || !highOK || litres.Sign() <= 0 || low.Sign() <= 0 {
		c.unavailable(missingRow("gen.diesel", "generatorKVA"))
		return quantity{}, false
	}
	hours := decimalRat(*n.Hours)
	total := toThousandths(new(big.Rat).Mul(litres, hours))
	if n.LoadPercent == nil {
		c.defaultTo("loadPercent")
		c.assume(NoticeGenerator, "volumeLitres", spread(litres, low, high))
		c.least = Assumed
	} else {
		// The chart is of new sets; the ends of its fit are a tenth off.
		c.assume(NoticeGenerator, "volumeLitres", big.NewRat(6, 5))
		c.least = max(c.least, Estimated)
	}
	c.note(NoticeGenerator, "generatorKVA", "%s kVA × %s at %s %% load burn %s litres an hour, %s litres in %s hours. The litres of the fuel bill would be better.",
		n.GeneratorKVA, factor.Value, digitsOf(load, 2), rateShown(litres, hours, *total), total, n.Hours)
	return exactly(*total), true
}

// rateShown formats litres per hour with as many decimals, at least two, as a reader needs to reproduce the total
// from the hours.
func rateShown(litres, hours *big.Rat, total decimal.Decimal) string {
	const most = 12
	for decimals := 2; decimals < most; decimals++ {
		text := litres.FloatString(decimals)
		shown, _ := new(big.Rat).SetString(text) // digits are a number
		if *toThousandths(shown.Mul(shown, hours)) == total {
			return text
		}
	}
	return litres.FloatString(most)
}

// toThousandths returns litres rounded to a thousandth.
func toThousandths(litres *big.Rat) *decimal.Decimal {
	return kilometres(new(big.Rat).Mul(litres, big.NewRat(1000, 1)))
}

// digitsOf formats a number exactly if it has at most most decimals, else rounded to them.
func digitsOf(n *big.Rat, most int) string {
	if decimals, exact := n.FloatPrec(); exact && decimals <= most {
		return n.FloatString(decimals)
	}
	return n.FloatString(most)
}
