package system

import (
	"fmt"
	"strings"
)

// Figure is a measured value that is not a ratio of rates.
type Figure struct {
	What  string
	Value float64
	Unit  string
	// Most is the target; 0 if there is none.
	Most float64
}

// Figures formats figures as tab-separated values.
func Figures(figures []Figure) string {
	var b strings.Builder
	b.WriteString("what\tvalue\tunit\tat most\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "%s\t%.4g\t%s\t%g\n", f.What, f.Value, f.Unit, f.Most)
	}
	return b.String()
}
