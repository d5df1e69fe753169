package footprint

import "testing"

// TestGasesAreLookedUp: every invalid value may be a gas, and a request may have hundreds of them. It does not run in
// parallel, since other allocations would count.
func TestGasesAreLookedUp(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	if !isGas("R-410A") || !isGas("halon 1211") || isGas("nope") {
		t.Error("gases are not what they are")
	}
	if made := testing.AllocsPerRun(10, func() { isGas("nope") }); made > 5 {
		t.Errorf("%.0f allocations to know that a text is no gas", made)
	}
}
