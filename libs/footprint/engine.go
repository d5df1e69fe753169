package footprint

import (
	"encoding/json"
	"fmt"
	"math/big"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// engine is a factor set with the rows that the types use most often.
type engine struct {
	set      *factors.Set
	pedigree *pedigree
	flights  flightFactors
	// airFreight are the rows of air freight by haul, without and with
	// radiative forcing.
	airFreight [hauls][2]*factors.Factor
	// Increase of the CH4 and N2O columns by AR6, as a ratio: (new - old) / old.
	ch4, n2o *big.Rat
}

var engines = sync.OnceValue(func() map[string]*engine {
	out := make(map[string]*engine)
	for _, set := range factors.Sets() {
		out[set.ID] = newEngine(set)
	}
	return out
})

// packEngines are those of the sets of packs: *factors.Set → *engine.
var packEngines sync.Map

func newEngine(set *factors.Set) *engine {
	return &engine{set: set, pedigree: newPedigree(set), flights: newFlightFactors(set), airFreight: newAirFreight(set),
		// The published columns use AR5 without feedback, 28 for methane of
		// any origin; all types here burn fossil fuels.
		ch4: rebase(set, "gwp.ch4_fossil.ar6", 28), n2o: rebase(set, "gwp.n2o.ar6", 265)}
}

// engineOf returns the engine of a set.
func engineOf(set *factors.Set) *engine {
	if e, ok := engines()[set.ID]; ok && e.set == set {
		return e
	}
	if e, ok := packEngines.Load(set); ok {
		return e.(*engine) //nolint:forcetypeassert // nothing else is stored
	}
	e, _ := packEngines.LoadOrStore(set, newEngine(set))
	return e.(*engine) //nolint:forcetypeassert // nothing else is stored
}

func rebase(set *factors.Set, id string, old int64) *big.Rat {
	f, ok := set.Lookup(id)
	if !ok {
		return new(big.Rat)
	}
	r := new(big.Rat).Quo(decimalRat(f.KgCO2e), big.NewRat(old, 1))
	return r.Sub(r, big.NewRat(1, 1))
}

// engineFor returns the engine of an event: that of its factor set, or by default of the set for its start date.
func engineFor(ev EventContext) (*engine, error) {
	if !KnownEngine(ev.EngineVersion()) {
		return nil, fmt.Errorf("footprint: the engine %q is not held", ev.Engine)
	}
	set, err := ev.Set()
	if err != nil {
		return nil, err
	}
	return engineOf(set), nil
}

// Calculator evaluates records with a set that need not be the one an event names:
// the set of an excerpt of a pack.
type Calculator struct{ engine *engine }

// NewCalculator returns the calculator of a set.
func NewCalculator(set *factors.Set) Calculator { return Calculator{newEngine(set)} }

// Evaluate is the function Evaluate, with the set of the calculator.
func (k Calculator) Evaluate(typ string, fields json.RawMessage, ev EventContext) (Evaluation, error) {
	t, ok := find(typ)
	if !ok {
		return Evaluation{}, fmt.Errorf("footprint: the type %q is not known", typ)
	}
	if !KnownEngine(ev.EngineVersion()) {
		return Evaluation{}, fmt.Errorf("footprint: the engine %q is not held", ev.Engine)
	}
	in, err := t.read(fields)
	if err != nil {
		return Evaluation{}, err
	}
	return t.evaluate(in, k.engine, ev)
}

// rebased returns the increase of a line of q with factor f by AR6, and the new CH4 and N2O parts.
func (e *engine) rebased(q quantity, f *factors.Factor) (ch4, n2o Mass) {
	return scaled(q, f.CH4.Decimal, e.ch4), scaled(q, f.N2O.Decimal, e.n2o)
}

// scaled returns q × d × r in whole milligrams.
func scaled(q quantity, d decimal.Decimal, r *big.Rat) Mass {
	return quantity{ratio: new(big.Rat).Mul(q.rat(), r)}.mass(d)
}
