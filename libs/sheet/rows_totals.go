package sheet

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// totals finds the rows that sum up others.
type totals struct {
	*table
	sums sums
}

// TotalsRow is the code of a row that sums up the others.
const TotalsRow = "TOTALS_ROW"

// totalWords are what people call such a row, alone, before what it sums up or behind it:
// "Total Hilton", "Hilton Total". besideTotals are further words of such a name, and
// afterTotals stand behind it alone.
const (
	totalWords   wordlist.List = "totalWords"
	besideTotals wordlist.List = "besideTotals"
	afterTotals  wordlist.List = "afterTotals"
	// allWords begin what is a total where its numbers are sums.
	allWords wordlist.List = "allWords"
	// carriedPhrases name what other pages come to and what is to be paid, and nothing else; carriedWords may mean something
	// else, too; besideCarried stand beside them.
	carriedPhrases wordlist.List = "carriedPhrases"
	carriedWords   wordlist.List = "carriedWords"
	besideCarried  wordlist.List = "besideCarried"
)

// sums are the sums of the columns of the rows before; they only help to know a
// totals row.
type sums struct {
	of   []float64
	rows int
	// group and groupRows are the same since the last row of totals.
	group     []float64
	groupRows int
	// values are texts that could name totals, and were those of a record.
	values []string
}

// add adds the numbers of a record.
func (s *sums) add(values []float64) {
	s.rows++
	s.groupRows++
	for len(s.of) < len(values) {
		s.of, s.group = append(s.of, 0), append(s.group, 0)
	}
	for i, n := range values {
		s.of[i] += n
		s.group[i] += n
	}
}

// endGroup begins a new group, below a row of totals.
func (s *sums) endGroup() {
	clear(s.group)
	s.groupRows = 0
}

func same(n float64, sums []float64, i int) bool {
	return i < len(sums) && math.Abs(n-sums[i]) <= 1e-9*math.Abs(n)
}

// named is what a row has that may sum up others.
type named struct {
	label     string // empty: none
	summed    bool   // it is one only where a number is a sum
	at        int
	whole     bool // the label is nothing but the word for totals
	carried   bool // it names what other pages come to, or what is to be paid
	others    int  // further texts that say something
	texts     int
	numbers   int
	values    []float64
	ofAll     bool // each number is the sum of those above
	ofGroup   bool // or of those since the last totals
	confirmed bool // a number is such a sum
}

// fault returns that of a row that sums up the file, or a part of it: a label and
// numbers, a label and a number that is the sum of those above, or numbers alone that are
// each such a sum. Imported, it would have everything count twice.
func (r *totals) fault(cells []string) *apperr.Detail {
	n := r.named(cells)
	if r.hasID(cells) {
		r.sums.add(n.values)
		return nil
	}
	labelled := n.label != "" && n.whole && n.texts == 1
	bare := n.texts == 0 && n.ofAll && r.sums.rows >= 2 && r.hasTexts()
	if r.o.Rules > 0 {
		labelled = n.label != "" && (n.others == 0 && !n.summed || n.confirmed || n.carried)
		bare = bare || n.texts == 0 && n.ofGroup && r.sums.groupRows >= 2 && r.hasTexts()
	}
	if n.numbers > 0 && (labelled || bare) {
		r.sums.endGroup()
		d := &apperr.Detail{Code: TotalsRow, Message: "The row sums up the others. Imported, everything would count twice; delete it from the file."}
		if n.label != "" {
			d.Message = fmt.Sprintf("The row is headed %s and sums up the others. Imported, everything would count twice; delete it from the file.", strconv.Quote(n.label))
			if n.at < len(r.heads) {
				d.Field = r.heads[n.at]
			}
		}
		return d
	}
	if n.label != "" {
		r.sums.values = append(r.sums.values[:min(len(r.sums.values), maxIgnored)], n.label)
	}
	r.sums.add(n.values)
	return nil
}

// named looks at the cells of a row.
func (r *totals) named(cells []string) named {
	n := named{values: make([]float64, len(cells)), ofAll: true, ofGroup: true}
	all := true // numbers are those of the rows since the last totals
	for i, cell := range cells {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		if value, ok := r.asNumber(cell); ok {
			n.values[i] = value
			n.numbers++
			whole, part := same(value, r.sums.of, i), same(value, r.sums.group, i)
			n.ofAll, n.ofGroup, all = n.ofAll && whole, n.ofGroup && part, all && part
			n.confirmed = n.confirmed || value != 0 && (whole && r.sums.rows >= 2 || part && r.sums.groupRows >= 2)
			continue
		}
		n.texts++
		if whole, ok := totalLabel(cell); ok && n.label == "" && (whole || !r.isReference(i)) && !slices.Contains(r.sums.values, cell) {
			n.label, n.at, n.whole = cell, i, whole
		} else if carried, certain := carriedLabel(cell); r.reading == interpreted && carried && n.label == "" && !r.isReference(i) && !slices.Contains(r.sums.values, cell) {
			n.label, n.at, n.carried, n.summed = cell, i, certain, !certain
		} else if n.label == "" && allLabel(cell) && !slices.Contains(r.sums.values, cell) {
			n.label, n.at, n.summed = cell, i, true
		}
	}
	for i, cell := range cells {
		if cell = strings.TrimSpace(cell); n.label == "" || i == n.at || cell == "" {
			continue
		}
		if _, number := r.asNumber(cell); !number && !r.saysLittle(i, cell) {
			n.others++
		}
	}
	n.confirmed = n.confirmed || all && r.sums.groupRows == 1
	return n
}

