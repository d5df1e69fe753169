package csvrows_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet/internal/csvrows"
)

// TestRows: rows have the numbers that spreadsheets give them, also where one is looked at before its turn.
func TestRows(t *testing.T) {
	t.Parallel()
	f, err := csvrows.Open(strings.NewReader("sep=;\nA title\na;b\n\n\"c\nd\";=\"004\"\n;\ne;f\n"), csvrows.Options{HeadRow: 2})
	if err != nil || f.Comma() != ';' || f.Declared() != ';' || f.Title() != "A title\n" || !slices.Equal(f.Above(), []string{"A title"}) {
		t.Fatalf("%+v, %v", f, err)
	}
	rows := f.Rows()
	var got []string
	for {
		before := rows.Number()
		ahead, _ := rows.Peek()
		if ahead = slices.Clone(ahead); rows.Number() != before {
			t.Errorf("row %d was looked at, and row %d is the last one", rows.Number(), before)
		}
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || !slices.Equal(cells, ahead) {
			t.Fatalf("%q instead of %q, %v", cells, ahead, err)
		}
		got = append(got, fmt.Sprintf("%d %q", rows.Number(), cells))
	}
	if want := []string{`2 ["a" "b"]`, `4 ["c\nd" "004"]`, `5 ["" ""]`, `6 ["e" "f"]`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFirst: each of the first rows is read with its own separator.
func TestFirst(t *testing.T) {
	t.Parallel()
	f, err := csvrows.Open(strings.NewReader("\ufeffVisitors, by day\n\nx;y\n1;2\n"), csvrows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, numbers := f.First(2)
	if fmt.Sprintf("%q %v", rows, numbers) != `[["Visitors" " by day"] ["x" "y"]] [1 3]` {
		t.Errorf("%q %v", rows, numbers)
	}
}
