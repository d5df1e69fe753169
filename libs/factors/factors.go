package factors

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
)

//go:embed sets/*.tsv
var setFiles embed.FS

// editions are the embedded sets, newest first. A published set is never changed; new ones are added in front.
var editions = [...]string{"desnz-2026", "desnz-2025", "desnz-2024"}

// earlier are the sets of earlier years, newest first. An event may adopt one to be calculated with the factors of
// its time; none is chosen by a start date.
var earlier = [...]string{"desnz-2023", "desnz-2022", "desnz-2021", "desnz-2020", "desnz-2019", "desnz-2018"}

// standIns returns the editions to search for rows that a set lacks: the newest older one first, then newer ones, the
// earliest first. Results depend on it, so the list of a published set never changes either.
func standIns(id string) []string {
	switch id {
	case "desnz-2026":
		return []string{"desnz-2025", "desnz-2024"}
	case "desnz-2025":
		return []string{"desnz-2024", "desnz-2026"}
	case "desnz-2024":
		return []string{"desnz-2025", "desnz-2026"}
	}
	for i, name := range earlier {
		if name == id {
			return nearest(i)
		}
	}
	return nil
}

// nearest orders the sets for an earlier one by how many years they are away,
// the older of two first.
func nearest(i int) []string {
	all := append(append([]string(nil), editions[:]...), earlier[:]...)
	at := len(editions) + i
	var out []string
	for away := 1; away < len(all); away++ {
		for _, n := range [...]int{at + away, at - away} {
			if n >= 0 && n < len(all) {
				out = append(out, all[n])
			}
		}
	}
	return out
}

// Value is a figure that may not have been published. The zero value is "not
// published", which is not the same as 0.
type Value struct {
	Decimal   decimal.Decimal
	Published bool
}

// Factor is one row of a set: kg CO2e for one unit of an activity.
type Factor struct {
	ID string
	// Series is the ID without its year: the name that stays the same from set
	// to set.
	Series   string
	Category string
	Activity string
	Detail   string
	// Unit is the unit of the activity: kWh, tonne, room_night, passenger.km …
	Unit string
	// KgCO2e is the published total, kg CO2e per unit. The gas columns may
	// differ from it in their last digit; the total is the figure to use.
	KgCO2e decimal.Decimal
	// CO2, CH4 and N2O are the gases of KgCO2e, in kg CO2e (AR5).
	CO2, CH4, N2O Value
	// WTT is the well-to-tank part, published separately, to be added.
	WTT Value
	// BiogenicCO2 is the CO2 of biomass in kg per unit, which is reported outside of scopes. No other figure of the
	// row includes it.
	BiogenicCO2 Value
	// Region is an ISO 3166 code, a region such as EUROPE or WORLD, or words.
	Region string
	// Year is the year of the figure; 0 when its source is undated.
	Year int
	// Fallback marks a row of another yearly edition than the set's.
	Fallback       bool
	Source         string
	SourceLocation string
	Licence        string
	// Low and High are the range that the source states for KgCO2e, where it
	// states one.
	Low, High Value
	// Index is the place of the row in its set, 0-based and without gaps.
	Index int
}

// GasSplit reports whether the three gases are all published.
func (f *Factor) GasSplit() bool { return f.CO2.Published && f.CH4.Published && f.N2O.Published }

// BestBefore is the day after which a newer figure should be used: the end of the edition's year for the yearly DESNZ
// editions, else the end of the second year after the figure's own, since three years difference reduce data quality.
// Empty for an undated figure.
func (f *Factor) BestBefore() string {
	switch {
	case f.Year == 0:
		return ""
	case strings.Contains(f.Source, "DESNZ"):
		return fmt.Sprintf("%04d-12-31", f.Year)
	}
	return fmt.Sprintf("%04d-12-31", f.Year+2)
}

// Default is a default activity figure, such as the energy use of a kind of building.
type Default struct {
	ID       string
	Quantity string
	Detail   string
	Value    decimal.Decimal
	Unit     string
	Region   string
	// Low and High are the range that the source states for Value, where it
	// states one.
	Low, High      Value
	Year           int // 0: undated
	Source         string
	SourceLocation string
	Licence        string
}

// Set is one edition of the factors, built in or composed of a pack. It is
// immutable and safe for concurrent use.
type Set struct {
	// ID names the edition: "desnz-2026".
	ID string
	// Year is the calendar year the edition is meant for.
	Year int
	// Checksum is the SHA-256 of the embedded table or of the pack, in hexadecimal.
	// Two sets are the same exactly when their checksums are.
	Checksum string
	// Pack is the origin of the set; nil for a built-in one.
	Pack *Pack

	factors  []Factor
	byID     map[string]int
	bySeries map[string]int
	defaults map[string]Default
	pedigree map[pedigreeKey]decimal.Decimal
	standIns []*Set
	trace    *trace
}

type pedigreeKey struct {
	indicator string
	score     int
}

// Version is a short form of the checksum, for people.
func (s *Set) Version() string { return s.Checksum[:min(12, len(s.Checksum))] }

