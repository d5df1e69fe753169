package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// originsOf returns a record of attendee travel with the number of people by town.
func originsOf(more string, towns ...string) string {
	var rows []string
	for _, town := range towns {
		name, people, _ := strings.Cut(town, " ")
		rows = append(rows, fmt.Sprintf(`{"place":%q,"people":%s}`, name, people))
	}
	return "attendee-travel {" + more + `"origins":[` + strings.Join(rows, ",") + "]}"
}

// TestAListThatHasGrown: one of two records of attendee travel may be a later state of the other, but only with the
// same destination, day and group.
func TestAListThatHasGrown(t *testing.T) {
	t.Parallel()
	first := originsOf("", "Bonn 1", "Ulm 2", "Kiel 1")
	grown := originsOf("", "Ulm 2", "Leeds 4", "Bonn 1", "KIEL 3")
	var many, all []string
	for n := range 9000 {
		many = append(many, fmt.Sprintf("T%d 1", n))
	}
	all = append(all, many...)
	for n := range 1000 {
		all = append(all, fmt.Sprintf("S%d 1", n))
	}
	for name, c := range map[string]struct {
		facts []string
		want  string // expected message; empty: no finding
	}{
		"grown":              {[]string{first, grown}, "the list, 4 people are counted twice"},
		"in any order":       {[]string{grown, first}, "the list, 4 people are counted twice"},
		"row by row":         {[]string{originsOf("", "Bonn 1", "Bonn 1", "Ulm 2", "Kiel 1"), originsOf("", "Bonn 2", "Ulm 2", "Kiel 1")}, "the list, 5 people are counted twice"},
		"of many":            {[]string{originsOf("", many...), originsOf("", all...)}, "the list, 9000 people are counted twice"},
		"of many others":     {[]string{originsOf("", many...), originsOf("", all[1500:]...)}, ""},
		"fewer of a town":    {[]string{first, originsOf("", "Bonn 1", "Ulm 1", "Kiel 9", "Leeds 9")}, ""},
		"another town":       {[]string{first, originsOf("", "Bonn 1", "Ulm 2", "Leeds 9")}, ""},
		"two towns":          {[]string{originsOf("", "Bonn 1", "Ulm 1"), grown}, ""},
		"two days":           {[]string{strings.Replace(first, "{", `{"date":"2026-06-10",`, 1), strings.Replace(grown, "{", `{"date":"2026-06-11",`, 1)}, ""},
		"a day and none":     {[]string{strings.Replace(first, "{", `{"date":"2026-06-10",`, 1), grown}, "the list, 4 people are counted twice"},
		"two groups":         {[]string{first, originsOf(`"group":"staff",`, "Bonn 1", "Ulm 2", "Kiel 1", "Leeds 1")}, ""},
		"the group of most":  {[]string{first, originsOf(`"group":"attendees",`, "Bonn 1", "Ulm 2", "Kiel 1", "Leeds 1")}, "the list, 4 people are counted twice"},
		"two destinations":   {[]string{first, originsOf(`"to":"Bonn",`, "Bonn 1", "Ulm 2", "Kiel 1", "Leeds 1")}, ""},
		"by another mode":    {[]string{first, strings.ReplaceAll(grown, `"people"`, `"mode":"rail","people"`)}, ""},
		"one way":            {[]string{first, strings.ReplaceAll(grown, `"people"`, `"roundTrip":false,"people"`)}, ""},
		"one alone":          {[]string{first}, ""},
		"another type":       {[]string{first, strings.Replace(grown, "attendee-travel", "custom", 1)}, ""},
		"equal in all else":  {[]string{first, originsOf(`"occupancy":2,`, "Bonn 1", "Ulm 2", "Kiel 1")}, "the list, 4 people are counted twice"},
		"the same once more": {[]string{first, first}, "identical except for texts and evidence"},
	} {
		if strings.HasPrefix(c.want, "identical") {
			c.facts = []string{strings.Replace(first, "{", `{"date":"2026-06-10",`, 1), strings.Replace(first, "{", `{"date":"2026-06-10",`, 1)}
		}
		got := ofCode(findings.Of(findings.Event{}, facts(c.facts...)), findings.DuplicateRecord)
		if c.want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0].Message, c.want) || c.want == "" || got[0].Severity != findings.Warning || got[0].Records != 2 {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}
