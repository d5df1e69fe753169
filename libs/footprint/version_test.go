package footprint

import (
	"slices"
	"testing"
)

// As text 2.10.0 is before 2.3.0: the results of such an engine would lack the features of engine 2.3.0.
func TestEnginesAreComparedByTheirNumbers(t *testing.T) {
	t.Parallel()
	order := []string{"", "1.2.0", "2.0.0", "2.3.0", "2.3.1", "2.10.0", "2.10.2", "2.10.10", "10.0.0"}
	for i, a := range order {
		for j, b := range order {
			if Since(a, b) != (i >= j) {
				t.Errorf("%q since %q: %t", a, b, Since(a, b))
			}
			if later := order[max(i, j)]; LaterEngine(a, b) != later {
				t.Errorf("the later of %q and %q is not %q", a, b, later)
			}
		}
	}
	if !slices.IsSortedFunc(Engines(), compareEngines) {
		t.Errorf("the engines are not in their order: %v", Engines())
	}
}