// hasID reports whether a row has an id that the service gave it: it is a record of an
// export, whatever its texts say.
func (r *totals) hasID(cells []string) bool {
	return r.reading == byName && oneCell(cells, slices.Index(r.heads, idColumn)) != ""
}

// isReference reports whether a column has the references of records. They may contain a
// word for totals, and only the word alone names one.
func (r *totals) isReference(at int) bool {
	return at < len(r.columns) && r.columns[at].Name == "externalReference"
}

// totalLabel reports whether a text names totals, and whether it contains nothing else.
func totalLabel(cell string) (whole, ok bool) {
	if len(cell) > 80 {
		return false, false
	}
	words := strings.FieldsFunc(strings.ToLower(cell), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.ContainsFunc(w, unicode.IsLetter) })
	if len(words) > 1 && words[0] == "i" && words[1] == "alt" {
		words = append([]string{"total"}, words[2:]...) // I alt, in Danish and Norwegian
	}
	first, names := 0, 0
	for first < len(words) && besideTotals.Has(words[first]) {
		first++
	}
	for _, word := range words {
		if totalWords.Has(word) {
			names++
		} else if !besideTotals.Has(word) {
			names = -len(words)
		}
	}
	if names > 0 {
		return true, true
	}
	if first >= len(words) {
		return false, false
	}
	last := words[len(words)-1]
	return false, totalWords.Has(words[first]) || len(words) > 1 && (totalWords.Has(last) || afterTotals.Has(last))
}

// carriedLabel reports whether a text names what other pages come to, or what is to be paid, and whether it can mean nothing else:
// Übertrag von Seite 1, Carried forward, Amount due.
func carriedLabel(cell string) (carried, certain bool) {
	if len(cell) > longestMark {
		return false, false
	}
	text := strings.Join(slices.DeleteFunc(wordsOf(cell), besideCarried.Has), " ")
	certain = carriedPhrases.Has(text)
	return certain || carriedWords.Has(text), certain
}

// allLabel reports whether a text may name totals: All sites, Overall.
func allLabel(cell string) bool {
	words := strings.Fields(strings.ToLower(cell))
	return len(words) > 0 && len(words) < 5 && allWords.Has(strings.Trim(words[0], ".,:"))
}

// saysLittle reports whether a text beside a label says no more than how its numbers are
// written: a currency, a unit, a dash.
func (r *totals) saysLittle(i int, cell string) bool {
	if !strings.ContainsFunc(cell, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
		return true
	}
	if slices.ContainsFunc(units.Dimensions(), func(dimension string) bool {
		_, err := units.ByName(cell, dimension)
		return err == nil
	}) {
		return true
	}
	field := i < len(r.columns) && r.columns[i].Name != "" && r.columns[i].Name != currencyField
	return !field && len(cell) == 3 && strings.Trim(cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// hasTexts reports whether the file has a text column, which is empty in a totals row.
func (r *totals) hasTexts() bool {
	return slices.ContainsFunc(r.columns, func(c Column) bool { return c.Name != "" && !c.number() })
}

// inGroups are signs that stand between the digits of numbers and nowhere else.
var inGroups = strings.NewReplacer("\u00a0", "", "\u202f", "", "\u2009", "", "’", "", "'", "")

// spacedGroups are two groups of digits of one number with a space between them.
var spacedGroups = regexp.MustCompile(`(\d) (\d{3})`)

// endsInComma reports whether a number can only have a decimal comma: 1.200,50 and 12,5 and 0,75, but not 1,200.
func endsInComma(cell string) bool {
	comma := strings.LastIndexByte(cell, ',')
	return comma > 0 && strings.Count(cell, ",") == 1 && strings.LastIndexByte(cell, '.') < comma && (len(cell)-comma != len(",200") || strings.Contains(cell, "."))
}

// asNumber reads a cell roughly, with or without a unit or a currency.
func (t *table) asNumber(cell string) (float64, bool) {
	if t.o.Rules > 0 && !strings.ContainsAny(cell, "0123456789") {
		return 0, false // most cells are words
	}
	if t.o.Rules > 0 {
		if cell[0] <= '9' && strings.Count(cell, ".") == 2 && units.IsDate(cell) {
			return 0, false
		}
		if strings.Contains(cell, " ") {
			cell = spacedGroups.ReplaceAllString(cell, "$1$2")
		}
		cell, _, _ = money(inGroups.Replace(cell))
	}
	cell, _, _ = strings.Cut(cell, " ")
	if strings.HasSuffix(t.declared(), ",5") || t.declared() == "" && t.o.Rules > 0 && endsInComma(cell) {
		cell = strings.ReplaceAll(strings.ReplaceAll(cell, ".", ""), ",", ".")
	} else {
		cell = strings.ReplaceAll(cell, ",", "")
	}
	n, err := strconv.ParseFloat(cell, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}
