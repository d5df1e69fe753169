package release_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// guide repeats figures of measurements.
const (
	guide        = "docs/runbooks/capacity.md"
	measurements = "docs/benchmarks.md"
)

// figuresIn returns the numbers in a text, except those that are part of a word, like
// p95.
func figuresIn(text string) (all []string) {
	for _, m := range regexp.MustCompile(`(?:^|[^\pL0-9.,])([0-9](?:[0-9.,]*[0-9])?)`).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// section returns the text below a heading, up to the next one.
func section(page, title string) (string, error) {
	var below strings.Builder
	inside, found := false, false
	for line := range strings.Lines(page) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			inside = strings.TrimSpace(heading) == title
			found = found || inside
		} else if inside {
			below.WriteString(line)
		}
	}
	if !found {
		return "", fmt.Errorf("there is no section %q", title)
	}
	return below.String(), nil
}

// rowOf returns the only row of a section's tables whose first cell is or begins with a
// name, or else the only such paragraph.
func rowOf(section, name string) (string, error) {
	var exact, rows []string
	for block := range strings.SplitSeq(section, "\n\n") {
		lines := []string{block}
		if strings.Contains(block, "\n|") || strings.HasPrefix(block, "|") {
			lines = strings.Split(block, "\n")
		}
		for _, line := range lines {
			text := strings.TrimSpace(strings.ReplaceAll(line, "`", ""))
			first := text
			if strings.HasPrefix(text, "|") {
				first = strings.TrimSpace(strings.Split(text, "|")[1])
			}
			if first == name {
				exact = append(exact, text)
			} else if strings.HasPrefix(first, name) {
				rows = append(rows, text)
			}
		}
	}
	if len(exact) > 0 {
		rows = exact
	}
	if len(rows) != 1 {
		return "", fmt.Errorf("%d rows or paragraphs begin with %q, want one", len(rows), name)
	}
	return rows[0], nil
}

// anchor returns the link target of a heading.
func anchor(title string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// compareFigures returns what is wrong with a line of the guide: its figures must be in
// the rows it names, in order, and each of those rows must have one.
func compareFigures(measured, from, page string) error {
	m := regexp.MustCompile(`^\[(.+)\]\(\.\./benchmarks\.md#([^)]+)\): (".+")$`).FindStringSubmatch(from)
	if m == nil {
		return fmt.Errorf("%q names no section and row", from)
	}
	if want := anchor(m[1]); m[2] != want {
		return fmt.Errorf("the link leads to #%s, want #%s", m[2], want)
	}
	below, err := section(page, m[1])
	if err != nil {
		return err
	}
	left := figuresIn(measured)
	if len(left) == 0 {
		return fmt.Errorf("%q has no figure", measured)
	}
	complete, say := true, ""
	for name := range strings.SplitSeq(strings.Trim(m[3], `"`), `", "`) {
		row, err := rowOf(below, name)
		if err != nil {
			return fmt.Errorf("section %q: %w", m[1], err)
		}
		say += "\n\t" + row
		taken := 0
		for _, figure := range figuresIn(row) {
			if len(left) > 0 && figure == left[0] {
				left, taken = left[1:], taken+1
			}
		}
		complete = complete && taken > 0
	}
	if len(left) > 0 || !complete {
		return fmt.Errorf("%q is not what is measured: of its figures %v are left over or a row has none of them; the rows of %q say now%s", measured, left, m[1], say)
	}
	return nil
}

// TestCapacityGuideIsMeasured verifies that the figures of the guide are those of the
// benchmark rows that it names, and that its conclusions follow from them.
func TestCapacityGuideIsMeasured(t *testing.T) {
	t.Parallel()
	text, page := source(t, guide), source(t, measurements)
	rows, recalculation, inside := 0, "", false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "## ") {
			inside = line == "## What costs what"
		}
		cells := strings.Split(line, "|")
		if !inside || len(cells) < 3 || strings.Contains(line, "---") || strings.Contains(line, "| Measured |") {
			continue
		}
		if rows++; len(cells) != 6 {
			t.Errorf("%s:%d has %d columns, want 4", guide, i+1, len(cells)-2)
			continue
		}
		if err := compareFigures(strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3]), page); err != nil {
			t.Errorf("%s:%d: %v", guide, i+1, err)
		}
		if strings.Contains(cells[1], "processor for a recalculation") {
			figures := figuresIn(cells[2])
			recalculation = figures[len(figures)-1]
		}
	}
	if rows < 10 {
		t.Errorf("only %d rows were read", rows)
	}
	m := regexp.MustCompile(`some ([0-9,]+) recalculations a second at ([0-9.]+) ms each`).FindStringSubmatch(text)
	if m == nil || m[2] != recalculation {
		t.Fatalf("%s: %q recalculates in other than %s ms", guide, m, recalculation)
	}
	each, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		t.Fatal(err)
	}
	if said, want := strings.ReplaceAll(m[1], ",", ""), fmt.Sprint(10*math.Floor(100/each)); said != want {
		t.Errorf("%s: %s recalculations a second, and %s ms each allow %s", guide, m[1], m[2], want)
	}
	hash := regexp.MustCompile(`MemoryKiB: ([0-9]+) << 10`).FindStringSubmatch(source(t, "services/auth/password/hash.go"))
	if hash == nil || !strings.Contains(text, "a hash takes "+hash[1]+" MiB") {
		t.Errorf("%s gives a hash another size than %v", guide, hash)
	}
}

// TestFiguresAreThoseOfTheirRow verifies the comparison itself.
func TestFiguresAreThoseOfTheirRow(t *testing.T) {
	t.Parallel()
	const page = "# Page\n\n## One (two)\n| a | b |\n|---|---|\n| 1,000 | 2.1 ms |\n| 1,000,000 | 4.3 ms |\n| `x y` | 5 |\n\nWords say 7 µs, and 8 µs of p95.\n\n## Other\n| 1,000 | 9 ms |\n"
	const from = `[One (two)](../benchmarks.md#one-two): `
	for _, right := range [][2]string{
		{"with 1,000 2.1 ms, with 1,000,000 4.3 ms", from + `"1,000", "1,000,000"`}, {"5", from + `"x y"`},
		{"7 µs; p95 8 µs", from + `"Words say"`}, {"9 ms", `[Other](../benchmarks.md#other): "1,000"`},
	} {
		if err := compareFigures(right[0], right[1], page); err != nil {
			t.Errorf("%s: %v", right[0], err)
		}
	}
	for _, wrong := range [][2]string{
		{"4.3 ms, 2.1 ms", from + `"1,000", "1,000,000"`}, {"9 ms", from + `"1,000"`}, {"2.1 ms", from + `"1,000", "1,000,000"`}, {"2.1 ms, 3 ms", from + `"1,000"`},
		{"2.1 ms †", "†"}, {"2.1 ms", `[One (two)](../benchmarks.md#one): "1,000"`}, {"2.1 ms", `[Two](../benchmarks.md#two): "1,000"`},
		{"2.1 ms", from + `"10"`}, {"4.3 ms", from + `"1"`}, {"some", from + `"1,000"`}, {"1 ms", from + `"1,000"`},
	} {
		if err := compareFigures(wrong[0], wrong[1], page); err == nil {
			t.Errorf("%s is said to stand in %s", wrong[0], wrong[1])
		}
	}
}
