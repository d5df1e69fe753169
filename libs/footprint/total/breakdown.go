package total

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// Interval is a mass with the bounds of 95% of likely values.
type Interval struct {
	KgCO2e footprint.Mass `json:"kgCO2e"`
	Low    footprint.Mass `json:"low"`
	High   footprint.Mass `json:"high"`
}

// TypePart is the part of one record type.
type TypePart struct {
	Type    string `json:"type"`
	Records int64  `json:"records"`
	Interval
}

// GroupPart is the part of one group of people; "unspecified" for records without a group.
type GroupPart struct {
	Group   string `json:"group"`
	Records int64  `json:"records"`
	Interval
}

// CategoryPart is one line of scope 3.
type CategoryPart struct {
	Category string         `json:"category"`
	KgCO2e   footprint.Mass `json:"kgCO2e"`
}

// Scopes are the three scopes of the GHG Protocol. Scope3 is the sum of the
// categories, the optional one included.
type Scopes struct {
	Scope1 footprint.Mass `json:"scope1"`
	Scope2 footprint.Mass `json:"scope2"`
	Scope3 footprint.Mass `json:"scope3"`
}

// Stages are direct and upstream emissions, and those of factors published as
// one life-cycle figure.
type Stages struct {
	Direct   footprint.Mass `json:"direct"`
	Upstream footprint.Mass `json:"upstream"`
	Combined footprint.Mass `json:"combined"`
}

// OutsideScopes is reported separately and is not in the total.
type OutsideScopes struct {
	BiogenicCO2Kg footprint.Mass `json:"biogenicCO2Kg"`
}

// MarketBased is the market-based figure of electricity, in addition to the location-based one, which is in the
// total. Energy is in kWh.
type MarketBased struct {
	KgCO2e         footprint.Mass `json:"kgCO2e"`
	CoveredKWh     footprint.Mass `json:"coveredKWh"`
	ResidualMixKWh footprint.Mass `json:"residualMixKWh"`
	GridAverageKWh footprint.Mass `json:"gridAverageKWh"`
	// ByScope compares both figures of the same electricity, purchased (scope 2) and hired (scope 3), within one
	// boundary; null by engine 1.2.0.
	ByScope *MarketByScope `json:"byScope,omitempty"`
	// UpstreamKg is the addition of grid losses and the supply of fuels to either figure.
	UpstreamKg *footprint.Mass `json:"upstreamKg,omitempty"`
	// Scope2 is the dual report of scope 2, heat and electric vehicles included.
	Scope2 *DualScope `json:"scope2,omitempty"`
}

// MarketByScope compares electricity by location and by contract.
type MarketByScope struct {
	Scope2 DualScope `json:"scope2"`
	Scope3 DualScope `json:"scope3"`
}

// DualScope is one amount by both methods of the Scope 2 Guidance.
type DualScope struct {
	LocationKg footprint.Mass `json:"locationBasedKg"`
	MarketKg   footprint.Mass `json:"marketBasedKg"`
}

// DataQuality are shares of the total that add up to 1 exactly; all are 0 when
// the total is.
type DataQuality struct {
	MeasuredShare     decimal.Decimal `json:"measuredShare"`
	CalculatedShare   decimal.Decimal `json:"calculatedShare"`
	EstimatedShare    decimal.Decimal `json:"estimatedShare"`
	AssumedShare      decimal.Decimal `json:"assumedShare"`
	ExtrapolatedShare decimal.Decimal `json:"extrapolatedShare"`
}

// Breakdown is the numeric part of a result, in kg CO2e with six decimals. In
// each list the parts add up to the total to the last digit; low and high do
// not add up.
type Breakdown struct {
	Total                     Interval           `json:"total"`
	PerAttendeeKg             *footprint.Mass    `json:"perAttendeeKg"`
	PerAttendeeDayKg          *footprint.Mass    `json:"perAttendeeDayKg"`
	ByType                    []TypePart         `json:"byType"`
	ByScope                   Scopes             `json:"byScope"`
	ByScopeIntervals          *ScopeIntervals    `json:"byScopeIntervals,omitempty"` // from engine 2.3.0 on
	ByGroup                   []GroupPart        `json:"byGroup"`
	ByScope3Category          []CategoryPart     `json:"byScope3Category"`
	ByStage                   Stages             `json:"byStage"`
	ByStageIntervals          *StageIntervals    `json:"byStageIntervals,omitempty"` // from engine 2.3.0 on
	ByGas                     footprint.Gases    `json:"byGas"`
	OutsideScopes             OutsideScopes      `json:"outsideScopes"`
	MarketBased               *MarketBased       `json:"marketBased"`
	ExcludingAttendeeTravelKg footprint.Mass     `json:"excludingAttendeeTravelKg"`
	ExtrapolatedKg            footprint.Mass     `json:"extrapolatedKg"`
	DataQuality               DataQuality        `json:"dataQuality"`
	Notices                   []footprint.Notice `json:"notices"`
}

