package sheet

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/spend"
)

// Words of a title by which the amounts below it are in thousands, and those before them: in thousands, in Tsd, en miles de.
const (
	thousandsInTitles       wordlist.List = "thousandsInTitles"
	beforeThousandsInTitles wordlist.List = "beforeThousandsInTitles"
)

// thousandsIn returns the words of a title that say that amounts of money are in thousands, such as T€ and in thousands; empty
// if there are none. Names of events have words like those of headings, so only currencies that there are count.
func thousandsIn(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.Sc) && r != '\'' })
	for i, word := range words {
		for n := 1; n <= 2 && i > 0 && i+n <= len(words); n++ {
			if said := strings.Join(words[i:i+n], " "); beforeThousandsInTitles.Has(strings.ToLower(words[i-1])) && thousandsInTitles.Has(strings.ToLower(said)) {
				return words[i-1] + " " + said
			}
		}
		phrases := []string{word}
		if i > 0 {
			phrases = append(phrases, words[i-1]+" "+word)
		}
		for _, phrase := range phrases {
			code, ok := inThousands(phrase)
			if ok && (strings.ContainsFunc(phrase, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) || strings.Contains(phrase, code) && slices.Contains(spend.Currencies(), code)) {
				return phrase
			}
		}
	}
	return ""
}

// checkTitle returns an error if the rows above the headings say that amounts of money are in thousands, and their heading
// does not.
func (r *prices) checkTitle(above string) error {
	at := r.placeOf(moneyField)
	if at < 0 || r.thousands.found() {
		return nil
	}
	words := thousandsIn(above)
	if words == "" {
		return nil
	}
	return apperr.Invalid(apperr.Detail{Field: r.heads[at], Code: fields.BadFormat,
		Message: fmt.Sprintf("A row above the headings says %q, and the heading %s does not say that its amounts are in thousands. If they are, write it there, such as %s (T€); otherwise delete the row above.", words, r.heads[at], r.heads[at])})
}
