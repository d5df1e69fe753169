package sheet

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// readAll returns the bodies and faults of the rows of a table.
func readAll(t *testing.T, typ string, rows ...[]string) (got []string, r *Reader) {
	t.Helper()
	var file []byte
	for _, row := range rows {
		file = AppendRow(file, row)
	}
	r, err := NewReader(strings.NewReader(string(file)), typ, Options{Rules: Rules, Known: LeadingColumns()})
	if err != nil {
		t.Fatal(err)
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got, r
		}
		if err = errors.Join(err, row.Err); err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, string(row.Body))
	}
}

// TestAnExportIsReadByItsNames: a column beside those of an export means nothing, whatever its heading means in the table of
// a supplier and whatever is in it.
func TestAnExportIsReadByItsNames(t *testing.T) {
	t.Parallel()
	headings := map[string]bool{"Total kWh": true, "Weight (t)": true, "Miles": true, "Hours per day": true, "Day kWh": true, "Night kWh": true, "Leg 2 From": true, "Leg 2 To": true, "What city do you travel from?": true, "Distance": true, "Status": true, "Net (GBP)": true}
	var lists map[wordlist.List][]string
	if err := json.Unmarshal(footprint.TableWords(), &lists); err != nil {
		t.Fatal(err)
	}
	for name := range lists {
		if strings.HasSuffix(string(name), "Heads") || strings.Contains(string(name), ".") {
			for _, word := range name.All() {
				headings[word] = true
			}
		}
	}
	for _, typ := range append(footprint.Types(), footprint.OriginRows) {
		var own []string
		for _, c := range slices.Concat(Columns(typ), ServerColumns()) {
			own = append(own, plain(c.Name))
			for _, word := range slices.Concat(c.headings, c.titles) {
				headings[word] = true
			}
		}
		head, row := []string{"_id", "type"}, []string{"r1", typ}
		if typ == footprint.OriginRows {
			head, row = []string{"_id", "place", "people"}, []string{"r1", "Bonn", "3"}
		} else {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(footprint.Examples(typ)[0], &fields); err != nil {
				t.Fatal(err)
			}
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				cell, err := Cell(fields[name])
				if err != nil {
					t.Fatal(err)
				}
				head, row = append(head, name), append(row, cell)
			}
		}
		want, _ := readAll(t, typ, head, row)
		among := slices.DeleteFunc(slices.Sorted(maps.Keys(headings)), func(word string) bool {
			return slices.Contains(own, plain(word)) || plain(word) == "type" || word == ""
		})
		for some := range slices.Chunk(among, 40) {
			for _, cell := range []string{"7", "cancelled", "LHR-JFK-LHR", "Seat fee"} {
				got, r := readAll(t, typ, slices.Concat(head, some), slices.Concat(row, slices.Repeat([]string{cell}, len(some))))
				if !slices.Equal(got, want) || len(r.Ignored()) != len(some) {
					t.Fatalf("%s beside %q with %q: %q, ignored %q\nwant %q", typ, some, cell, got, r.Ignored(), want)
				}
			}
		}
	}
}

// TestWordListsAreInOrder: the lists are in the order of their names, one to a line, so that each has its place.
func TestWordListsAreInOrder(t *testing.T) {
	t.Parallel()
	before := ""
	for line := range strings.Lines(string(footprint.TableWords())) {
		_, rest, list := strings.Cut(line, `"`)
		name, _, _ := strings.Cut(rest, `"`)
		if list && name <= before {
			t.Errorf("the list %s is behind %s", name, before)
		}
		before = cmp.Or(name, before)
	}
	if before == "" {
		t.Error("there are no lists")
	}
}

// TestWordLists: every list has its words, in the form in which they are looked up, and is used.
func TestWordLists(t *testing.T) {
	t.Parallel()
	var lists map[string][]string
	if err := json.Unmarshal(footprint.TableWords(), &lists); err != nil {
		t.Fatal(err)
	}
	counted := map[string]string{}
	for name, words := range lists {
		if len(words) == 0 {
			t.Errorf("%s is empty", name)
		}
		for i, word := range words {
			if other, all := strings.CutPrefix(word, "@"); all {
				if lists[other] == nil {
					t.Errorf("%s has the words of %s, which is no list", name, other)
				}
				continue
			}
			if slices.Contains(words[:i], word) || word != strings.ToLower(word) {
				t.Errorf("%s: %q is there twice, or has capitals", name, word)
			}
			if strings.HasSuffix(name, "Heads") && name != "priceHeads" && word != plain(word) {
				t.Errorf("%s: the heading %q is not as plain writes it", name, word)
			}
			if kind, of, ok := strings.Cut(name, "."); ok && (kind == "one" || kind == "several") {
				if before := counted[kind+word]; before != "" {
					t.Errorf("%q counts %s and %s", word, before, of)
				}
				counted[kind+word] = of
			}
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`wordlist.List = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			if lists[m[1]] == nil {
				t.Errorf("%s: there is no list %s", file, m[1])
			}
		}
	}
	for name, words := range lists {
		first, second, dotted := strings.Cut(name, ".")
		included := slices.ContainsFunc(slices.Collect(maps.Values(lists)), func(other []string) bool { return slices.Contains(other, "@"+name) })
		if !included && !used[first] && !(dotted && used[second]) {
			t.Errorf("nothing uses the list %s, %.60q", name, words)
		}
	}
}
