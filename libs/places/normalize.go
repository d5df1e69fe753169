package places

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letters are those without a compatibility decomposition, with their usual replacements on other keyboards.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "ħ", "h")

// Normalize returns the form in which names are compared: compatibility
// decomposition, lower case, without accents, and with every run of other
// characters than letters and digits as one space.
func Normalize(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	space := false
	for _, r := range norm.NFKD.String(letters.Replace(strings.ToLower(name))) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' || r == '`':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(unicode.ToLower(r))
		default:
			space = true
		}
	}
	return b.String()
}
