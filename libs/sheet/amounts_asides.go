package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// asides are the columns that no field has, and which say that what a record counts was otherwise: the way by which somebody was
// rerouted, how many share a room, how much of what was recycled was not.
type asides struct {
	*table
	of    []asideColumn
	found bool
}

// asideColumn is such a column.
type asideColumn struct {
	at   int
	rule *asideRule
}

// asideRule is what headings with some words are asked about.
type asideRule struct {
	types []string
	// heads reports whether a heading is meant.
	heads func(r *asides, head string) bool
	// without are the fields beside which it is not asked about.
	without []string
	// says reports whether the cell of a row says something that the record would not have.
	says func(r *asides, row *row, cell string) bool
	// would is what the record would do, and remedy what to do about it, with the heading.
	would, remedy string
	suggestions   []string
}

const (
	// detourWords are words of headings of another way than the one that was planned.
	detourWords wordlist.List = "detourWords"
	// viaHeads are headings of the places of a way, normalized by plain.
	viaHeads wordlist.List = "viaHeads"
	// deviceWords are words of headings of how many devices each participant has.
	deviceWords wordlist.List = "deviceWords"
	// reuseWords are words of headings of how often something is used.
	reuseWords wordlist.List = "reuseWords"
	// impurityWords are words of headings of the share of recyclables that are none.
	impurityWords wordlist.List = "impurityWords"
	// rechargeWords are words of headings of what somebody else paid back.
	rechargeWords wordlist.List = "rechargeWords"
	// staffWords are words of headings of how many people worked for a rate.
	staffWords wordlist.List = "staffWords"
	// perHeadHeads are headings of nothing but that the number is that of each person, normalized by plain.
	perHeadHeads wordlist.List = "perHeadHeads"
)

// fewPerHead is the number of portions below which one per head may be that of portions; a greater one is a price.
const fewPerHead = 5

