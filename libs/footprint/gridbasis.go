package footprint

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
)

// From engine 2.1.0 on, the electricity of every country has the same basis, generation and upstream: if the national
// publisher has only generation, the upstream part is the excess of the life-cycle figure of the same country and
// year. If that is lower, the two publishers contradict each other, and only the life-cycle figure counts.

// hasWhole reports whether a national row of generation has an upstream part, published or derived. Before engine
// 2.1.0 none was required.
func (c *calculation) hasWhole(f *factors.Factor) bool {
	return !c.third() || c.engine.set.Complete(f, hasUpstream) != nil || factors.UpstreamOf(f.ID) != nil
}

// derivedUpstream returns the upstream part of a row of generation whose publisher has none: its own or, for a state
// or province, that of the country.
func (c *calculation) derivedUpstream(s supply, row *factors.Factor) *factors.Factor {
	if !c.third() || c.engine.set.Complete(row, hasUpstream) != nil {
		return nil
	}
	if f := factors.UpstreamOf(row.ID); f != nil {
		return f
	}
	if source := subdivisionSource(s.country); source != "" {
		if national := c.engine.set.Ref("elec." + strings.ToLower(s.country) + "." + source); national != nil {
			return factors.UpstreamOf(national.ID)
		}
	}
	return nil
}

// corrected returns the replacement of a row that was found wrong or was revised by its publisher, from engine 2.1.0
// on.
func (c *calculation) corrected(f *factors.Factor) *factors.Factor {
	if f == nil || !c.third() {
		return f
	}
	better := factors.CorrectionOf(f.ID)
	if better == nil {
		return f
	}
	c.note(NoticeCorrected, "", "%s of the factor set, %s kg per kWh, counts as %s.", f.ID, f.KgCO2e, better.ID)
	return better
}
