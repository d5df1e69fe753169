package sheet_test

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestSplitTables: tables with a column for each of several records (testdata/split.txt).
func TestSplitTables(t *testing.T) {
	t.Parallel()
	for _, table := range expectedTables(t, "testdata/split.txt", 26) {
		table.check(t, countedRows(t, table.typ, table.country, table.text+"\n"))
	}
}

// TestSplit: the rows of a row have its number and the cells of one record each; a row with a reference, and one of a file accepted
// before, is refused as a whole.
func TestSplit(t *testing.T) {
	t.Parallel()
	read := func(file string, rules int) (cells [][]string, split sheet.Split) {
		r, err := sheet.NewReader(strings.NewReader(file), "catering", sheet.Options{Rules: rules})
		for err == nil {
			var row sheet.Row
			if row, err = r.Next(); err == nil {
				if row.Number != 2 {
					t.Errorf("row %d, want 2", row.Number)
				}
				cells = append(cells, append([]string(nil), row.Cells...))
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return cells, r.Split()
	}
	const file = "Meal,Vegan,Vegetarian,Meals\nLunch,20,30,50\n"
	cells, split := read(file, sheet.Rules)
	if want := [][]string{{"Lunch", "20", "", ""}, {"Lunch", "", "30", ""}}; !reflect.DeepEqual(cells, want) {
		t.Errorf("got %q, want %q", cells, want)
	}
	if want := (sheet.Split{Rows: 1, Records: 2, Heads: []string{"Vegan", "Vegetarian"}}); !reflect.DeepEqual(split, want) {
		t.Errorf("got %+v, want %+v", split, want)
	}
	form, err := sheet.DetectForm(strings.NewReader(file), "catering", sheet.Options{Rules: sheet.Rules})
	if err != nil || form.Rows != 2 {
		t.Errorf("at most %d rows, want 2; %v", form.Rows, err)
	}
	for name, got := range map[string][][]string{
		"with a reference":    first(read("Meal,Vegan,Vegetarian,externalReference\nLunch,20,30,a\n", sheet.Rules)),
		"accepted by rules 1": first(read(file, 1)),
	} {
		if len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func first[T, U any](one T, _ U) T { return one }

// TestSplitIsBounded: each record of a row reads all of its columns, so that rows of many would take hours within the size of a
// file. Such a row is refused as a whole, and so is any behind as many records as an import has, where the rows that were read
// as several were refused as well.
func TestSplitIsBounded(t *testing.T) {
	t.Parallel()
	rows := func(columns, lines int, last string) (rows, refused int) {
		head := strings.Repeat("Vegan,Vegetarian,", columns/2) + "Meal\n"
		line := strings.Repeat("1,", columns) + last + "\n"
		r, err := sheet.NewReader(strings.NewReader(head+strings.Repeat(line, lines)), "catering", sheet.Options{Rules: sheet.Rules})
		for err == nil {
			var row sheet.Row
			if row, err = r.Next(); err == nil {
				rows++
				if row.Err != nil {
					refused++
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return rows, refused
	}
	for _, c := range []struct{ columns, lines, rows, refused int }{
		{2, 1, 2, 0},
		{64, 2, 128, 0},
		{66, 2, 2, 2},
		{2, 50_004, 100_004, 4},
	} {
		if n, refused := rows(c.columns, c.lines, "Lunch"); n != c.rows || refused != c.refused {
			t.Errorf("%d rows of %d amounts are %d, %d of them refused; want %d and %d", c.lines, c.columns, n, refused, c.rows, c.refused)
		}
	}
}

// TestSharesOfAWeightAreBounded is the same for the shares of a weight, whose parts come to the weight although rounded
// shares do not come to all of it.
func TestSharesOfAWeightAreBounded(t *testing.T) {
	t.Parallel()
	read := func(shares []string) (weights []string) {
		file := "Material,Weight kg" + strings.Repeat(",Recycled %,Landfill %,Composted %", len(shares)/3) + "\nmixed,1000," + strings.Join(shares, ",") + "\n"
		form, err := sheet.DetectForm(strings.NewReader(file), "waste", sheet.Options{Rules: sheet.Rules})
		if err != nil {
			t.Fatal(err)
		}
		r, err := sheet.NewReader(strings.NewReader(file), "waste", sheet.Options{Rules: sheet.Rules})
		for err == nil {
			var row sheet.Row
			if row, err = r.Next(); err == nil && row.Err == nil {
				var body struct{ WeightKg json.Number }
				if err := json.Unmarshal(row.Body, &body); err != nil {
					t.Fatal(err)
				}
				weights = append(weights, body.WeightKg.String())
			}
		}
		if int64(len(weights)) > form.Rows {
			t.Errorf("%d shares are %d records, more than the %d foreseen", len(shares), len(weights), form.Rows)
		}
		return weights
	}
	if got := read([]string{"33.3", "33.3", "33.3"}); !slices.Equal(got, []string{"333.333333333333", "333.333333333333", "333.333333333333"}) {
		t.Errorf("thirds of 1000 kg are %v", got)
	}
	if got := read(slices.Repeat([]string{"1"}, 99)); len(got) > 0 {
		t.Errorf("a row of 99 shares is %d records, want it to be refused", len(got))
	}
}
