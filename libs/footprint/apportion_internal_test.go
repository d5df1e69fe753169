package footprint

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// TestApportion: people are divided into whole numbers by the largest remainder; ties in order of the input.
func TestApportion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       int64
		weights []int64
		want    []int64
	}{
		{10, []int64{1, 1, 1}, []int64{4, 3, 3}},
		{11, []int64{1, 1, 1}, []int64{4, 4, 3}},
		{2, []int64{1, 1, 1, 1}, []int64{1, 1, 0, 0}},
		{7, []int64{50, 30, 20}, []int64{4, 2, 1}}, // 3.5, 2.1, 1.4
		{5, []int64{0, 3, 1}, []int64{0, 4, 1}},    // 3.75, 1.25
		{5, []int64{0, 0}, []int64{0, 0}},
	} {
		weights := make([]decimal.Decimal, len(c.weights))
		for i, w := range c.weights {
			weights[i] = decimal.FromInt(w)
		}
		if got := apportion(c.n, weights); !slices.Equal(got, c.want) {
			t.Errorf("%d among %v: %v, want %v", c.n, c.weights, got, c.want)
		}
	}
}
