package footprint

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// The operator of a venue, machine or vehicle, which determines the scope.
const (
	own               = "own"
	hired             = "hired"
	hiredWithOperator = "hired_with_operator"
)

// control reads the operator; hired by default.
func (d *decoder) control() string {
	v, _ := d.Enum("control", own, hired, hiredWithOperator)
	return v
}

// supply is the place of energy use and its operator.
type supply struct {
	country, subdivision, control string
	// renewable is the percentage of electricity covered by contract, or nil.
	renewable *decimal.Decimal
	// contract is the supplier's own factor of electricity, or nil.
	contract *SupplierFactor
}

// carrier is an amount of one energy carrier and how it was found.
type carrier struct {
	quantity   quantity
	known      bool
	atBest     Quality
	older      int
	technology uint8
}

// scopes returns the scope and category of energy used (which: 1 for fuel burnt,
// 2 for electricity and heat), and the category of its upstream part.
func (s supply) scopes(which int) (scope int, category, upstream string) {
	switch s.control {
	case own:
		return which, "", categoryFuel
	case hiredWithOperator:
		return 3, categoryGoods, categoryGoods
	}
	return 3, categoryLeased, categoryLeased
}

// fuel adds the direct and the well-to-tank line of a UK energy row, and sets
// its biogenic CO2 aside.
func (c *calculation) fuel(s supply, series, field string, which int, unit string, q carrier) {
	f := c.engine.set.Ref(series)
	if f == nil {
		c.unavailable(apperr.Detail{Field: field, Message: "The factor set has no factor for " + field + "."})
		return
	}
	scope, category, upstream := s.scopes(which)
	e := entry{factor: f, quantity: q.quantity, unit: unit, stage: Direct, scope: scope, category: category,
		geography: c.standsIn(f, s.country), technology: q.technology, atBest: q.atBest, older: q.older}
	c.add(e)
	c.upstream(e, upstream)
	c.blend(f, q.quantity)
	if b := c.engine.set.Complete(f, hasBiogenic); b != nil {
		c.out.Biogenic = c.out.Biogenic.Add(c.scaledUp(q.quantity).mass(b.BiogenicCO2.Decimal))
		if b != f {
			c.otherEdition(b)
		}
	}
}

// blend separates the biogenic CO2 of a forecourt fuel, or adds a notice if none is published for the unit.
func (c *calculation) blend(f *factors.Factor, q quantity) {
	if !c.second() || f.BiogenicCO2.Published {
		return
	}
	if o, ok := factors.OutsideScopes(f.Series); ok {
		c.out.Biogenic = c.out.Biogenic.Add(c.scaledUp(q).mass(o.BiogenicCO2))
	} else if strings.Contains(f.Series, "_avg_blend.") {
		c.note(NoticeNoBiogenic, "", "The fuel contains biofuel; its biogenic CO2 is published by the litre only.")
	}
}

func hasUpstream(f *factors.Factor) bool { return f.WTT.Published }

func hasBiogenic(f *factors.Factor) bool { return f.BiogenicCO2.Published }

// upstream adds the well-to-tank line of an entry. A part that the edition lacks is taken from another one; if none
// is published, it adds a notice.
func (c *calculation) upstream(e entry, category string) {
	f := c.engine.set.Complete(e.factor, hasUpstream)
	if f == nil {
		c.note(NoticeUpstream, "", "The upstream part of %s is not published.", e.factor.ID)
		return
	}
	e.otherEdition = f != e.factor
	if e.otherEdition && c.engine.set.National(e.factor) {
		e.geography = c.proxy(c.place) // the upstream part is of the United Kingdom
	}
	e.factor, e.upstream, e.stage, e.scope, e.category, e.withoutRF = f, true, Upstream, 3, category, nil
	c.add(e)
}

// loss adds the lines of transmission losses, which are all upstream.
func (c *calculation) loss(s supply, series string, q carrier, geography uint8) {
	f := c.engine.set.Ref(series)
	if f == nil {
		return
	}
	_, _, category := s.scopes(2)
	e := entry{factor: f, quantity: q.quantity, unit: "kWh", stage: Upstream, scope: 3, category: category,
		geography: geography, technology: q.technology, atBest: q.atBest, older: q.older}
	c.add(e)
	if c.engine.set.Complete(f, hasUpstream) != nil {
		c.upstream(e, category)
	}
}
