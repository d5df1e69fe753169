package sheet

import "slices"

// Heading returns the first of some headings by which the column of a field can be named in files of a type, else the
// name of the field. typ is a record type, or that of rows of [Columns].
func Heading(typ, field string, among ...string) string {
	known := Columns(typ)
	for _, head := range among {
		i := headed(known, head)
		if i < 0 {
			i = slices.IndexFunc(known, func(c Column) bool { return plain(c.Name) == plain(head) })
		}
		if i < 0 {
			i = counted(known, head)
		}
		if i >= 0 {
			if known[i].Name == field {
				return head
			}
			continue
		}
		if c, _, ok := inUnits(typ, head); ok && c.Name == field {
			return head
		}
	}
	return field
}
