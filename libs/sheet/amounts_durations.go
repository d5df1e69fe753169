package sheet

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// durations is the column of durations, in minutes if inMinutes.
type durations struct {
	*table
	perItem   *perItem
	at        place
	inMinutes bool
}

const hoursField = "hours"

// Headings of how long something took, without their unit, and of how many minutes, normalized by plain; and units of
// durations, behind a heading or a number.
const (
	durationHeads wordlist.List = "durationHeads"
	minuteHeads   wordlist.List = "minuteHeads"
	minuteUnits   wordlist.List = "minuteUnits"
	hourUnits     wordlist.List = "hourUnits"
	// averageWords and watchWords are words of headings of how long a stream was watched on average.
	averageWords wordlist.List = "averageWords"
	watchWords   wordlist.List = "watchWords"
)

// findDuration finds the column of durations in minutes, or in the units of its cells, of a table without hours.
func (r *durations) findDuration() {
	if r.findWatched() {
		return
	}
	if r.typ != "digital" && r.typ != "energy" || r.perItem.amountAt(hoursField) >= 0 {
		return
	}
	for at, head := range r.heads {
		stem, unit, measured := unitOfHead(head)
		if measured && r.free(at) && hourUnits.Has(strings.ToLower(unit)) && durationHeads.Has(plain(stem)) {
			r.columns[at] = columnOf(r.typ, hoursField) // Duur (u)
			r.use(at)
			return
		}
		minutes := measured && minuteUnits.Has(strings.ToLower(unit)) && durationHeads.Has(plain(stem)) || minuteHeads.Has(plain(head))
		if !r.free(at) || !minutes && !durationHeads.Has(plain(head)) {
			continue
		}
		if r.at, r.inMinutes = placeAt(at), minutes; minutes {
			r.columns[at].Type = "number"
		}
		r.claim(r.at, hoursField, derives|shown)
		r.use(at)
		return
	}
}

// findWatched finds the column of how long a stream was watched on average, which decides, and not how long it took.
func (r *durations) findWatched() bool {
	if r.typ != "digital" {
		return false
	}
	for at, head := range r.heads {
		words := wordsOf(head)
		if !averageWords.HasAny(words) || !watchWords.HasAny(words) || !r.free(at) && r.columns[at].Name != hoursField {
			continue
		}
		if before := r.placeOf(hoursField); before >= 0 && before != at {
			r.columns[before] = Column{}
			r.inUnit[before] = ""
			r.ignored = append(r.ignored, before)
		}
		r.use(at)
		if hourUnits.HasAny(words) {
			r.columns[at] = columnOf(r.typ, hoursField)
			return true
		}
		r.at, r.inMinutes = placeAt(at), minuteUnits.HasAny(words)
		r.claim(r.at, hoursField, derives|shown)
		if r.columns[at] = (Column{}); r.inMinutes {
			r.columns[at].Type = "number"
		}
		return true
	}
	return false
}

// ofHours are durations with their units: 1:30:00, 1 h 30 min, 1h30.
var ofHours = regexp.MustCompile(`^(?:(\d{1,3}):(\d\d):(\d\d)|(\d{1,3}) ?(\p{L}+)\.? ?(\d{1,2})(?: ?(\p{L}+)\.?)?)$`)

// duration sets the hours of a row by its duration.
func (r *durations) duration(row *row) *apperr.Detail {
	if !r.at.found() || row.has(hoursField) {
		return nil
	}
	cell := strings.ToLower(Unguard(oneCell(row.cells, r.at.index())))
	if strings.Trim(cell, "-–—") == "" {
		return nil
	}
	if hours := clock(cell); hours != nil {
		return row.setRounded(hoursField, hours)
	}
	number, unit := cell, ""
	if end := strings.LastIndexAny(cell, "0123456789") + 1; end > 0 {
		number, unit = cell[:end], strings.Trim(cell[end:], " .")
	}
	minutes := unit == "" && r.inMinutes || minuteUnits.Has(unit)
	if !minutes && !hourUnits.Has(unit) {
		return &apperr.Detail{Field: r.heads[r.at.index()], Code: fields.BadFormat, Suggestions: []string{hoursField},
			Message: fmt.Sprintf("%s is %.40q, which does not say whether it is hours or minutes. Write 1.5 h, 90 min or 1:30:00, or head the column hours.", r.heads[r.at.index()], cell)}
	}
	n, filled, fault := r.partNumber(r.at.index(), number)
	if fault != nil || !filled {
		return fault
	}
	hours := units.Rat(n)
	if minutes {
		hours.Mul(hours, big.NewRat(1, 60))
	}
	return row.setRounded(hoursField, hours)
}

// clock returns the hours of a duration written by hours and minutes; nil for another text.
func clock(text string) *big.Rat {
	m := ofHours.FindStringSubmatch(text)
	if m == nil || m[1] == "" && (!hourUnits.Has(m[5]) || m[7] != "" && !minuteUnits.Has(m[7])) {
		return nil
	}
	total := new(big.Rat)
	for i, part := range slices.Concat(m[1:4], []string{m[4], m[6]}) {
		n, ok := new(big.Rat).SetString(part)
		if !ok {
			continue
		}
		per := [...]int64{1, 60, 3600, 1, 60}[i]
		total.Add(total, n.Mul(n, big.NewRat(1, per)))
	}
	return total
}