// Breakdown returns the result of the event that the records belong to.
func (c Contribution) Breakdown(ev footprint.EventContext) Breakdown {
	year := 0
	if set, err := ev.Set(); err == nil {
		year = set.Year
	}
	return c.BreakdownOf(ev, year)
}

// BreakdownOf is Breakdown if the event's factor set is not available: year is that of the set.
func (c Contribution) BreakdownOf(ev footprint.EventContext, year int) Breakdown {
	b := Breakdown{
		Total: c.interval(), ByGas: c.gases, OutsideScopes: OutsideScopes{c.biogenic}, ExtrapolatedKg: c.extrapolated,
		ByType: []TypePart{}, ByGroup: []GroupPart{}, ByScope3Category: []CategoryPart{}, Notices: []footprint.Notice{},
	}
	for _, p := range partition(c.cells, func(n *cell) string { return n.Type }) {
		b.ByType = append(b.ByType, TypePart{p.key, c.count(func(n count) bool { return n.Type == p.key }), c.intervalOf(p.cells, func(n *count) bool { return n.Type == p.key })})
	}
	// Types have a fixed order, which is not alphabetical.
	slices.SortStableFunc(b.ByType, func(x, y TypePart) int { return cmp.Compare(footprint.OrderOf(x.Type), footprint.OrderOf(y.Type)) })
	for _, p := range partition(c.cells, func(n *cell) string { return n.Group }) {
		b.ByGroup = append(b.ByGroup, GroupPart{p.key, c.count(func(n count) bool { return n.Group == p.key }), c.intervalOf(p.cells, func(n *count) bool { return n.Group == p.key })})
	}
	for _, p := range partition(c.cells, func(n *cell) string { return n.Category }) {
		if p.key != "" {
			b.ByScope3Category = append(b.ByScope3Category, CategoryPart{p.key, sumOf(p.cells)})
		}
	}
	b.ExcludingAttendeeTravelKg = b.Total.KgCO2e
	var unspecified footprint.Mass
	for i := range c.cells {
		n := &c.cells[i]
		switch n.Scope {
		case 1:
			b.ByScope.Scope1 = b.ByScope.Scope1.Add(n.Mass)
		case 2:
			b.ByScope.Scope2 = b.ByScope.Scope2.Add(n.Mass)
		default:
			b.ByScope.Scope3 = b.ByScope.Scope3.Add(n.Mass)
		}
		switch n.Stage {
		case footprint.Direct:
			b.ByStage.Direct = b.ByStage.Direct.Add(n.Mass)
		case footprint.Upstream:
			b.ByStage.Upstream = b.ByStage.Upstream.Add(n.Mass)
		default:
			b.ByStage.Combined = b.ByStage.Combined.Add(n.Mass)
		}
		if n.Group == "attendees" && c.isJourney(n.Type) {
			b.ExcludingAttendeeTravelKg = b.ExcludingAttendeeTravelKg.Sub(n.Mass)
		}
		if n.Group == footprint.GroupUnspecified {
			unspecified = unspecified.Add(n.Mass)
		}
	}
	b.ByScopeIntervals, b.ByStageIntervals = c.partIntervals()
	b.MarketBased = c.marketBased(b.ByScope.Scope2)
	b.DataQuality = c.dataQuality(b.Total.KgCO2e)
	b.PerAttendeeKg, b.PerAttendeeDayKg = Intensities(b.Total.KgCO2e, ev)
	b.Notices = c.resultNotices(ev, year, unspecified)
	return b
}

// isJourney reports whether records of a type are journeys. Before engine 2.2.0 those
// of attendee travel were overlooked.
func (c Contribution) isJourney(typ string) bool {
	return typ == "flights" || typ == "ground-transport" || typ == footprint.AttendeeTravel && footprint.Since(c.engine, footprint.Engine4)
}

// Cell is the key of a table row of a sum: type, scope, category and factor, with the mass.
type Cell struct {
	Type, Category, Factor string
	Scope                  int
	Mass                   footprint.Mass
}

// Cells returns the parts of the sum; they add up to its total.
func (c Contribution) Cells() []Cell {
	out := make([]Cell, len(c.cells))
	for i := range c.cells {
		n := &c.cells[i]
		out[i] = Cell{Type: n.Type, Category: n.Category, Factor: n.Factor, Scope: n.Scope, Mass: n.Mass}
	}
	return out
}

// marketBased returns the figures by contract; nil where no record has electricity.
func (c Contribution) marketBased(scope2 footprint.Mass) *MarketBased {
	m := c.market
	if m.IsZero() {
		return nil
	}
	out := &MarketBased{KgCO2e: m.Mass, CoveredKWh: m.Covered, ResidualMixKWh: m.Residual, GridAverageKWh: m.GridMean}
	if c.second() {
		out.ByScope = &MarketByScope{DualScope{m.Own.Location, m.Own.Market}, DualScope{m.Hired.Location, m.Hired.Market}}
		out.UpstreamKg = &m.Upstream
		out.Scope2 = &DualScope{scope2, scope2.Sub(m.Own.Location).Add(m.Own.Market)}
	}
	return out
}