// Factor returns the row with an id, in the set or in its stand-in editions.
func (s *Set) Factor(id string) (Factor, bool) {
	f, ok := s.found(s.byID, id)
	for i := 0; !ok && i < len(s.standIns); i++ {
		f, ok = s.standIns[i].found(s.standIns[i].byID, id)
	}
	for _, extra := range [...]*Set{Supplement(), Corrections()} {
		if !ok && s != extra {
			f, ok = extra.found(extra.byID, id)
		}
	}
	return f, ok
}

// Complete returns f if it has the requested cell, otherwise the row of the same
// series and unit in the first stand-in edition that has it, or nil. An edition
// may lack a cell that another one has.
func (s *Set) Complete(f *Factor, has func(*Factor) bool) *Factor {
	if has(f) {
		return f
	}
	for _, o := range s.standIns {
		if other := o.Ref(f.Series); other != nil && other.Unit == f.Unit && has(other) {
			return other
		}
	}
	return nil
}

// Lookup finds a row by its series, the id without its year:
// "waste.glass.landfill", "elec.gb.location", "desnz-flight-domestic-average-rf".
func (s *Set) Lookup(series string) (Factor, bool) { return s.found(s.bySeries, series) }

func (s *Set) found(by map[string]int, key string) (Factor, bool) {
	i, ok := by[key]
	if !ok {
		return Factor{}, false
	}
	s.trace.saw(i)
	return s.factors[i], true
}

// Ref is Lookup without a copy, for the engine. The factor must not be
// changed; it is nil when the set has no such series.
func (s *Set) Ref(series string) *Factor {
	i, ok := s.bySeries[series]
	if !ok {
		return nil
	}
	s.trace.saw(i)
	return &s.factors[i]
}

// Factors returns all rows in the order of the set. The slice is shared and must
// not be changed.
func (s *Set) Factors() []Factor { return s.factors }

// Default finds an activity default by its id.
func (s *Set) Default(id string) (Default, bool) {
	d, ok := s.defaults[id]
	return d, ok
}

// Pedigree returns the uncertainty factor of a data quality score, 1 (best) to 5.
// The indicators are reliability, completeness, temporal correlation,
// geographical correlation and further technological correlation.
func (s *Set) Pedigree(indicator string, score int) (decimal.Decimal, bool) {
	d, ok := s.pedigree[pedigreeKey{indicator, score}]
	return d, ok
}

type loaded struct {
	sets []*Set
	byID map[string]*Set
}

// all loads the embedded sets once. Tests check that all can be parsed; one that cannot is omitted.
var all = sync.OnceValue(func() loaded {
	l := loaded{byID: make(map[string]*Set)}
	for _, id := range append(append([]string(nil), editions[:]...), earlier[:]...) {
		s, err := read("sets/" + id + ".tsv")
		if err != nil || s.ID != id {
			continue
		}
		l.sets = append(l.sets, s)
		l.byID[id] = s
	}
	for _, s := range l.sets {
		for _, id := range standIns(s.ID) {
			if o, ok := l.byID[id]; ok {
				s.standIns = append(s.standIns, o)
			}
		}
	}
	return l
})

// Supplement returns the table of rows that the editions lack and all of them use: servings, spending, densities,
// weights of items. It is not a set that an event can adopt, and it never changes.
var Supplement = sync.OnceValue(func() *Set {
	s, err := read("sets/intake-2026.tsv")
	if err != nil {
		return &Set{} // a test reads it
	}
	return s
})

// Corrections returns the table of rows of published sets that were found wrong or were revised by their publishers,
// and of the upstream parts of grids whose publishers have only generation. It is not a set that an event can adopt,
// and it never changes.
var Corrections = sync.OnceValue(func() *Set {
	s, err := read("sets/corrections-2026.tsv")
	if err != nil {
		return &Set{} // a test reads it
	}
	return s
})

// CorrectionOf returns the correction of a row; nil if there is none.
func CorrectionOf(id string) *Factor { return Corrections().Ref(id) }

// UpstreamOf returns the upstream part of a row that has only generation; nil if none can be derived.
func UpstreamOf(id string) *Factor { return Corrections().Ref(id + ".upstream") }

// Sets returns the available sets, newest first: the editions, then the sets of earlier years, which can only be
// adopted.
func Sets() []*Set { return append([]*Set(nil), all().sets...) }

// ForStart returns the set for a new event that starts on a day (YYYY-MM-DD): the newest edition not newer than its
// year; the newest one if startDate is empty. For an event older than all editions it returns the earliest one, and
// notice is true: sets of earlier years are never chosen automatically; [OfYear] returns the one to adopt.
func ForStart(startDate string) (set *Set, notice bool) {
	sets := all().sets
	sets = sets[:min(len(editions), len(sets))] // without the earlier ones at the end
	if len(sets) == 0 {
		return &Set{}, true
	}
	year, err := strconv.Atoi(startDate[:min(4, len(startDate))])
	if err != nil {
		return sets[0], false
	}
	for _, s := range sets {
		if s.Year <= year {
			return s, false
		}
	}
	return sets[len(sets)-1], true
}
