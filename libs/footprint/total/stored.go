package total

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/plainjson"
)

// contributionJSON is the stored form: sums as decimal strings of micrograms, sorted lists, empty parts omitted, so
// that equal contributions have equal bytes. An entry of a list is one string of parts separated by |, which no type,
// group, category or factor id contains; that costs a fifth of parsing nested lists.
type contributionJSON struct {
	Engine  string   `json:"engine"`
	Records int64    `json:"records"`
	Total   string   `json:"total"`
	Counts  []string `json:"counts,omitempty"` // type|group|records, and from engine 2.0.0 on |own variance|own third moment,
	// and from engine 2.3.0 on |wide records
	// scope or stage|moments as in counts, from engine 2.3.0 on
	Parts []string `json:"parts,omitempty"`
	// type|group|factor|stage|scope|category|mass and |down|up, or from engine
	// 2.0.0 on |use|basic|fit.
	Cells        []string `json:"cells,omitempty"`
	Gases        string   `json:"gases,omitempty"` // co2|ch4|n2o|aviationNonCO2|unsplit
	Quality      string   `json:"quality,omitempty"`
	Extrapolated string   `json:"extrapolated,omitempty"`
	Unbased      string   `json:"unbased,omitempty"`
	Biogenic     string   `json:"biogenic,omitempty"`
	// mass|covered|residual|grid average, and from engine 2.0.0 on |own by
	// location|own by contract|hired by location|hired by contract|upstream
	Market  string   `json:"market,omitempty"`
	Notices []string `json:"notices,omitempty"` // code|records|mass
}

var errContribution = errors.New("total: this is no contribution")

// appendMasses appends a member of masses, or nothing when all are 0.
func appendMasses(b []byte, name string, list ...footprint.Mass) []byte {
	zero := true
	for _, m := range list {
		zero = zero && m.IsZero()
	}
	if zero {
		return b
	}
	b = append(plainjson.AppendName(b, name), '"')
	for i, m := range list {
		if i > 0 {
			b = append(b, '|')
		}
		b = m.Append(b)
	}
	return append(b, '"')
}

// MarshalJSON writes the stored form, as encoding/json writes a contributionJSON.
func (c Contribution) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 512+160*len(c.cells))
	b = plainjson.AppendMember(append(b, '{'), "engine", c.Engine())
	b = plainjson.AppendNumber(b, "records", c.records)
	b = append(c.Total().Append(append(plainjson.AppendName(b, "total"), '"')), '"')
	entry := make([]byte, 0, 256)
	b = appendEntries(b, "counts", c.counts, func(n *count) []byte {
		entry = append(append(append(append(entry[:0], n.Type...), '|'), n.Group...), '|')
		entry = strconv.AppendInt(entry, n.Records, 10)
		if c.second() {
			entry = n.Own.appendText(append(entry, '|'), c.Engine())
		}
		return entry
	})
	b = appendEntries(b, "parts", c.parts, func(n *partOwn) []byte {
		entry = n.Own.appendText(append(append(entry[:0], n.Part...), '|'), c.Engine())
		return entry
	})
	b = appendEntries(b, "cells", c.cells, func(n *cell) []byte {
		entry = entry[:0]
		for _, text := range [...]string{n.Type, n.Group, n.Factor, n.Stage} {
			entry = append(append(entry, text...), '|')
		}
		entry = append(strconv.AppendInt(entry, int64(n.Scope), 10), '|')
		entry = append(append(entry, n.Category...), '|')
		entry = c.appendEnds(append(n.Mass.Append(entry), '|'), n)
		return entry
	})
	b = appendMasses(b, "gases", c.gases.CO2, c.gases.CH4, c.gases.N2O, c.gases.AviationNonCO2, c.gases.Unsplit)
	b = appendMasses(b, "quality", c.quality[:]...)
	b = appendMasses(b, "extrapolated", c.extrapolated)
	b = appendMasses(b, "unbased", c.unbased)
	b = appendMasses(b, "biogenic", c.biogenic)
	if m := c.market; c.second() {
		b = appendMasses(b, "market", m.Mass, m.Covered, m.Residual, m.GridMean, m.Own.Location, m.Own.Market, m.Hired.Location, m.Hired.Market, m.Upstream)
	} else {
		b = appendMasses(b, "market", m.Mass, m.Covered, m.Residual, m.GridMean)
	}
	b = appendEntries(b, "notices", c.notices, func(n *noticeSum) []byte {
		entry = append(append(entry[:0], n.Code...), '|')
		entry = n.Mass.Append(append(strconv.AppendInt(entry, n.Records, 10), '|'))
		return entry
	})
	return append(b, '}'), nil
}

// appendEntries appends a member with the text of each entry, if there are any.
func appendEntries[T any](b []byte, name string, list []T, text func(*T) []byte) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(plainjson.AppendName(b, name), '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = plainjson.AppendString(b, text(&list[i]))
	}
	return append(b, ']')
}

// Engine returns the engine of the records; by default the first one.
func (c *Contribution) Engine() string {
	if c.engine == "" {
		return footprint.EngineVersion
	}
	return c.engine
}

// second reports whether the records are of engine 2.0.0 or later.
func (c *Contribution) second() bool { return c.Engine() != footprint.Engine1 }

// appendEnds appends the inputs of the intervals.
func (c *Contribution) appendEnds(b []byte, n *cell) []byte {
	if !c.second() {
		return n.Up.Append(append(n.Down.Append(b), '|'))
	}
	b = strconv.AppendInt(append(append(b, n.Use...), '|'), n.Basic, 10)
	return strconv.AppendInt(append(b, '|'), n.Fit, 10)
}

