package footprint_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestLessIsTheSumOfTheRest subtracts records from a sum, one after the other: the rest equals the sum of the others
// byte by byte, or cannot be determined. For every engine.
func TestLessIsTheSumOfTheRest(t *testing.T) {
	t.Parallel()
	told := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		ev := drawContext(t)
		ev.Engine = rapid.SampledFrom(footprint.Engines()).Draw(t, "any engine")
		var parts []total.Contribution
		for _, p := range drawParts(t, ev) {
			for range rapid.IntRange(1, 3).Draw(t, "alike") {
				parts = append(parts, p)
			}
		}
		sum := total.Sum(parts...)
		before := encoded(t, sum)
		for len(parts) > 0 {
			i := rapid.IntRange(0, len(parts)-1).Draw(t, "withdrawn")
			one := parts[i]
			parts = slices.Delete(parts, i, i+1)
			want := total.Sum(parts...)
			got, ok := sum.Less(one)
			if ok && encoded(t, got) != encoded(t, want) {
				t.Fatalf("without %s:\ngot  %s\nwant %s", encoded(t, one), encoded(t, got), encoded(t, want))
			}
			if ok {
				told[ev.Engine]++
				if rapid.Bool().Draw(t, "goes on") {
					want = got
				}
			}
			if encoded(t, sum) != before {
				t.Fatal("taking from a sum changed it")
			}
			sum, before = want, encoded(t, want)
		}
	})
	for _, engine := range footprint.Engines() {
		if told[engine] == 0 {
			t.Errorf("engine %s: nothing was ever told", engine)
		}
	}
}

// TestWhichRecordsCanBeSubtracted verifies which records can be subtracted from a sum: those whose factors other records use too,
// but not the last one of a factor, nor a record that was not added.
func TestWhichRecordsCanBeSubtracted(t *testing.T) {
	t.Parallel()
	read := func(typ, body string) total.Contribution {
		d, err := footprint.Decode(typ, []byte(body), london)
		if err != nil {
			t.Fatal(describe(err))
		}
		e, err := footprint.Evaluate(typ, d.Fields, london)
		if err != nil {
			t.Fatal(describe(err))
		}
		return total.Of(&e)
	}
	landfill := read("waste", `{"material":"mixed","treatment":"landfill","weightKg":120}`)
	more := read("waste", `{"material":"mixed","treatment":"landfill","weightKg":7}`)
	burned := read("waste", `{"material":"mixed","treatment":"incineration","weightKg":120}`)
	for _, c := range []struct {
		name string
		sum  []total.Contribution
		less total.Contribution
		ok   bool
	}{
		{"one of two alike", []total.Contribution{landfill, more}, more, true},
		{"one of three, two alike", []total.Contribution{landfill, burned, more}, landfill, true},
		{"the last one", []total.Contribution{more}, more, false},
		{"the last one of its factor", []total.Contribution{landfill, burned, more}, burned, false},
		{"one that is not in it", []total.Contribution{landfill, more}, burned, false},
	} {
		got, ok := total.Sum(c.sum...).Less(c.less)
		if ok != c.ok {
			t.Errorf("%s: told %t, want %t: %s", c.name, ok, c.ok, encoded(t, got))
		}
	}
}

