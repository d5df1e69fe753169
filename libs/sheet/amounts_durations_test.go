package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// A duration is hours, however it is written, and is asked about where it may be minutes.
func TestDurations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ head, cell, hours string }{
		{"Duration (minutes)", "90", "1.5"},
		{"Dauer (Min.)", "45", "0.75"},
		{"Dauer in Minuten", "50", "0.833333333333"},
		{"Minutes", "30", "0.5"},
		{"Duration (minutes)", "1.5 h", "1.5"},
		{"Duration", "90 min", "1.5"},
		{"Duration", "1:30:00", "1.5"},
		{"Duration", "0:45:30", "0.758333333333"},
		{"Duration", "1 h 30 min", "1.5"},
		{"Dauer", "2 Std. 15 Min.", "2.25"},
		{"Duration", "1h30", "1.5"},
		{"Duration", "1h 30m", "1.5"},
		{"Duration", "2 hours", "2"},
		{"Duration", "90", ""},
		{"Duration", "1:30", ""},
		{"Duration", "two hours", ""},
		{"Duration", "1 x 30", ""},
	} {
		want := "2 " + c.head + " BAD_FORMAT"
		if c.hours != "" {
			want = `2 {"activity":"conference","participants":5,"hours":` + c.hours + "}"
		}
		file := "activity;participants;" + c.head + "\nconference;5;" + c.cell + "\n"
		if got, r, err := all(file, "digital", sheet.Options{Rules: sheet.Rules, NumberFormat: "1234.5"}); err != nil || !reflect.DeepEqual(got, []string{want}) || len(r.Ignored()) > 0 {
			t.Errorf("%s %q: %q, %v, want %s", c.head, c.cell, got, err, want)
		}
	}
	for name, c := range map[string]struct{ typ, file, want string }{
		"beside hours": {"digital", "activity,participants,hours,Duration\nconference,5,2,90\n", `2 {"activity":"conference","participants":5,"hours":2}`},
		"of sessions":  {"digital", "activity,participants,Duration (minutes),Sessions\nconference,5,90,3\n", "2 Sessions AMBIGUOUS_COUNT"},
		"no duration":  {"digital", "activity,participants,Duration\nconference,5,\n", `2 {"activity":"conference","participants":5}`},
		"a generator":  {"energy", "source,generatorKVA,Run time,\ndiesel,60,90 min,\n", `2 {"source":"diesel","generatorKVA":60,"hours":1.5}`},
		"of a journey": {"flights", "from,to,passengers,Duration\nLHR,JFK,1,7:30\n", `2 {"from":"LHR","to":"JFK","passengers":1}`},
	} {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}
