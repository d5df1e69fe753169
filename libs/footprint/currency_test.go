package footprint_test

import (
	"slices"
	"testing"
)

// An invalid currency is one fault: no prices are looked for in it.
func TestAnInvalidCurrencyIsOneFault(t *testing.T) {
	t.Parallel()
	want := []string{"currency TOO_LONG"}
	if got := faults(t, "purchases", `{"category":"printing","amount":100,"currency":"nonsense"}`, london); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
