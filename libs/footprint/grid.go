package footprint

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/spelling"
)

// subdivisionSource names the publisher of state and province factors.
func subdivisionSource(country string) string {
	switch country {
	case "US":
		return "egrid"
	case "AU":
		return "nga"
	case "CA":
		return "eccc"
	}
	return ""
}

// subdivision reads an ISO 3166-2 code, with or without its country, and returns
// it with the country: "US-CA". Where factors are by state or province, it
// must be one of theirs.
func (d *decoder) subdivision(country string) string {
	text, ok := d.String("subdivision", 1, 20)
	d.Document("subdivision", func(p *fields.Property) {
		p.Pattern, p.Loose, p.MinLength, p.MaxLength = "^([A-Za-z]{2}-)?[A-Za-z0-9]{1,3}$", true, 0, 0
	})
	if !ok {
		return ""
	}
	code := strings.ToUpper(strings.TrimSpace(text))
	if before, after, ok := strings.Cut(code, "-"); ok {
		if country != "" && before != country {
			d.Fault(apperr.Detail{Field: "subdivision", Code: fields.NotAllowed,
				Message: fmt.Sprintf("subdivision must be a state, province or territory of %s; got %q.", country, shorten(text))})
			return ""
		}
		code = after
	}
	if code == "" || len(code) > 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		d.Fault(apperr.Detail{Field: "subdivision", Code: fields.BadFormat,
			Message: fmt.Sprintf("subdivision must be an ISO 3166-2 code such as US-CA; got %q.", shorten(text))})
		return ""
	}
	code = country + "-" + code
	if subdivisionSource(country) == "" || subdivisionFactor(d.engine.set, country, code) != nil {
		return code
	}
	d.Fault(apperr.Detail{Field: "subdivision", Code: fields.UnknownCode, Suggestions: spelling.Nearest(code, subdivisions(d.engine.set, country), 3),
		Message: fmt.Sprintf("subdivision must be a state, province or territory of %s; got %q.", country, shorten(text))})
	return ""
}

func subdivisions(set *factors.Set, country string) []string {
	var out []string
	for _, f := range set.Factors() {
		if f.Category == "venue" && strings.HasPrefix(f.Region, country+"-") && strings.HasPrefix(f.ID, "elec.") {
			out = append(out, set.Ref(f.Series).Region)
		}
	}
	slices.Sort(out)
	return out
}

func subdivisionFactor(set *factors.Set, country, code string) *factors.Factor {
	source := subdivisionSource(country)
	if source == "" || code == "" {
		return nil
	}
	if code == "AU-ACT" {
		code = "AU-NSW" // one grid, according to the publisher
	}
	return set.Ref("elec." + strings.ToLower(strings.ReplaceAll(code, "-", "_")) + "." + source)
}

// emberRegion is the Ember row of a country's UN M49 region.
func emberRegion(country string) string {
	c, _ := locations.CountryByCode(country)
	switch c.Region {
	case "Africa":
		return "africa"
	case "Americas":
		if c.SubRegion == "Northern America" {
			return "north_america"
		}
		return "latam"
	case "Asia":
		return "asia"
	case "Europe":
		return "europe"
	case "Oceania":
		return "oceania"
	}
	return "world"
}

// gridFactor finds the location-based factor of a place, its geography score,
// and whether it is a life-cycle figure.
func (c *calculation) gridFactor(s supply) (f *factors.Factor, geography uint8, lifeCycle bool) {
	set, cc := c.engine.set, strings.ToLower(s.country)
	if f = subdivisionFactor(set, s.country, s.subdivision); f != nil {
		return f, 1, false
	}
	geography = 1
	if subdivisionSource(s.country) != "" {
		geography = 2
		c.note(NoticeFactorRegion, "subdivision", "Factors of %s are by state or province; without subdivision the national one was used.", s.country)
	}
	// The national publishers, then Ember, then Ember's region.
	for _, series := range [...]string{"location", "egrid", "nga", "eea", "mfe"} {
		if f = set.Ref("elec." + cc + "." + series); f != nil && c.hasWhole(f) {
			return f, geography, false
		}
	}
	if f = set.Ref("elec." + cc + ".ember"); f != nil {
		return f, geography, true
	}
	region := emberRegion(s.country)
	geography = 2
	if region == "world" {
		geography = 3
	}
	if f = set.Ref("elec." + region + ".ember"); f != nil {
		c.note(NoticeFactorRegion, "country", "No grid factor is held for %s; that of the region %s was used.", s.country, f.Region)
		return f, geography, true
	}
	return nil, 0, false
}