// Intensities returns a total per attendee in person, and per attendee and day. They
// are nil where the event states no attendees or no dates.
func Intensities(sum footprint.Mass, ev footprint.EventContext) (perAttendee, perDay *footprint.Mass) {
	if ev.Attendees <= 0 {
		return nil, nil
	}
	per := sum.Share(1, ev.Attendees)
	if days := ev.Days(); days > 0 {
		daily := sum.Share(1, ev.Attendees*days)
		return &per, &daily
	}
	return &per, nil
}

func (c Contribution) count(of func(count) bool) int64 {
	var n int64
	for _, v := range c.counts {
		if of(v) {
			n += v.Records
		}
	}
	return n
}

type part struct {
	key   string
	cells []cell
}

// partition groups cells by a key, ordered by it.
func partition(cells []cell, key func(*cell) string) []part {
	var out []part
	for i := range cells {
		k := key(&cells[i])
		at, found := slices.BinarySearchFunc(out, k, func(p part, k string) int { return strings.Compare(p.key, k) })
		if !found {
			out = slices.Insert(out, at, part{key: k})
		}
		out[at].cells = append(out[at].cells, cells[i])
	}
	return out
}

func sumOf(cells []cell) footprint.Mass {
	var m footprint.Mass
	for i := range cells {
		m = m.Add(cells[i].Mass)
	}
	return m
}

// interval adds up cells. The half-widths of cells that share a factor are added linearly, since its error is the
// same in all of them; the sums of different factors are independent and combined in quadrature.
func interval(cells []cell) Interval {
	i := Interval{KgCO2e: sumOf(cells)}
	switch len(cells) {
	case 0:
		return i
	case 1:
		return Interval{i.KgCO2e, i.KgCO2e.Sub(cells[0].Down), i.KgCO2e.Add(cells[0].Up)}
	}
	type ends struct{ down, up footprint.Mass }
	byFactor := make(map[string]ends, len(cells))
	for k := range cells {
		e := byFactor[cells[k].Factor]
		byFactor[cells[k].Factor] = ends{e.down.Add(cells[k].Down), e.up.Add(cells[k].Up)}
	}
	down, up, square := new(big.Int), new(big.Int), new(big.Int)
	for _, e := range byFactor { // whole numbers: the order does not matter
		n := e.down.Big()
		down.Add(down, square.Mul(n, n))
		n = e.up.Big()
		up.Add(up, square.Mul(n, n))
	}
	i.Low = i.KgCO2e.Sub(footprint.BigMass(down.Sqrt(down)))
	i.High = i.KgCO2e.Add(footprint.BigMass(up.Sqrt(up)))
	return i
}

// dataQuality returns shares in millionths. The rounding residue goes to the
// largest share, so that they add up to 1.
func (c Contribution) dataQuality(whole footprint.Mass) DataQuality {
	parts := [...]footprint.Mass{c.quality[footprint.Measured], c.quality[footprint.Calculated], c.quality[footprint.Estimated], c.quality[footprint.Assumed], c.extrapolated}
	var shares [len(parts)]int64
	if whole.Sign() > 0 {
		rest, largest := int64(1_000_000), 0
		for i, m := range parts {
			n := new(big.Int).Mul(m.Big(), big.NewInt(1_000_000))
			shares[i] = fixed.Quo(n, whole.Big()).Int64()
			rest -= shares[i]
			if shares[i] > shares[largest] {
				largest = i
			}
		}
		shares[largest] += rest
	}
	d := func(i int) decimal.Decimal { return decimal.New(shares[i], 6) }
	return DataQuality{d(0), d(1), d(2), d(3), d(4)}
}

// resultNotices returns the notices of the result: those of records with a meaning for the event, and those of the
// event.
func (c Contribution) resultNotices(ev footprint.EventContext, setYear int, unspecified footprint.Mass) []footprint.Notice {
	out := []footprint.Notice{}
	if year := footprint.YearOf(ev.StartDate); year != 0 && year < setYear {
		out = append(out, footprint.Notice{Code: footprint.NoticeSetNewer, Message: footprint.SetYears(year, setYear)})
	}
	if !unspecified.IsZero() {
		out = append(out, footprint.Notice{Code: footprint.NoticeGroup, Field: "group",
			Message: fmt.Sprintf("%s kg are of records that name no group of people.", unspecified.Kilograms())})
	}
	if !c.unbased.IsZero() {
		out = append(out, footprint.Notice{Code: footprint.NoticeNotRebased,
			Message: fmt.Sprintf("%s kg have no published gas split and stay on the published basis.", c.unbased.Kilograms())})
	}
	for _, n := range c.notices {
		about := fmt.Sprintf("%d records of %s kg together", n.Records, n.Mass.Kilograms())
		if n.Records == 1 {
			about = fmt.Sprintf("1 record of %s kg", n.Mass.Kilograms())
		}
		out = append(out, footprint.Notice{Code: n.Code, Message: footprint.NoticeMeaning(n.Code) + " It is about " + about + "."})
	}
	return out
}
