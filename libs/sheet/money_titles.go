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
	if said := sayThousands(title); said != "" {
		return said
	}
	words := titleWords(title)
	for i, word := range words {
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

// sayThousands returns the words of a title that say that numbers are in thousands, such as in thousands; empty if there are none.
func sayThousands(title string) string {
	words := titleWords(title)
	for i := 1; i < len(words); i++ {
		for n := 1; n <= 2 && i+n <= len(words); n++ {
			if said := strings.Join(words[i:i+n], " "); beforeThousandsInTitles.Has(strings.ToLower(words[i-1])) && thousandsInTitles.Has(strings.ToLower(said)) {
				return words[i-1] + " " + said
			}
		}
	}
	return ""
}

// titleWords returns the words of a title with its numbers and signs of currencies.
func titleWords(title string) []string {
	return strings.FieldsFunc(title, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.Sc) && r != '\'' })
}

// checkTitle returns an error if the rows above the headings say that numbers are in thousands, and the heading of those of money
// does not.
func (r *prices) checkTitle(above string) error {
	at := r.placeOf(moneyField)
	if at < 0 {
		return r.checkNumbers(above)
	}
	if r.thousands.found() {
		return nil
	}
	words := thousandsIn(above)
	if words == "" {
		return nil
	}
	return apperr.Invalid(apperr.Detail{Field: r.heads[at], Code: fields.BadFormat,
		Message: fmt.Sprintf("A row above the headings says %q, and the heading %s does not say that its amounts are in thousands. If they are, write it there, such as %s (T€); otherwise delete the row above.", words, r.heads[at], r.heads[at])})
}

// checkNumbers returns an error if the rows above the headings say that numbers are in thousands, of which records are in full.
func (r *prices) checkNumbers(above string) error {
	words := sayThousands(above)
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.number() })
	if words == "" || at < 0 {
		return nil
	}
	return apperr.Invalid(apperr.Detail{Field: r.heads[at], Code: fields.BadFormat,
		Message: fmt.Sprintf("A row above the headings says %q, and the records would count the numbers below %s as they are. If they are in thousands, write them in full; then delete the row above.", words, r.heads[at])})
}
