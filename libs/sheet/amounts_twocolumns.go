package sheet

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// secondColumn is a column of a field that has another one before it. Both may be there if one of them is always
// empty, or if they say the same.
type secondColumn struct {
	at, first int
	// The first rows in which the first column alone has the value, the second one alone, and both; 0: none so far.
	firstAt, secondAt, bothAt int64
}

// second takes note of a column of a field that another one has; false if that is a fault of the headings.
func (t *table) second(at, first int) bool {
	if t.reading != interpreted {
		return false
	}
	t.seconds = append(t.seconds, secondColumn{at: at, first: first})
	return true
}

// takeTotals makes each of some columns that nothing is known of, and which are totals, or what was used in fact, the field that
// it is that of.
func (in *interpreter) takeTotals(columns []int) {
	for _, at := range columns {
		if slices.Contains(in.ignored, at) && (in.isTotal(at) || in.isActual(at)) {
			in.use(at)
		}
	}
}

// isTotal makes a column that is the total of a quantity, or its net amount, such as Total kWh or Net (t), the field
// of it. Beside another column of the field, which then may be of each piece, it is the second one.
func (in *interpreter) isTotal(at int) bool {
	rest, ok := withoutTotal(in.heads[at])
	if !ok || isNet(in.heads[at]) && in.carriesGross() {
		return false
	}
	column, unit := in.fieldCalled(rest)
	target, measured := units.OfField(column.Name)
	first := slices.IndexFunc(in.columns, func(c Column) bool { return c.Name == column.Name })
	measured = measured || column.Name == "hours" || column.Name == "meals" || first < 0 && slices.Contains(summed, column.Name)
	if !measured || target.Dimension == "length" || target.Dimension == "area" && in.typ != "materials" || target.Dimension == "energy" && isNet(in.heads[at]) ||
		first >= 0 && !in.second(at, first) {
		return false
	}
	in.columns[at], in.inUnit[at] = column, unit
	return true
}

// summed are fields of numbers of people and things, of which a total may be the only one of a table. Total nights are
// none: they may be those of all rooms.
var summed = []string{"containers", "passengers", "participants", "guests", "rooms", "items", "sheets"}

// netWords are words of amounts without packaging, vehicles or returns.
const netWords wordlist.List = "netWords"

// isNet reports whether a head is that of a net amount. That of energy is less what was fed in.
func isNet(head string) bool {
	return slices.ContainsFunc(wordsOf(head), func(word string) bool { return netWords.Has(word) })
}

// withoutTotal returns a heading without its word for a total or net amount; false if it has none.
func withoutTotal(head string) (rest string, ok bool) {
	var words []string
	for word := range strings.FieldsSeq(head) {
		lower := strings.Trim(strings.ToLower(word), ".:()[]")
		if behind, cut := strings.CutPrefix(lower, "gesamt"); cut && behind != "" {
			word, ok = behind, true
		} else if totalWords.Has(lower) || netWords.Has(lower) {
			ok = true
			continue
		}
		words = append(words, word)
	}
	return strings.Join(words, " "), ok && len(words) > 0
}

// isSecond reports whether a column is the second one of its field.
func (in *interpreter) isSecond(at int) bool {
	return slices.ContainsFunc(in.seconds, func(s secondColumn) bool { return s.at == at })
}

