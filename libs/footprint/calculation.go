package footprint

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// calculation is the state of evaluating one record. The files of the types
// call add for each line, after all calls of defaultTo, because a defaulted
// field lowers the quality of every line.
type calculation struct {
	engine *engine
	ev     EventContext
	in     *common
	typ    string
	// quiet omits texts, which a sum does not need.
	quiet bool

	group string
	// place is the country to which a factor is applied, for the uncertainty of its fit.
	place    string
	year     int // of the activity; 0: unknown
	variance *big.Int
	// least is the best quality that any line can have.
	least Quality
	// assumed is the sum of the squared logarithms of the 95 % factors of the
	// assumptions; nil for none.
	assumed     *big.Int
	assumptions []assumption
	notices     []Notice
	faults      []apperr.Detail
	out         Evaluation

	writtenOf quantity // of the last line
	written   string   // writtenOf in digits

	// lost means that a line of a positive amount and factor was rounded to 0.
	lost bool
}

// entry is a type's description of a line.
type entry struct {
	factor   *factors.Factor // nil for a figure supplied with the record
	upstream bool            // use the well-to-tank column
	value    decimal.Decimal // the figure when it is not the column as published
	override bool
	supplier *SupplierFactor // supplier of the row's factor, or nil
	quantity quantity
	unit     string
	stage    string
	scope    int
	category string
	// geography and technology are pedigree scores.
	geography, technology uint8
	// atBest is the best quality that the line can have.
	atBest Quality
	// older is the year of an activity default behind the quantity; -1: undated.
	older int
	// withoutRF is the row of the same flight without radiative forcing.
	withoutRF *factors.Factor
	// otherEdition marks a factor of another edition than the set's.
	otherEdition bool
	// variance is that of this line in addition to the record's; nil: none.
	variance *big.Int
	// zero marks a line that is 0 by definition and needs no factor.
	zero bool
}

// Evaluate calculates a record. fields are those of Decoded and are trusted. The error is a VALIDATION_ERROR with
// details FACTOR_UNAVAILABLE if the factor set has no factor for the record; any other error means that the fields or
// the factor set are corrupt.
func Evaluate(typ string, fields json.RawMessage, ev EventContext) (Evaluation, error) {
	t, ok := find(typ)
	if !ok {
		return Evaluation{}, fmt.Errorf("footprint: the type %q is not known", typ)
	}
	e, err := engineFor(ev)
	if err != nil {
		return Evaluation{}, err
	}
	in, err := t.read(fields)
	if err != nil {
		return Evaluation{}, err
	}
	return t.evaluate(in, e, ev)
}

// begin starts a record and resets the state of an earlier one.
func (c *calculation) begin(typ string, in *common) {
	if c.in == nil {
		// Most records make two lines, a direct and an upstream one.
		c.out.Lines = make([]Line, 0, 2)
	} else {
		lines, notices, defaulted := c.out.Lines[:0], c.notices[:0], c.out.Defaulted[:0]
		*c = calculation{engine: c.engine, ev: c.ev, quiet: c.quiet}
		c.out.Lines, c.notices, c.out.Defaulted = lines, notices, defaulted
	}
	c.in, c.typ, c.group = in, typ, in.Group
	if c.group == "" {
		c.group = GroupUnspecified
	}
	if len(in.Stated) > 0 {
		c.least = Calculated
	}
	start := YearOf(c.ev.StartDate)
	c.year = YearOf(in.Date)
	switch {
	case c.year == 0:
		c.year = start
	case start != 0 && c.year != start:
		c.note(NoticeDateOtherYear, "date", "The date is in %d, the event starts in %d; the factors stay those of the event.", c.year, start)
	case start == 0 && c.year != c.engine.set.Year:
		c.note(NoticeDateOtherYear, "date", "The date is in %d, the factors are those of %d.", c.year, c.engine.set.Year)
	}
	if in.surveyed() && c.second() {
		c.sampled(in)
	} else if in.surveyed() {
		if in.SampleCV != nil {
			c.variance = sampling(*in.SampleCV, in.Respondents, in.Population)
		} else {
			c.note(NoticeSampling, "sampleCV", "%d of %d answered; without sampleCV the interval is that of the share answered.", in.Respondents, in.Population)
		}
	}
}

