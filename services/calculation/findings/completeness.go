package findings

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
)

// wordsOfRecord are the fields that do not affect what a record counts: records that differ only in them may be
// duplicates.
var wordsOfRecord = []string{"description", "externalReference", "evidence", "metadata", "dataQuality"}

// sameAs returns a digest of the fields that identify duplicates of a type: all except texts, with described
// including the description; empty for unreadable fields.
func sameAs(typ string, fields json.RawMessage, described bool) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(fields, &all) != nil {
		return ""
	}
	var description string
	if described {
		_ = json.Unmarshal(all["description"], &description) // a missing one counts as empty
	}
	for _, name := range wordsOfRecord {
		delete(all, name)
	}
	text, err := json.Marshal(all) // members in the order of their names
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(slices.Concat([]byte(typ), text, []byte(normal(description))))
	return string(sum[:sameBytes])
}

// headOf returns the beginning of a digest as a number; 0 for none.
func headOf(digest string) uint64 {
	if digest == "" {
		return 0
	}
	var head [8]byte
	copy(head[:], digest)
	return binary.LittleEndian.Uint64(head[:]) | 1<<63 // never 0 for a digest
}

// sameBytes is the length of the digest: among a million records, the probability of a collision is 10^-27.
const sameBytes = 16

// duplicates finds records of one type with the same content. Flights with a date have their own check. Records of
// one date are probably duplicates; those without a date only if their descriptions are equal as well.
func duplicates(_ Event, facts []*Fact) (out []Finding) {
	same := func(f *Fact) string {
		if f.Date != "" && f.Type == "flights" {
			return ""
		}
		return f.same
	}
	alike, _ := inOrder(repeated(facts, func(f *Fact) uint64 { return headOf(same(f)) }), same)
	for _, g := range alike {
		switch {
		case len(g) < 2:
		case g[0].Date == "":
			out = append(out, finding(DuplicateRecord, Info, g,
				"%d %s records without a date are identical, including their descriptions. Check whether the same record was entered more than once.", len(g), g[0].Type))
		default:
			out = append(out, finding(DuplicateRecord, Warning, g,
				"%d %s records of %s are identical except for texts and evidence. Check whether the same record was entered more than once.", len(g), g[0].Type, g[0].Date))
		}
	}
	return out
}

// companion is a type of record that usually occurs with others at events.
type companion struct {
	because []string // any of these types
	expect  []string // all of these types are missing
	words   string
}

var expected = []companion{
	{[]string{"accommodation"}, []string{"ground-transport", "attendee-travel"}, "Overnight stays are recorded but no ground transport: the journeys between accommodation, station and venue are missing."},
	{[]string{"flights"}, []string{"ground-transport", "attendee-travel"}, "Flights are recorded but no ground transport: the journeys from and to airports are missing."},
	{[]string{"catering"}, []string{"waste"}, "Meals or drinks are recorded but no waste."},
	{[]string{"catering", "accommodation", "waste", "materials"}, []string{"venue", "energy"}, "People attend in person, but no venue energy is recorded."},
	{[]string{"venue"}, []string{"water"}, "A venue is recorded but no water."},
}

// companions finds types that are expected with those that are counted. Any record suffices; types excluded by the
// boundary are not expected, and none are if no attendees are stated.
func companions(e Event, facts []*Fact) (out []Finding) {
	if e.Attendees == 0 {
		return nil
	}
	counted := map[string]bool{}
	for _, f := range facts {
		if !counted[f.Type] && ofItsType(f) {
			counted[f.Type] = true
		}
	}
	anyOf := func(types []string) bool {
		return slices.ContainsFunc(types, func(typ string) bool { return counted[typ] })
	}
	for _, c := range expected {
		if !anyOf(c.because) || anyOf(c.expect) || slices.ContainsFunc(c.expect, func(typ string) bool { return slices.Contains(e.Excluded, typ) }) {
			continue
		}
		because := with(facts, func(f *Fact) bool { return slices.Contains(c.because, f.Type) && ofItsType(f) })
		out = append(out, finding(CompanionMissing, Info, because, "%s Add and approve at least one %s record, or exclude the type in the boundary with a reason.",
			c.words, strings.Join(c.expect, " or ")))
	}
	return out
}

// ofItsType reports whether a record represents its type: refrigerant is an energy record, but not energy.
func ofItsType(f *Fact) bool { return f.Source != "refrigerant" }

// includedMissing finds types that the boundary includes and no counted record
// is of.
func includedMissing(e Event, facts []*Fact) (out []Finding) {
	for _, typ := range e.Included {
		if !slices.ContainsFunc(facts, func(f *Fact) bool { return f.Type == typ }) {
			out = append(out, finding(IncludedTypeMissing, Warning, nil,
				"The event's boundary includes %s, but there is no approved record of this type, so the total does not include it.", typ))
		}
	}
	return out
}