var asideRules = [...]asideRule{
	{
		types: []string{"flights", "ground-transport", "freight"},
		heads: func(_ *asides, head string) bool {
			return detourWords.HasAny(wordsOf(head)) || viaHeads.Has(plain(head))
		},
		says: func(r *asides, row *row, cell string) bool {
			_, known := fields.Truth(cell)
			_, number := r.asNumber(cell)
			return row.has("from") && !row.has("via") && !known && !number && !noneWords.Has(strings.ToLower(cell)) && !strings.EqualFold(cell, row.text("to")) && !strings.EqualFold(cell, row.text("from"))
		},
		would: "the direct way", remedy: "Write the places of the way into a column via, or where it ended into the column to; then leave %s out.", suggestions: []string{"via", "to"},
	},
	{
		types: []string{"accommodation"},
		heads: func(_ *asides, head string) bool {
			return sharingWords.HasAny(wordsOf(head)) && !strings.Contains(head, "%")
		},
		without: []string{"rooms"},
		says:    func(r *asides, row *row, cell string) bool { return row.number("guests") > 1 && r.above(cell, 0) },
		would:   "a room for each guest", remedy: "Write how many rooms there were into a column rooms, and leave %s out.", suggestions: []string{"rooms"},
	},
	{
		types: []string{"digital"},
		heads: func(_ *asides, head string) bool {
			return deviceWords.HasAny(wordsOf(head)) && (perWords.HasAny(wordsOf(head)) || strings.Contains(head, "/"))
		},
		says:  func(r *asides, row *row, cell string) bool { return row.has("participants") && r.above(cell, 1) },
		would: "one for each participant", remedy: "Write how many there were altogether into a column participants, or leave %s out.", suggestions: []string{"participants"},
	},
	{
		types: []string{"materials"}, without: []string{"usesOverLife"},
		heads: func(_ *asides, head string) bool { return reuseWords.HasAny(wordsOf(head)) },
		says:  func(r *asides, _ *row, cell string) bool { return r.above(cell, 1) },
		would: "all of the material", remedy: "If it is hired, write hired into a column source, and this number into a column usesOverLife; otherwise leave %s out.", suggestions: []string{"source", "usesOverLife"},
	},
	{
		types: []string{"waste"},
		heads: func(_ *asides, head string) bool {
			_, unit, ok := unitOfHead(head)
			return impurityWords.HasAny(wordsOf(head)) && (!ok || !isUnit(unit)) // an amount is beside that of the row
		},
		says: func(r *asides, row *row, cell string) bool {
			return slices.Contains([]string{"recycling", "composting", "anaerobic_digestion", "reuse"}, row.text("treatment")) && (saysYes(cell) || r.above(strings.TrimSuffix(cell, "%"), 0))
		},
		would: "all of it as treated alike", remedy: "Write what was sorted out into a row of its own, with its treatment and its weight, or leave %s out if nothing was.", suggestions: []string{"weightKg", "treatment"},
	},
	{
		types: []string{"purchases"},
		heads: func(_ *asides, head string) bool {
			return rechargeWords.HasAny(wordsOf(head)) && !taxLines.HasAny(wordsOf(head))
		},
		says: func(r *asides, row *row, cell string) bool {
			text, _, _ := money(cell)
			return row.has(moneyField) && r.above(text, 0)
		},
		would: "all of the amount", remedy: "Write into the amount what counts for the event, and leave %s out.", suggestions: []string{moneyField},
	},
	{
		types: []string{"purchases"},
		heads: func(r *asides, head string) bool {
			rated := slices.ContainsFunc(r.heads, func(other string) bool { _, _, ok := rateOf(other); return ok })
			return rated && (staffWords.HasAny(wordsOf(head)) || slices.Contains([]counting{ofPerson, ofVehicle, ofGenerator, ofPiece, ofDay, ofWeek}, countOf(head)))
		},
		says: func(r *asides, row *row, cell string) bool {
			return row.has(moneyField) && r.above(cell, 1) && !r.heading(moneyField)
		},
		would: "the rate for one of them", remedy: "Write what was paid altogether into a column amount, or leave %s out if the hours or days are those of all.", suggestions: []string{moneyField},
	},
	{
		types: []string{"catering"},
		heads: func(r *asides, head string) bool {
			return perHeadHeads.Has(plain(head)) && !slices.ContainsFunc(r.heads, func(other string) bool { return isWhole(other) || priceHeads.Has(strings.ToLower(other)) })
		},
		says: func(r *asides, row *row, cell string) bool {
			n, ok := r.asNumber(cell)
			return ok && n != 1 && n > 0 && n < fewPerHead && (row.has("meals") || row.has("servings") || row.has("drinks"))
		},
		would: "one for each", remedy: "Write how many there were altogether, or leave %s out if it is a price.", suggestions: []string{"meals", "servings"},
	},
}

// above reports whether a cell is a number greater than another one.
func (r *asides) above(cell string, least float64) bool {
	n, ok := r.asNumber(strings.TrimSpace(cell))
	return ok && n > least
}

// find finds such columns. It is called for the first row, as that of the columns beside an amount.
func (r *asides) find() {
	r.found = true
	for i := range asideRules {
		rule := &asideRules[i]
		if !slices.Contains(rule.types, r.typ) || r.heading(rule.without...) {
			continue
		}
		for at, head := range r.heads {
			if head != "" && r.free(at) && !r.isClaimed(at, anything) && rule.heads(r, head) {
				r.of = append(r.of, asideColumn{at, rule})
			}
		}
	}
}

// ask returns the fault of a row of which such a column says something.
func (r *asides) ask(row *row) *apperr.Detail {
	if !r.found {
		r.find()
	}
	for _, column := range r.of {
		cell, head := Unguard(oneCell(row.cells, column.at)), r.heads[column.at]
		if cell == "" || len(cell) > longestMark || slices.Contains(row.counted, column.at) || !column.rule.says(r, row, cell) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: column.rule.suggestions,
			Message: fmt.Sprintf("%s is %.40q, and the record would count %s. ", head, cell, column.rule.would) + fmt.Sprintf(column.rule.remedy, head)}
	}
	return nil
}