// YearOf returns the year of a date (YYYY-MM-DD); 0 for none.
func YearOf(date string) int {
	if len(date) < 4 {
		return 0
	}
	y, err := strconv.Atoi(date[:4])
	if err != nil {
		return 0
	}
	return y
}

// note adds a notice once.
func (c *calculation) note(code, field, format string, args ...any) {
	for i := range c.notices {
		if c.notices[i].Code == code && c.notices[i].Field == field {
			return
		}
	}
	message := format
	if len(args) > 0 && !c.quiet {
		message = fmt.Sprintf(format, args...)
	}
	c.notices = append(c.notices, Notice{Code: code, Field: field, Message: message})
}

// defaultTo records that a field was absent and its default affects the figure.
func (c *calculation) defaultTo(field string) { c.out.Defaulted = append(c.out.Defaulted, field) }

func (c *calculation) unavailable(d apperr.Detail) {
	d.Code = FactorUnavailable
	c.faults = append(c.faults, d)
}

// scaledUp applies the survey of the record to a stated quantity.
func (c *calculation) scaledUp(q quantity) quantity {
	if !c.in.surveyed() {
		return q
	}
	return q.times(c.in.Population, c.in.Respondents)
}

// add calculates a line.
func (c *calculation) add(e entry) {
	q := c.scaledUp(e.quantity)
	l := Line{Unit: e.unit, Stage: e.stage, Scope: e.scope, Category: c.goodsCategory(e.category), Group: c.group}
	if !c.quiet {
		// The lines of a record mostly have one quantity.
		if c.written == "" || q != c.writtenOf {
			c.writtenOf, c.written = q, q.String()
		}
		l.Quantity = c.written
	}
	f := e.factor
	switch {
	case e.zero:
		l.FactorID = ZeroFactor
	case f == nil:
		l.FactorID, l.KgPerUnit = SuppliedFactor, e.value
	case e.upstream:
		l.FactorID, l.KgPerUnit = f.ID, f.WTT.Decimal
	case e.override:
		l.FactorID, l.KgPerUnit = f.ID, e.value
	default:
		l.FactorID, l.KgPerUnit = f.ID, f.KgCO2e
	}
	l.Mass = q.mass(l.KgPerUnit)
	c.lost = c.lost || l.Mass.IsZero() && l.KgPerUnit.Sign() > 0 && q.sign() > 0
	c.gases(&l, e, q)

	l.Quality = max(qualityOf(c.in.DataQuality), e.atBest, c.least)
	if len(c.out.Defaulted) > 0 {
		l.Quality = max(l.Quality, Calculated)
	}
	s := c.score(e, l.Quality)
	l.Scores = [5]int{int(s.reliability), int(s.completeness), int(s.time), int(s.geography), int(s.technology)}
	e.variance = sum(c.assumed, e.variance)
	l.quality, l.variance = s, sum(c.variance, e.variance)
	if c.second() {
		c.doubt(&l, e, s)
	} else {
		l.GSD2 = c.engine.pedigree.gsd2(s, l.variance)
		down, up := half(l.Mass, l.GSD2)
		l.Low, l.High = l.Mass.Sub(down), l.Mass.Add(up)
	}
	if c.in.surveyed() {
		l.Extrapolated = l.Mass.Share(c.in.Population-c.in.Respondents, c.in.Population)
	}
	if e.fallback() {
		c.otherEdition(f)
	}
	if !e.upstream && !e.override {
		c.biomass(f)
	}
	c.out.Lines = append(c.out.Lines, l)
}

// sum returns a + b, where nil is 0.
func sum(a, b *big.Int) *big.Int {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(big.Int).Add(a, b)
}

// otherEdition notes that a figure is not of the set's own edition.
func (c *calculation) otherEdition(f *factors.Factor) {
	if c.quiet { // formatting the texts costs as much as the line
		c.note(NoticeFactorYear, "", "")
		return
	}
	c.note(NoticeFactorYear, "", "The factor %s is of the %d edition; %s has none.", f.ID, f.Year, c.engine.set.ID)
}

// fallback reports whether the factor is of another edition than the set.
func (e *entry) fallback() bool { return e.otherEdition || e.factor != nil && e.factor.Fallback }

