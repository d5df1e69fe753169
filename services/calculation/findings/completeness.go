package findings

import (
	"encoding/json"
	"slices"
)

// wordsOfRecord are the fields that say nothing of what a record counts: two
// records that differ in them alone may be one entered twice.
var wordsOfRecord = []string{"description", "externalReference", "evidence", "metadata", "dataQuality"}

// sameAs returns what makes records of a type alike: all their fields but the
// words; empty for fields that do not read.
func sameAs(typ string, fields json.RawMessage) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(fields, &all) != nil {
		return ""
	}
	for _, name := range wordsOfRecord {
		delete(all, name)
	}
	text, err := json.Marshal(all) // members in the order of their names
	if err != nil {
		return ""
	}
	return typ + string(text)
}

// duplicates finds records of one type and date that count the same. Flights
// have a check of their own. A record without a date is as likely one of
// several: it is not compared.
func duplicates(_ Event, facts []*Fact) (out []Finding) {
	for _, g := range groups(facts, func(f *Fact) string {
		if f.Type == "flights" || f.Type == "custom" || f.Date == "" {
			return ""
		}
		return f.same
	}) {
		if len(g) > 1 {
			out = append(out, finding(DuplicateRecord, Warning, g,
				"%d %s records of %s are equal in all that counts (every field but words and evidence).", len(g), g[0].Type, g[0].Date))
		}
	}
	return out
}

// includedMissing finds types that the boundary includes and no counted record
// is of.
func includedMissing(e Event, facts []*Fact) (out []Finding) {
	for _, typ := range e.Included {
		if !slices.ContainsFunc(facts, func(f *Fact) bool { return f.Type == typ }) {
			out = append(out, finding(IncludedTypeMissing, Warning, nil,
				"The event's boundary includes %s, and no approved record is of that type; the total lacks it.", typ))
		}
	}
	return out
}
