package records

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/charsets"
	"github.com/eventcarbon/ecf/libs/spelling"
	"github.com/eventcarbon/ecf/libs/units"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// importOptions parses the query; again reports the wish to import a file once more, and records that to be told the rows as
// they are read. Unknown parameters become notices, or errors with strict handling.
func importOptions(c *fiber.Ctx, i *record.Import) (again, records bool, err error) {
	q := &importQuery{c: c, known: []string{"sheet"}}
	i.Partial = q.choose("partial", "false", "true") == "true"
	i.DecimalComma = q.choose("decimal", "point", "comma") == "comma"
	if mode := q.choose("onDuplicate", writes.AllDuplicates()...); mode != string(writes.Refuse) {
		i.OnDuplicate = mode
	}
	again = q.choose("again", "false", "true") == "true"
	records = q.choose("records", "false", "true") == "true"
	if dry, err := web.DryRun(c); records && err == nil && !dry {
		q.fault("records", "Only a rehearsal, with the header X-Dry-Run: true, tells the records of a file.", "false")
	}
	i.NumberFormat = q.oneOf("numberFormat", units.Formats())
	i.DateOrder = q.oneOf("dateOrder", units.Orders())
	q.oneOf("encoding", charsets.Names())
	_, declared := q.value("decimal")
	switch {
	case declared && i.NumberFormat != "" && strings.HasSuffix(i.NumberFormat, ",5") != i.DecimalComma:
		q.fault("numberFormat", "decimal and numberFormat declare different separators of the decimals; leave decimal out.")
	case declared && i.NumberFormat == "" && !i.DecimalComma:
		i.NumberFormat = "1234.5"
	}
	if to, ok := q.value("to"); ok {
		i.To = to
		if i.Type != footprint.AttendeeTravel || to == "" || len(to) > places.MaxText {
			q.fault("to", "to is a place, for files of attendee travel alone.")
		}
	}
	i.Columns = q.columns()
	q.unknown()
	if len(q.faults) > 0 {
		return false, false, apperr.Invalid(q.faults...)
	}
	return again, records, nil
}

// importQuery parses the parameters of an import, and collects their errors.
type importQuery struct {
	c      *fiber.Ctx
	known  []string
	faults []apperr.Detail
}

func (q *importQuery) fault(name, message string, suggestions ...string) {
	q.faults = append(q.faults, apperr.Detail{Field: name, Code: fields.NotAllowed, Message: message, Suggestions: suggestions})
}

// value returns a parameter, and whether it is present.
func (q *importQuery) value(name string) (string, bool) {
	q.known = append(q.known, name)
	args := q.c.Context().QueryArgs()
	return string(args.Peek(name)), args.Has(name)
}

// choose returns one of the values, the first if the parameter is absent.
func (q *importQuery) choose(name string, values ...string) string {
	value, ok := q.value(name)
	if !ok {
		return values[0]
	}
	if !slices.Contains(values, value) {
		q.fault(name, name+" is one of "+strings.Join(values, ", ")+".", values...)
	}
	return value
}

// oneOf returns one of the values, or the empty string if the parameter is absent.
func (q *importQuery) oneOf(name string, allowed []string) string {
	value, ok := q.value(name)
	if ok && !slices.Contains(allowed, value) {
		q.faults = append(q.faults, fields.NotOneOf(name, value, allowed))
	}
	return value
}

// maxChosen bounds the columns that are chosen.
const maxChosen = 500

// columns returns the columns that are chosen for a file.
func (q *importQuery) columns() (chosen []string) {
	const name = "column"
	q.known = append(q.known, name)
	values := q.c.Context().QueryArgs().PeekMulti(name)
	if len(values) > maxChosen {
		q.faults = append(q.faults, apperr.Detail{Field: name, Code: fields.TooMany, Message: fmt.Sprintf("column can be given at most %d times.", maxChosen)})
		return nil
	}
	for _, value := range values {
		c, ok := sheet.ParseChoice(string(value))
		if !ok {
			q.faults = append(q.faults, apperr.Detail{Field: name, Code: fields.BadFormat,
				Message: fmt.Sprintf("column is the letters of a column, a colon, and a field or heading of at most 200 characters, such as C:from, D:Weight (t) or F: to leave it out; got %.60q.", value)})
			continue
		}
		chosen = append(chosen, c.String())
	}
	return chosen
}

// maxUnknownParameters bounds the notices of a query.
const maxUnknownParameters = 20

// unknown reports the unknown parameters: a misspelled dateOrder must not go unnoticed. What
// looks like a request for a dry run is an error, because the file would be imported.
func (q *importQuery) unknown() {
	strict, named := web.Strict(q.c), 0
	for key := range q.c.Context().QueryArgs().All() {
		name := string(key)
		if slices.Contains(q.known, name) || named == maxUnknownParameters {
			continue
		}
		named++
		near := spelling.Related(name, q.known, 2)
		switch {
		case rehearsal(name):
			q.fault(name, "A rehearsal is asked for by the header X-Dry-Run: true, not in the query.", web.HeaderDryRun)
		case strict:
			q.faults = append(q.faults, apperr.Detail{Field: name, Code: fields.UnknownField, Message: "An import has no such parameter.", Suggestions: near})
		default:
			web.Notify(q.c, fields.Notice{Code: fields.UnknownFieldIgnored, Field: name, Message: "An import has no such parameter; it was dropped.", Suggestions: near})
		}
	}
}

// refuseColumns returns the error of strict handling for columns that are not fields of a type.
func refuseColumns(typ string, heads []string) error {
	if len(heads) == 0 {
		return nil
	}
	columns := sheet.Columns(typ)
	if typ == sheet.Mixed {
		columns = sheet.All(footprint.Types())
	}
	known := make([]string, len(columns))
	for i, c := range columns {
		known[i] = c.Name
	}
	faults := make([]apperr.Detail, len(heads))
	for i, head := range heads {
		faults[i] = apperr.Detail{Field: head, Code: fields.UnknownField, Message: "This column is no field of the records.", Suggestions: spelling.Related(head, known, 2)}
	}
	return apperr.Invalid(faults...)
}

// rehearsal reports whether the name of a parameter looks like a request for a dry run.
func rehearsal(name string) bool {
	letters := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	return strings.TrimPrefix(letters, "x") == "dryrun"
}