// gases splits a line by gas, and converts it to AR6 potentials if the event requires them.
func (c *calculation) gases(l *Line, e entry, q quantity) {
	f := e.factor
	if f == nil || e.upstream || e.override || !f.GasSplit() {
		l.Gases.Unsplit = l.Mass
		if f != nil && e.withoutRF != nil {
			// Radiative forcing is the whole difference between the two rows.
			l.Gases.Unsplit = q.mass(e.withoutRF.KgCO2e)
			l.Gases.AviationNonCO2 = l.Mass.Sub(l.Gases.Unsplit)
		}
		if c.ev.GWP == "AR6" && (f == nil || !byAR6(f)) {
			c.out.NotRebased = c.out.NotRebased.Add(l.Mass)
		}
		return
	}
	g := &l.Gases
	g.CH4, g.N2O = q.mass(f.CH4.Decimal), q.mass(f.N2O.Decimal)
	co2 := q.mass(f.CO2.Decimal)
	g.CO2 = co2
	if e.withoutRF != nil && e.withoutRF.GasSplit() {
		g.CO2 = q.mass(e.withoutRF.CO2.Decimal)
		g.AviationNonCO2 = co2.Sub(g.CO2)
	}
	g.Unsplit = l.Mass.Sub(co2).Sub(g.CH4).Sub(g.N2O)
	if c.ev.GWP == "AR6" {
		ch4, n2o := c.engine.rebased(q, f)
		g.CH4, g.N2O = g.CH4.Add(ch4), g.N2O.Add(n2o)
		l.Mass = l.Mass.Add(ch4).Add(n2o)
	}
}

// score returns the pedigree scores of a line.
func (c *calculation) score(e entry, q Quality) scores {
	s := scores{completeness: 1, geography: max(e.geography, 1), technology: max(e.technology, 1)}
	switch q {
	case Measured:
		s.reliability = 2
		if len(c.in.Evidence) > 0 {
			s.reliability = 1
		}
	case Calculated:
		s.reliability = 3
	case Estimated:
		s.reliability = 4
	default:
		s.reliability = 5
	}
	if c.in.surveyed() && c.in.SampleCV == nil && !c.second() {
		switch share := c.in.Respondents * 100; {
		case share >= 80*c.in.Population:
		case share >= 60*c.in.Population:
			s.completeness = 2
		case share >= 40*c.in.Population:
			s.completeness = 3
		default:
			s.completeness = 4
		}
	}
	if e.factor != nil {
		s.time = age(c.year, e.factor.Year)
	} else {
		s.time = 1
	}
	if e.older != 0 {
		s.time = max(s.time, age(c.year, e.older))
	}
	if e.fallback() {
		s.time = max(s.time, 2) // another edition is never as good as the set's own
	}
	return s
}

// age scores the years between an activity and a figure; 0 and -1 are unknown.
func age(activity, figure int) uint8 {
	if activity <= 0 || figure <= 0 {
		return 5
	}
	years := activity - figure
	if years < 0 {
		years = -years
	}
	switch {
	case years < 3:
		return 1
	case years < 6:
		return 2
	case years < 10:
		return 3
	case years < 15:
		return 4
	}
	return 5
}

// fault is nil, or a VALIDATION_ERROR with the values that have no factor.
func (c *calculation) fault() error {
	if len(c.faults) == 0 {
		return nil
	}
	return apperr.Invalid(c.faults...)
}

// finish completes c.out, or returns the fault.
func (c *calculation) finish() error {
	if err := c.fault(); err != nil {
		return err
	}
	if !c.out.NotRebased.IsZero() && !c.quiet {
		c.note(NoticeNotRebased, "", "%s kg have no published gas split and stay on the published basis.", c.out.NotRebased.Kilograms())
	}
	if c.lost && Since(c.ev.EngineVersion(), Engine5) && !slices.ContainsFunc(c.out.Lines, func(l Line) bool { return !l.Mass.IsZero() }) {
		c.note(NoticeRoundedToZero, "", "The amount is so small that it counts as 0 kg, because figures have whole milligrams.")
	}
	c.narrow()
	c.out.Notices = c.notices
	c.out.Type, c.out.Group, c.out.Engine = c.typ, c.group, c.ev.EngineVersion()
	return nil
}
