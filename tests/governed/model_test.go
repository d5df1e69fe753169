package governed

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// The model is written from the rules alone and shares no code with the product. It
// knows the published factors of two types of record, adds them up as fractions, and
// knows the permissions.

// factorsOf are kilograms per unit, from the tables of DESNZ: landfill of
// commercial waste by the tonne, and one kilometre of a long-haul passenger in
// economy, fuel supply included, with radiative forcing and without.
var factorsOf = map[string]map[string]string{
	"desnz-2025": {"waste": "520.5327", "flights": "0.14165", "flights without": "0.09387"},
	"desnz-2026": {"waste": "520.58023", "flights": "0.14165", "flights without": "0.09387"},
}

type setting struct {
	forcing   bool
	factorSet string
	attendees int64
	days      int64
	boundary  string // what is excluded, and why
}

type line struct {
	typ    string
	amount int64 // hundreds of kilograms, or passengers on 5000 km
	status string
	hands  []string // who created, edited or submitted it
	owner  string
}

type proposal struct {
	by       string
	apply    func(*setting)
	from     setting // the setting at the time of the proposal
	signs    int64   // the revision to sign; 0 for a change
	assessed bool    // its effect was calculated, on these:
	ctxRev   int64
	revision int64
}

type signature struct {
	revision  int64
	by        string
	withdrawn bool
}

type world struct {
	setting
	ctxRev        int64
	title         string
	lines         map[string]line
	proposals     []proposal
	signed        bool
	editions      []signature
	fourEyes      bool
	reason        bool
	offProposedBy string
	// noReasonProposedBy proposed to require no reasons any more.
	noReasonProposedBy string
	ever               bool // a record was approved before
}

func (w world) clone() world {
	w.lines, w.proposals, w.editions = maps.Clone(w.lines), slices.Clone(w.proposals), slices.Clone(w.editions)
	return w
}

// state returns the readable state, which tells whether a request whose process died
// was executed.
func (w world) state() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%t %s %d %d %s|%s|", w.forcing, w.factorSet, w.attendees, w.days, w.boundary, w.title)
	for _, name := range slices.Sorted(maps.Keys(w.lines)) {
		l := w.lines[name]
		fmt.Fprintf(&s, "%s %s %d %s;", name, l.typ, l.amount, l.status)
	}
	fmt.Fprintf(&s, "|%d %t", len(w.proposals), w.signed)
	for _, e := range w.editions {
		fmt.Fprintf(&s, " %d/%t", e.revision, e.withdrawn)
	}
	fmt.Fprintf(&s, "|%t %t %t %t", w.fourEyes, w.reason, w.offProposedBy != "", w.noReasonProposedBy != "")
	return s.String()
}

// counted returns what determines the figure.
func (w world) counted() map[string]string {
	all := map[string]string{}
	for name, l := range w.lines {
		if l.status == "approved" {
			all[name] = fmt.Sprint(l.typ, l.amount)
		}
	}
	return all
}

func (w world) approved() (n int) { return len(w.counted()) }

// figure returns the total in kilograms.
func (w world) figure() *big.Rat {
	sum := new(big.Rat)
	for _, l := range w.lines {
		if l.status != "approved" {
			continue
		}
		name, amount := "waste", big.NewRat(l.amount, 10) // tonnes
		if l.typ == "flights" {
			name, amount = "flights", big.NewRat(5000*l.amount, 1)
			if !w.forcing {
				name = "flights without"
			}
		}
		factor, _ := new(big.Rat).SetString(factorsOf[w.factorSet][name])
		sum.Add(sum, amount.Mul(amount, factor))
	}
	return sum
}

// perAttendee returns the total per attendee and per attendee day; nil without any.
func (w world) perAttendee() (one, daily *big.Rat) {
	if w.attendees == 0 {
		return nil, nil
	}
	one = new(big.Rat).Quo(w.figure(), big.NewRat(w.attendees, 1))
	return one, new(big.Rat).Quo(one, big.NewRat(w.days, 1))
}

// kilograms parses a mass of an answer into a fraction of a kilogram.
func kilograms(v any) *big.Rat {
	text := fmt.Sprint(v)
	if n, ok := v.(json.Number); ok {
		text = n.String()
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// near reports whether a figure of six digits is the rounded exact one.
func near(figure, exact *big.Rat) bool {
	if figure == nil || exact == nil {
		return figure == nil && exact == nil
	}
	d := new(big.Rat).Sub(figure, exact)
	return d.Abs(d).Cmp(big.NewRat(1, 2_000_000)) <= 0
}