// electricity adds the location-based lines of electricity and the market-based figure.
func (c *calculation) electricity(s supply, q carrier) {
	row, geography, lifeCycle := c.gridFactor(s)
	f := c.corrected(row)
	if f == nil {
		c.unavailable(apperr.Detail{Field: "country", Message: "The factor set has no grid factor for " + s.country + "."})
		return
	}
	scope, category, upstream := s.scopes(2)
	e := entry{factor: f, quantity: q.quantity, unit: "kWh", stage: Direct, scope: scope, category: category,
		geography: geography, technology: q.technology, atBest: q.atBest, older: q.older}
	first := len(c.out.Lines)
	if lifeCycle {
		e.stage = Combined
		if scope == 2 {
			c.note(NoticeScope2Upstream, "", "The grid factor of %s is a life-cycle figure; all of it stands in scope 2.", s.country)
		}
		c.add(e)
	} else {
		c.add(e)
		if derived := c.derivedUpstream(s, row); derived != nil {
			c.note(NoticeUpstreamDerived, "", "The upstream part, %s, is the life-cycle figure of the country less its generation.", derived.ID)
			// The difference of two publishers.
			c.add(entry{factor: derived, quantity: q.quantity, unit: "kWh", stage: Upstream, scope: 3, category: upstream,
				geography: geography, technology: max(q.technology, 3), atBest: q.atBest, older: q.older})
		} else {
			c.upstream(e, upstream)
		}
		c.loss(s, "elec."+strings.ToLower(s.country)+".td_loss", q, geography)
	}
	if len(c.out.Lines) == first {
		return
	}
	c.marketBased(s, q, f, lifeCycle)
	if c.second() {
		c.compare(scope, c.out.Lines[first:])
	}
}

// compare records the market-based figure next to the location-based one, whose lines are generation and upstream.
func (c *calculation) compare(scope int, lines []Line) {
	m := c.out.Market
	both := Compared{Location: lines[0].Mass, Market: m.Mass}
	if scope == 2 {
		m.Own = both
	} else {
		m.Hired = both
	}
	for i := range lines[1:] {
		m.Upstream = m.Upstream.Add(lines[1+i].Mass)
	}
}

// marketBased calculates the market-based figure: covered supply with evidence counts 0; the rest has the residual
// mix, or the grid average if there is none.
//
// From engine 2.0.0 on, the grid average is the share of the location-based line, so that the two compare, and a
// residual mix is not used with a life-cycle factor, because it covers generation only.
func (c *calculation) marketBased(s supply, q carrier, grid *factors.Factor, lifeCycle bool) {
	all := c.scaledUp(q.quantity)
	open := all
	var covered quantity
	if p := s.renewable; p != nil && !p.IsZero() {
		if len(c.in.Evidence) == 0 {
			c.note(NoticeRenewableEvidence, "evidence", "renewablePercent has no evidence, so the supply counts as not covered.")
		} else {
			covered = all.by(*p).times(1, 100)
			open = quantity{ratio: new(big.Rat).Sub(all.rat(), covered.rat())}
		}
	}
	kilowattHours := func(q quantity) Mass { return q.mass(decimal.FromInt(1)) }
	m := Market{Covered: kilowattHours(covered)}
	rest := kilowattHours(all).Sub(m.Covered)
	if f := s.contract; f != nil {
		// A supplier's own rate is a contract for all that no certificate covers.
		m.Mass, m.Covered = open.mass(f.KgCO2ePerUnit), kilowattHours(all)
		c.noteSupplier(f, "What no certificate covers counts in the market-based figure")
		if f.Stage == Combined && !lifeCycle {
			c.note(NoticeScope2Upstream, "supplierFactor", "%s covers the life cycle; the location-based figure beside it is of the generation alone.", f.Reference())
		}
		c.out.Market = &m
		return
	}
	residual := c.engine.set.Ref("elec." + strings.ToLower(s.country) + ".residual")
	switch {
	case residual != nil && !(c.second() && lifeCycle):
		m.Mass, m.Residual = open.mass(residual.KgCO2e), rest
		if c.second() && rest.Sign() > 0 {
			c.note(NoticeResidualMix, "", "What no contract covers counts with %s in the market-based figure.", residual.ID)
		}
	case c.second():
		m.Mass, m.GridMean = notCovered(c.out.Lines, grid, open.rat(), all.rat()), rest
		c.note(NoticeNoResidualMix, "", "No residual mix of the same boundary is held for %s; what no contract covers counts with %s in the market-based figure.", s.country, grid.ID)
	default:
		m.Mass, m.GridMean = open.mass(grid.KgCO2e), rest
		c.note(NoticeNoResidualMix, "", "No residual mix is held for %s; the market-based figure uses the grid average.", s.country)
	}
	c.out.Market = &m
}

// notCovered returns the part of the location-based line that no contract covers,
// in whole milligrams.
func notCovered(lines []Line, grid *factors.Factor, open, all *big.Rat) Mass {
	at := slices.IndexFunc(lines, func(l Line) bool { return l.FactorID == grid.ID && l.Stage != Upstream })
	if at < 0 || all.Sign() == 0 {
		return Mass{}
	}
	const microgramsOfMilligram = 1000
	share := new(big.Rat).Quo(open, all)
	n := new(big.Int).Mul(lines[at].Mass.Big(), share.Num())
	n = fixed.Quo(n, new(big.Int).Mul(share.Denom(), big.NewInt(microgramsOfMilligram)))
	return BigMass(n.Mul(n, big.NewInt(microgramsOfMilligram)))
}