// TestLessOfTheWidest: a sum has its six widest records. With fewer it has all of them, and one can be subtracted;
// with six the next one is unknown.
func TestLessOfTheWidest(t *testing.T) {
	t.Parallel()
	sum := func(wide ...string) total.Contribution {
		counts := `"waste|x|9|900|900|` + strings.Join(wide, ",") + `"`
		return stored(t, `{"engine":"`+footprint.Engine5+`","records":9,"total":"90","counts":[`+counts+`],"cells":["waste|x|f||3|5|90||0|0"]}`)
	}
	one := func(wide string) total.Contribution {
		return stored(t, `{"engine":"`+footprint.Engine5+`","records":1,"total":"9","counts":["waste|x|1|9|9|`+wide+`"],"cells":["waste|x|f||3|5|9||0|0"]}`)
	}
	for _, c := range []struct {
		name string
		sum  []string
		less string
		ok   bool
		want string
	}{
		{"it is not wide", []string{"9:9:9", "9:9:8"}, "", true, "9:9:9,9:9:8"},
		{"it is one of two", []string{"9:9:9", "9:9:8"}, "9:9:9", true, "9:9:8"},
		{"it is not among two", []string{"9:9:9", "9:9:8"}, "9:9:7", false, ""},
		{"it is among six", []string{"9:9:9", "9:9:8", "9:9:7", "9:9:6", "9:9:5", "9:9:4"}, "9:9:6", false, ""},
		{"it is as wide as the last of six", []string{"9:9:9", "9:9:8", "9:9:7", "9:9:6", "9:9:5", "9:9:4"}, "9:9:4", false, ""},
		{"it is behind six", []string{"9:9:9", "9:9:8", "9:9:7", "9:9:6", "9:9:5", "9:9:4"}, "9:9:3", true, "9:9:9,9:9:8,9:9:7,9:9:6,9:9:5,9:9:4"},
	} {
		got, ok := sum(c.sum...).Less(one(c.less))
		if ok != c.ok {
			t.Errorf("%s: told %t, want %t", c.name, ok, c.ok)
		}
		if ok && !strings.Contains(encoded(t, got), `"waste|x|8|891|891|`+c.want+`"`) {
			t.Errorf("%s: left %s, want %s", c.name, encoded(t, got), c.want)
		}
	}
}

// TestLessByEntry verifies the entries of a sum after subtracting its last record, and that anything that is not part
// of a sum is not subtracted.
func TestLessByEntry(t *testing.T) {
	t.Parallel()
	const cells = `,"cells":["waste|x|f||3|5|%||0|0"]}`
	of := func(engine, records, counts, parts, mass string) total.Contribution {
		text := `{"engine":"` + engine + `","records":` + records + `,"total":"` + mass + `","counts":[` + counts + `]`
		if parts != "" {
			text += `,"parts":[` + parts + `]`
		}
		if mass == "0" {
			return stored(t, text+"}")
		}
		return stored(t, text+strings.Replace(cells, "%", mass, 1))
	}
	const engine = footprint.Engine5
	for _, c := range []struct {
		name      string
		sum, less total.Contribution
		want      string // empty: cannot be determined
	}{
		{"the last of a group", of(engine, "2", `"waste|x|1|0|0|","waste|y|1|0|0|"`, "", "9"), of(engine, "1", `"waste|y|1|0|0|"`, "", "4"),
			encoded(t, of(engine, "1", `"waste|x|1|0|0|"`, "", "5"))},
		{"the last of a part", of(engine, "2", `"waste|x|2|7|7|"`, `"3|7|7|"`, "9"), of(engine, "1", `"waste|x|1|7|7|"`, `"3|7|7|"`, "4"),
			encoded(t, of(engine, "1", `"waste|x|1|0|0|"`, "", "5"))},
		{"the last, without a line", of(engine, "1", `"waste|x|1|0|0|"`, "", "0"), of(engine, "1", `"waste|x|1|0|0|"`, "", "0"), ""},
		{"by another engine", of(engine, "2", `"waste|x|2|0|0|"`, "", "9"), of(footprint.Engine4, "1", `"waste|x|1|0|0"`, "", "4"), ""},
		{"of a greater variance", of(engine, "2", `"waste|x|2|7|7|"`, "", "9"), of(engine, "1", `"waste|x|1|8|7|"`, "", "4"), ""},
		{"of a variance with the last of a group", of(engine, "2", `"waste|x|1|7|7|","waste|y|1|2|2|"`, "", "9"), of(engine, "1", `"waste|y|1|1|1|"`, "", "4"), ""},
	} {
		got, ok := c.sum.Less(c.less)
		if ok != (c.want != "") {
			t.Errorf("%s: told %t: %s", c.name, ok, encoded(t, got))
		} else if ok && encoded(t, got) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, encoded(t, got), c.want)
		}
	}
}

// stored decodes a stored contribution.
func stored(t *testing.T, text string) (c total.Contribution) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(text, err)
	}
	return c
}