// OfThisEngine reports whether a stored contribution was written by an available engine. One of an older engine can
// be read, but may have other figures: a sum with it is not a sum of an available engine.
func OfThisEngine(stored []byte) bool {
	for _, mark := range engineMarks {
		if bytes.HasPrefix(stored, mark) {
			return true
		}
	}
	return false
}

// engineMarks are the prefixes of the canonical stored form.
var engineMarks = func() (out [][]byte) {
	for _, e := range footprint.Engines() {
		out = append(out, []byte(`{"engine":"`+e+`",`))
	}
	return out
}()

// UnmarshalJSON reads the stored form, of whichever engine. Its total must be that of its cells.
func (c *Contribution) UnmarshalJSON(data []byte) error {
	j, err := decode(data)
	if err != nil {
		return fmt.Errorf("%w: %w", errContribution, err)
	}
	var r Contribution
	p := entries{}
	r.records = j.Records
	if footprint.KnownEngine(j.Engine) && j.Engine != footprint.EngineVersion {
		r.engine = j.Engine
	}
	p.masses(j.Gases, &r.gases.CO2, &r.gases.CH4, &r.gases.N2O, &r.gases.AviationNonCO2, &r.gases.Unsplit)
	p.masses(j.Quality, &r.quality[footprint.Measured], &r.quality[footprint.Calculated], &r.quality[footprint.Estimated], &r.quality[footprint.Assumed])
	p.masses(j.Extrapolated, &r.extrapolated)
	p.masses(j.Unbased, &r.unbased)
	p.masses(j.Biogenic, &r.biogenic)
	market := []*footprint.Mass{&r.market.Mass, &r.market.Covered, &r.market.Residual, &r.market.GridMean}
	if m := &r.market; strings.Count(j.Market, "|") > len(market)-1 {
		market = append(market, &m.Own.Location, &m.Own.Market, &m.Hired.Location, &m.Hired.Market, &m.Upstream)
	}
	p.masses(j.Market, market...)
	for _, entry := range j.Counts {
		p.start(entry)
		n := count{Type: p.text(), Group: p.text(), Records: p.number()}
		if r.second() {
			n.Own = p.own(r.Engine())
		}
		r.counts = append(r.counts, n)
		p.end()
	}
	for _, entry := range j.Parts {
		p.start(entry)
		n := partOwn{p.text(), p.own(r.Engine())}
		r.parts = append(r.parts, n)
		p.end()
		p.bad = p.bad || !slices.Contains(partsOf, n.Part) || !footprint.Since(r.Engine(), footprint.Engine5)
	}
	if len(j.Cells) > 0 {
		r.cells = make([]cell, 0, len(j.Cells))
	}
	for _, entry := range j.Cells {
		p.start(entry)
		key := cellKey{Type: p.text(), Group: p.text(), Factor: p.text(), Stage: p.text(), Scope: int(p.number()), Category: p.text()}
		n := cell{cellKey: key, Mass: p.mass()}
		if r.second() {
			n.Use, n.Basic, n.Fit = p.text(), p.number(), p.number()
			p.bad = p.bad || n.Basic < 0 || n.Fit < 0 || n.Basic > maxVariance || n.Fit > maxVariance
		} else {
			n.Down, n.Up = p.mass(), p.mass()
		}
		r.cells = append(r.cells, n)
		p.end()
	}
	for _, entry := range j.Notices {
		p.start(entry)
		r.notices = append(r.notices, noticeSum{Code: p.text(), Records: p.number(), Mass: p.mass()})
		p.end()
	}
	// Unsorted entries would make sums that are not canonical.
	if p.bad || !ordered(r.cells, func(a, b cell) int { return a.compare(b.cellKey) }) ||
		!ordered(r.counts, compareCounts) || !ordered(r.parts, compareParts) || !ordered(r.notices, compareNotices) {
		return errContribution
	}
	if total := r.Total().String(); total != j.Total {
		return fmt.Errorf("%w: its cells add up to %s, not to %.40s", errContribution, total, j.Total)
	}
	*c = r
	return nil
}

// ordered reports whether a list rises strictly.
func ordered[T any](list []T, compare func(a, b T) int) bool {
	for i := 1; i < len(list); i++ {
		if compare(list[i-1], list[i]) >= 0 {
			return false
		}
	}
	return true
}

// entries reads the parts of list entries and remembers whether one was bad.
type entries struct {
	rest string
	done bool
	bad  bool
}

func (p *entries) start(entry string) { p.rest, p.done = entry, false }

func (p *entries) text() string {
	if p.done {
		p.bad = true
		return ""
	}
	part, rest, more := strings.Cut(p.rest, "|")
	p.rest, p.done = rest, !more
	return part
}

func (p *entries) number() int64 {
	n, err := strconv.ParseInt(p.text(), 10, 64)
	p.bad = p.bad || err != nil
	return n
}

func (p *entries) mass() footprint.Mass {
	m, err := footprint.ParseMicrograms(p.text())
	p.bad = p.bad || err != nil
	return m
}

// maxVariance bounds the decoded values, in billionths, far above any score or survey.
const maxVariance = 100_000_000_000

// moment reads a second or third central moment.
func (p *entries) moment() *big.Int {
	text := p.text()
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || len(text) > 400 || n.Sign() < 0 || n.String() != text {
		p.bad = true
		return nil
	}
	if n.Sign() == 0 {
		return nil
	}
	return n
}

func (p *entries) end() { p.bad = p.bad || !p.done }

// masses reads a group of masses; all stay 0 when text is empty.
func (p *entries) masses(text string, to ...*footprint.Mass) {
	if text == "" {
		return
	}
	p.start(text)
	for _, m := range to {
		*m = p.mass()
	}
	p.end()
}
