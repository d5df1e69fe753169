package generate

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// matching returns a string that matches a regular expression, or "" if the expression
// is not supported.
func matching(r *rand.Rand, pattern string) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	write(r, &b, tree)
	return b.String()
}

func write(r *rand.Rand, b *strings.Builder, t *syntax.Regexp) {
	repeat := func(from, to int) {
		if to < 0 || to > from+8 {
			to = from + 8
		}
		for range from + r.IntN(to-from+1) {
			write(r, b, t.Sub[0])
		}
	}
	switch t.Op {
	case syntax.OpLiteral:
		b.WriteString(string(t.Rune))
	case syntax.OpCharClass:
		i := r.IntN(len(t.Rune)/2) * 2
		low, high := t.Rune[i], min(t.Rune[i+1], t.Rune[i]+200)
		b.WriteRune(low + rune(r.IntN(int(high-low)+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + r.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, s := range t.Sub {
			write(r, b, s)
		}
	case syntax.OpAlternate:
		write(r, b, t.Sub[r.IntN(len(t.Sub))])
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(t.Min, t.Max)
	}
}
