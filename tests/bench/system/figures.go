package system

import (
	"fmt"
	"strings"
)

// Figure is something measured that is no ratio of rates.
type Figure struct {
	What  string
	Value float64
	Unit  string
	// Most is what is asked for; 0 where nothing is.
	Most float64
}

// Figures writes figures as tab-separated values.
func Figures(figures []Figure) string {
	var b strings.Builder
	b.WriteString("what\tvalue\tunit\tat most\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "%s\t%.4g\t%s\t%g\n", f.What, f.Value, f.Unit, f.Most)
	}
	return b.String()
}
