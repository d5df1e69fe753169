package sheet

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/units"
)

// splitting is the version of [Rules] since which a row may be several records.
const splitting = 2

const (
	// maxParts bounds the records of a row. Each reads the whole row once, so that a row would take time with the square of
	// its columns; there are fewer diets, treatments, materials and modes.
	maxParts = 64
	// maxReadParts bounds the records of all rows of a file, also of those that then were refused. It is the number of rows
	// that an import has at most.
	maxReadParts = 100_000
)

// Split is what was read of rows that are several records each.
type Split struct {
	Rows, Records int64
	// Heads are the headings of the columns with an amount for each record.
	Heads []string
}

// Split returns the rows so far that were read as several records each.
func (r *Reader) Split() Split { return r.parted }

// otherAmounts are the fields that are amounts without a unit, by type: amountsOf has the others.
var otherAmounts = map[string][]string{"catering": {"meals", "servings", "drinks"}, "waste": {"containers"}}

// alternatives returns the columns of each set of amounts of which a record has one, and the field of the amount: of the meals of a
// diet, of waste for a treatment, of a source of energy or a material, of the distance by a mode, of passengers of a class, of people who come by a mode.
func (in *interpreter) alternatives() (sets []alternatives) {
	add := func(field string, at int) {
		if i := slices.IndexFunc(sets, func(s alternatives) bool { return s.field == field }); i >= 0 {
			sets[i].at = append(sets[i].at, at)
		} else {
			sets = append(sets, alternatives{field, []int{at}})
		}
	}
	if in.typ == "catering" {
		for _, part := range in.parts.of {
			add("meals", part.at)
		}
	}
	for _, share := range in.treatments.shares {
		if share.unit != nil {
			add("weightKg", share.at)
		}
	}
	for _, mode := range in.modeDistances.of {
		add(distanceField, mode.at)
	}
	for _, column := range in.byKind.of {
		add(in.byKind.of[0].field, column.at)
	}
	for _, column := range in.countColumns.of {
		add(in.countColumns.counts, column.at)
	}
	return sets
}

// alternatives are columns of amounts of which a record has one.
type alternatives struct {
	field string
	at    []int
}

// splits reports whether rows of the file may be several records.
func (r *Reader) splits() bool {
	return r.o.Rules >= splitting && r.reading == interpreted && r.typ != Mixed &&
		!slices.ContainsFunc(r.columns, func(c Column) bool { return c.Name == "externalReference" })
}

// split returns the rows that a row of several records is read as, each with the cell of one amount and without those of the others;
// nil for any other row, and where other amounts of the row would count with each. A row with a reference is one record: the
// reference names no others.
func (r *Reader) split(whole Row) []Row {
	if !isSeveral(whole.Err) || !r.splits() {
		return nil
	}
	for _, set := range r.alternatives() {
		var filled []int
		sum := new(big.Rat)
		for _, at := range set.at {
			n, ok, fault := r.partNumber(at, oneCell(whole.Cells, at))
			if fault == nil && ok && n.Sign() > 0 {
				filled = append(filled, at)
				sum.Add(sum, units.Rat(n))
			}
		}
		if len(filled) < 2 {
			continue
		}
		rest := slices.Clone(whole.Cells)
		for _, at := range filled {
			rest[at] = ""
		}
		for at, c := range r.columns[:min(len(r.columns), len(rest))] {
			if n, ok, fault := r.partNumber(at, rest[at]); c.Name == set.field && fault == nil && ok && units.Rat(n).Cmp(sum) == 0 {
				rest[at] = "" // the total
			}
		}
		return r.parted.take(r.readParts(whole, rest, filled), r.heads, filled)
	}
	return r.splitShares(whole)
}

// splitShares is split for a weight of which columns have the shares that go to each treatment.
func (r *Reader) splitShares(whole Row) []Row {
	filled, sum := r.treatments.sharesOf(whole.Cells)
	if filled == nil {
		return nil
	}
	rest := slices.Clone(whole.Cells)
	for _, at := range filled {
		rest[at] = ""
	}
	r.treatments.whole = sum
	defer func() { r.treatments.whole = nil }()
	return r.parted.take(r.readParts(whole, rest, filled), r.heads, filled)
}

// dividing returns the sets of columns by whose cells rows are divided: amounts of which a record has one, and shares of one.
func (in *interpreter) dividing() []alternatives {
	var shares []int
	for _, share := range in.treatments.shares {
		if share.unit == nil {
			shares = append(shares, share.at)
		}
	}
	return append(in.alternatives(), alternatives{at: shares})
}

// atMost returns how many rows a row is read as at most, in a file whose rows are divided by some sets of columns: as many as
// cells of one have something in them.
func atMost(cells []string, sets []alternatives) int64 {
	most := 1
	for _, set := range sets {
		filled := 0
		for _, at := range set.at {
			if oneCell(cells, at) != "" {
				filled++
			}
		}
		if filled <= maxParts {
			most = max(most, filled)
		}
	}
	return int64(most)
}

// readParts reads a row as one for each of some cells; nil if one of them still is several, or has another amount, and
// beyond the bounds of records.
func (r *Reader) readParts(whole Row, rest []string, filled []int) []Row {
	if len(filled) > maxParts || r.partsRead+len(filled) > maxReadParts {
		return nil
	}
	rows := make([]Row, 0, len(filled))
	for _, at := range filled {
		part := Row{Number: whole.Number, Type: whole.Type, Cells: slices.Clone(rest)}
		part.Cells[at] = whole.Cells[at]
		r.partsRead++
		part.Body, part.Err = r.object(part.Type, part.Cells)
		if isSeveral(part.Err) || amounts(part.Type, part.Body) > 1 {
			return nil
		}
		rows = append(rows, part)
	}
	return rows
}

// take counts the rows that a row was read as.
func (s *Split) take(rows []Row, heads []string, at []int) []Row {
	if rows == nil {
		return nil
	}
	s.Rows++
	s.Records += int64(len(rows))
	for _, i := range at {
		if head := strings.TrimSpace(heads[i]); !slices.Contains(s.Heads, head) {
			s.Heads = append(s.Heads, head)
		}
	}
	return rows
}

// isSeveral reports whether an error is that a row is several records.
func isSeveral(err error) bool {
	e, ok := errors.AsType[*apperr.Error](err)
	return ok && slices.ContainsFunc(e.Details, func(d apperr.Detail) bool { return d.Code == SeveralRecords })
}

// amounts returns how many amounts a row has. The weight of freight is that of each of its legs.
func amounts(typ string, read json.RawMessage) (n int) {
	var body map[string]json.RawMessage
	var stated struct{ Stated map[string]json.RawMessage }
	if json.Unmarshal(read, &body) != nil || json.Unmarshal(read, &stated) != nil {
		return 0 // nothing could be read
	}
	for _, field := range append(amountsOf(typ), otherAmounts[typ]...) {
		_, direct := body[field]
		if _, inUnit := stated.Stated[field]; (direct || inUnit) && (typ != "freight" || field != "weightKg") {
			n++
		}
	}
	return n
}
