package imports

import (
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/writes"
)

// ErrorsColumn is the additional column of a file of bad rows. An import ignores it without a
// notice.
const ErrorsColumn = "importErrors"

// Options returns how the file of an import is read.
func Options(i record.Import) sheet.Options {
	return sheet.Options{DecimalComma: i.DecimalComma, NumberFormat: i.NumberFormat, DateOrder: i.DateOrder, Doubts: i.Doubts, HeadRow: i.HeadRow, Rules: i.Rules, Known: append(sheet.LeadingColumns(), ErrorsColumn)}
}

// Choices returns the columns that were chosen for the file of an import.
func Choices(i record.Import) []sheet.Choice {
	choices := make([]sheet.Choice, 0, len(i.Columns))
	for _, text := range i.Columns {
		if c, ok := sheet.ParseChoice(text); ok { // checked when it was received
			choices = append(choices, c)
		}
	}
	return choices
}

// NotLeftOut returns the ignored columns of the file of an import without those that were left out by choice.
func NotLeftOut(i record.Import, ignored []string) []string {
	if len(i.Columns) == 0 {
		return ignored
	}
	return slices.DeleteFunc(slices.Clone(ignored), func(name string) bool {
		letters, headless := strings.CutPrefix(name, "column ")
		return headless && slices.Contains(i.Columns, letters+":")
	})
}

// RowType returns the type of a file's rows: records of its type, or, for attendee travel,
// the origins of one record.
func RowType(i record.Import) string {
	if i.Type == footprint.AttendeeTravel && !i.WholeRecords {
		return footprint.OriginRows
	}
	return i.Type
}

// RowTypes returns the possible types of a file's rows, before its head is known.
func RowTypes(i record.Import) []string {
	if i.Type == footprint.AttendeeTravel {
		return []string{footprint.OriginRows, i.Type}
	}
	return []string{i.Type}
}

// WholeRecords reports whether the rows of a file of attendee travel are records: then it has a
// column of origins, as an export does.
func WholeRecords(file io.Reader, i record.Import) bool {
	if i.Type != footprint.AttendeeTravel {
		return false
	}
	r, err := sheet.NewReader(file, i.Type, Options(i))
	return err == nil && slices.Contains(r.Heads(), wholeHead)
}

// wholeHead is the heading of files of attendee travel whose rows are records.
const wholeHead = "origins"

// RowTypeBelow returns the type of the rows of a file with some headings.
func RowTypeBelow(heads []string, i record.Import) string {
	i.WholeRecords = i.Type == footprint.AttendeeTravel && slices.Contains(heads, wholeHead)
	return RowType(i)
}

// MaxRows returns the maximum number of rows of a file.
func MaxRows(i record.Import) int64 {
	if RowType(i) == footprint.OriginRows {
		return footprint.MaxOrigins
	}
	return maxImportRows
}

// CheckDestination rejects a file of origins without a known destination.
func CheckDestination(i record.Import, event record.Event) error {
	if RowType(i) != footprint.OriginRows {
		return nil
	}
	if i.To == "" {
		if event.Location.IsZero() {
			return apperr.Invalid(apperr.Detail{Field: "to", Code: fields.Required,
				Message: "to is required because the event has no place. Give a town with its country, or a code."})
		}
		return nil
	}
	if _, _, detail := footprint.ResolveVenue(i.To, event.Country); detail != nil {
		detail.Field = "to"
		return apperr.Invalid(*detail)
	}
	return nil
}

// Destination returns where the people of a file of origins travel, however it was written, and
// the empty string for other files.
func Destination(i record.Import, event record.Event) string {
	if RowType(i) != footprint.OriginRows {
		return ""
	}
	if i.To == "" {
		return event.Location.String()
	}
	place, _, detail := footprint.ResolveVenue(i.To, event.Country)
	if detail != nil {
		return i.To // resolved at the time, in another country of the event
	}
	return place.String()
}

// LeastRecords returns the minimum number of records that importing a file creates.
func LeastRecords(i record.Import, rows int64) int64 {
	mode := writes.Duplicates(i.OnDuplicate)
	if RowType(i) == footprint.OriginRows || rows == 0 {
		return 1
	}
	if i.Partial || mode == writes.Skip || mode == writes.Update {
		return 0
	}
	return rows
}