// takeSeconds adds the cells of second columns to the object of a row, and returns the fault of a row in which a
// field has two values, or its value in another column than in the rows before.
func (in *interpreter) takeSeconds(row *row) *apperr.Detail {
	for i := range in.seconds {
		s := &in.seconds[i]
		name := in.columns[s.at].Name
		of := newBody()
		other := &of
		if s.at < len(row.cells) {
			if fault := in.cell(other, row.typ, s.at, row.cells[s.at]); fault != nil {
				return fault
			}
		}
		if row.unknownAmount == nil {
			row.unknownAmount, row.amountAt = other.unknownAmount, other.amountAt
		}
		first, second := row.has(name), other.has(name)
		switch {
		case first && second && !in.agree(name, &row.body, other):
			return &apperr.Detail{Field: in.heads[s.at], Code: fields.DuplicateKey,
				Message: fmt.Sprintf("The columns %q and %q are the same field, %s, and have %.40q and %.40q. Delete the column that is not meant.", in.heads[s.first], in.heads[s.at], name, oneCell(row.cells, s.first), oneCell(row.cells, s.at))}
		case first && second:
			in.note(&s.bothAt)
			if other.stated[name] == "" && row.stated[name] != "" && in.inUnit[s.first] != "" {
				delete(row.stated, name)
				row.take(other, name) // not converted, and so rounded less
			}
		case first:
			in.note(&s.firstAt)
		case second:
			in.note(&s.secondAt)
			row.take(other, name)
		}
		if s.bothAt == 0 && s.firstAt != 0 && s.secondAt != 0 && first != second {
			return &apperr.Detail{Field: in.heads[s.at], Code: fields.DuplicateKey,
				Message: fmt.Sprintf("The columns %q and %q are the same field, %s: row %d has it in one, and this row in the other. Write all of it into one column, and delete the other.", in.heads[s.first], in.heads[s.at], name, min(s.firstAt, s.secondAt))}
		}
	}
	return nil
}

// note keeps the number of the first row of a kind.
func (in *interpreter) note(row *int64) {
	if *row == 0 {
		*row = in.number
	}
}

// oneCell returns a cell of a row without space around it; empty for a place that the row or the file does not have.
func oneCell(cells []string, at int) string {
	if at < 0 || at >= len(cells) {
		return ""
	}
	return strings.TrimSpace(cells[at])
}

// take moves a field of another object to this one.
func (b *body) take(other *body, name string) {
	if text := other.stated[name]; text != "" {
		b.stated[name] = text
		return
	}
	b.set(name, other.values[name])
	if b.currency == "" {
		b.currency = other.currency
	}
}

// agree reports whether two objects have the same value of a field. Measures in different units agree if they differ
// by no more than the rounding of the one that was written with fewer digits.
func (t *table) agree(name string, a, b *body) bool {
	if a.stated[name] == b.stated[name] && string(a.values[name]) == string(b.values[name]) {
		return true
	}
	x, xStep, xUnit, ok := t.measure(name, a)
	y, yStep, yUnit, also := t.measure(name, b)
	if !ok || !also {
		return false
	}
	difference := new(big.Rat).Sub(x, y)
	if difference.Sign() == 0 || xUnit == yUnit {
		return difference.Sign() == 0
	}
	step := xStep
	if yStep.Cmp(step) > 0 {
		step = yStep
	}
	return new(big.Rat).Mul(difference.Abs(difference), big.NewRat(2, 1)).Cmp(step) <= 0
}

// measure returns the number of a field in its unit, that of one in the last digit as it was written, and the symbol
// of the unit in which it was written.
func (t *table) measure(name string, b *body) (value, step *big.Rat, unit string, ok bool) {
	text := b.stated[name]
	if text == "" {
		text = string(b.values[name])
	}
	target, measured := units.OfField(name)
	if !measured {
		n, err := decimal.Parse(text)
		return units.Rat(n), nil, "", err == nil
	}
	format, added := units.Format{}, 0
	if b.stated[name] != "" {
		format, _ = units.ParseFormat(t.declared())
	} else if strings.Contains(text, ".") && ambiguous(text) != nil {
		text, added = text+"0", 1 // a number of JSON has one reading
	}
	m, err := units.Parse(text, target, format)
	if err != nil {
		return nil, nil, "", false
	}
	scale := m.Number.Scale() - added
	last := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, 0))), nil))
	value, unit = units.Rat(m.Number), target.Symbol
	if m.Unit != nil {
		value, last, unit = target.Convert(value, m.Unit), target.Convert(last, m.Unit), m.Unit.Symbol
	}
	return value, last, unit, true
}
