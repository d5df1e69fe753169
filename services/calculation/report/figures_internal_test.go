package report

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestThreeDigits: a figure that stands alone has the digits that the console shows.
func TestThreeDigits(t *testing.T) {
	t.Parallel()
	l, err := languageOf("en")
	if err != nil {
		t.Fatal(err)
	}
	for micrograms, want := range map[int64]string{
		0: "0", 456_000_000: "0.456", 8_471_000_000: "8.47", 20_462_000_000: "20.5", 57_000_000_000: "57.0", 130_786_000_000: "131", 1_569_434_000_000: "1,569",
	} {
		if got := l.threeDigits(footprint.MassOf(micrograms)); got != want {
			t.Errorf("%d µg: %s kg, want %s", micrograms, got, want)
		}
	}
}
