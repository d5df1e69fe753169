package factors

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// Pack is the origin of a set that is not built in.
type Pack struct {
	// Name and Release form the id of the set.
	Name    string
	Release int
	// Title and Publisher are for people.
	Title, Publisher string
	// SignedBy is the thumbprint of the key that signed the pack; empty for an unsigned one that the operator
	// accepted.
	SignedBy string
	// Base and StandIns are the built-in sets that it extends.
	Base     string
	StandIns []string
	// Rows is how many rows are the pack's own.
	Rows int
	// Document is the encoded pack.
	Document any
}

// Composition defines a set that is not built in.
type Composition struct {
	ID       string
	Year     int
	Checksum string
	Pack     *Pack
	// Base is the built-in set whose rows are used as the set's own for series that it lacks; nil for a complete set.
	Base *Set
	// StandIns are the built-in sets to search for series that are still missing, in order. Their rows are marked as
	// those of another edition.
	StandIns []*Set
	Rows     []Factor
	// Defaults and Pedigree replace those of Base or of the first of StandIns.
	Defaults []Default
	Pedigree []Score
}

// Score is an uncertainty factor of the pedigree matrix.
type Score struct {
	Indicator string
	Score     int
	Factor    decimal.Decimal
}

// Compose returns the set of a composition. Rows are in the order of the composition, then Base, then StandIns, each
// series once.
func Compose(c Composition) *Set {
	s := &Set{ID: c.ID, Year: c.Year, Checksum: c.Checksum, Pack: c.Pack,
		byID: make(map[string]int), bySeries: make(map[string]int), defaults: make(map[string]Default), pedigree: make(map[pedigreeKey]decimal.Decimal)}
	for _, f := range c.Rows {
		s.append(f)
	}
	s.standIns = slices.Clone(c.StandIns)
	under := s.standIns
	if c.Base != nil {
		for _, f := range c.Base.factors {
			s.append(f)
		}
		under = append([]*Set{c.Base}, under...)
		s.standIns = append([]*Set{c.Base}, s.standIns...)
		for _, o := range c.Base.standIns {
			if !slices.Contains(s.standIns, o) {
				s.standIns = append(s.standIns, o)
			}
		}
	}
	for _, o := range c.StandIns {
		for _, f := range o.factors {
			f.Fallback = true
			s.append(f)
		}
	}
	for _, o := range slices.Backward(under) {
		maps.Copy(s.defaults, o.defaults)
		maps.Copy(s.pedigree, o.pedigree)
	}
	for _, d := range c.Defaults {
		s.defaults[d.ID] = d
	}
	for _, p := range c.Pedigree {
		s.pedigree[pedigreeKey{p.Indicator, p.Score}] = p.Factor
	}
	return s
}

// National reports whether a row is a pack's own figure for a country other than the
// United Kingdom, where the same row of a built-in set is of the United Kingdom.
func (s *Set) National(f *Factor) bool {
	if s.Pack == nil || f.Index >= s.Pack.Rows || len(f.Region) != isoLength || f.Region == "GB" || f.Region == "UK" {
		return false
	}
	for _, o := range Sets() {
		if _, ok := o.byID[f.ID]; ok {
			return false // a row of a built-in set that the pack repeats
		}
	}
	return true
}

const isoLength = 2

// append adds a row unless one of its series or id exists.
func (s *Set) append(f Factor) {
	_, series := s.bySeries[f.Series]
	if _, id := s.byID[f.ID]; id || series {
		return
	}
	f.Index = len(s.factors)
	s.byID[f.ID], s.bySeries[f.Series] = f.Index, f.Index
	s.factors = append(s.factors, f)
}

// Defaults returns the activity defaults by id.
func (s *Set) Defaults() []Default {
	out := slices.Collect(maps.Values(s.defaults))
	slices.SortFunc(out, func(a, b Default) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Scores returns the pedigree matrix.
func (s *Set) Scores() []Score {
	out := make([]Score, 0, len(s.pedigree))
	for k, f := range s.pedigree {
		out = append(out, Score{k.indicator, k.score, f})
	}
	slices.SortFunc(out, func(a, b Score) int {
		if a.Indicator != b.Indicator {
			return strings.Compare(a.Indicator, b.Indicator)
		}
		return a.Score - b.Score
	})
	return out
}

// StandIns returns the sets that supply rows missing from the set, in order of precedence.
func (s *Set) StandIns() []*Set { return slices.Clone(s.standIns) }

// trace notes which rows of a set were looked up.
type trace struct {
	mu   sync.Mutex
	rows map[int]bool
}

func (t *trace) saw(i int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[i] = true
}

// Traced returns a copy of s and a function that returns the rows looked up in it so far. A set with only these rows
// of its pack returns the same results for these lookups.
func (s *Set) Traced() (traced *Set, rows func() []Factor) {
	copied := *s
	copied.trace = &trace{rows: make(map[int]bool)}
	return &copied, func() []Factor {
		copied.trace.mu.Lock()
		defer copied.trace.mu.Unlock()
		out := make([]Factor, 0, len(copied.trace.rows))
		for _, i := range slices.Sorted(maps.Keys(copied.trace.rows)) {
			out = append(out, copied.factors[i])
		}
		return out
	}
}
