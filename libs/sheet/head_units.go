package sheet

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// qualifiedUnit is a unit at the end of a heading with the word behind it, in brackets, that says which one it is: Tons (short).
var qualifiedUnit = regexp.MustCompile(`(?i)^(.*?)\s*\b(\p{L}+)\s*[(\[]\s*(short|long|metric|us|uk|imperial)\s*[)\]]\s*$`)

// usualUnits returns a heading with its unit as units are known by: Amount (short tons) for Tons (short), and Weight (t) for
// Weight ('000 kg).
func usualUnits(head string) string {
	if len(head) > longestMark {
		return head
	}
	if m := qualifiedUnit.FindStringSubmatch(head); m != nil && isUnit(m[3]+" "+m[2]) {
		return cmp.Or(m[1], amountWord) + " (" + m[3] + " " + m[2] + ")"
	}
	if unit := unitUsed(head); unit != "" {
		return amountWord + " (" + unit + ")"
	}
	if stem, word, ok := unitOfHead(head); ok {
		if unit, of := ofThousands(word); of && thousandfold[unit] != "" {
			return stem + " (" + thousandfold[unit] + ")"
		}
	}
	return head
}

// unitUsedWords are words beside a unit in headings of what was used of it: kWh used, kwh_consumed, Consumed kWh.
const unitUsedWords wordlist.List = "unitUsedWords"

// unitUsed returns the unit of a heading of nothing but that and words for what was used, unless it is one of length: what was driven
// may be more than one way.
func unitUsed(head string) string {
	words := strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" _-()[]", r) })
	if len(words) < 2 || len(words) > 3 {
		return ""
	}
	unit := ""
	for _, word := range words {
		switch {
		case unitUsedWords.Has(strings.ToLower(word)):
		case unit != "":
			return ""
		default:
			unit = word
		}
	}
	if u := unitAmong([]string{strings.ToLower(unit)}); u != nil || unit == "" || len(unit) < 2 || !isUnit(unit) {
		return "" // of length
	}
	return unit
}

// thousandfold are units by those of which they are a thousand.
var thousandfold = map[string]string{"g": "kg", "kg": "t", "m": "km", "kWh": "MWh", "MWh": "GWh"}

// thousandWords are words for a thousand of what stands beside them.
const thousandWords wordlist.List = "thousandWords"

// ofThousands returns the symbol of the unit of which a text says thousands, empty for those of no unit: '000 kg, x 1.000.
func ofThousands(text string) (unit string, ok bool) {
	words := strings.Fields(strings.ToLower(text))
	for i := 0; i < len(words); i++ {
		if thousandWords.Has(strings.TrimLeft(words[i], "x×*")) {
			words, ok = append(words[:i:i], words[i+1:]...), true
			break
		}
	}
	rest := strings.Trim(strings.TrimPrefix(strings.Join(words, " "), "in "), "x×* ")
	if !ok || rest == "" || rest == "in" {
		return "", ok
	}
	for _, dimension := range units.Dimensions() {
		if u, err := units.ByName(rest, dimension); err == nil {
			return u.Symbol, true
		}
	}
	return "", false
}

// inThousands returns the field of numbers of people or things that a heading says are in thousands, such as Visitors (x 1000); -1
// if it means none.
func (in *interpreter) inThousands(head string) int {
	stem, word, found := unitOfHead(head)
	if unit, of := ofThousands(word); !found || !of || unit != "" {
		return -1
	}
	i := headed(in.known, stem)
	if i < 0 && in.typ == footprint.OriginRows && peopleHeads.Has(plain(stem)) {
		i = slices.IndexFunc(in.known, func(c Column) bool { return c.Name == "people" })
	}
	if i < 0 || in.known[i].Type != "integer" {
		return -1
	}
	return i
}

// countCell sets a number of people or things that is in thousands.
func (in *interpreter) countCell(b *body, at int, cell string) *apperr.Detail {
	n, filled, fault := in.partNumber(at, cell)
	if fault != nil || !filled {
		return fault
	}
	return b.setRounded(in.columns[at].Name, new(big.Rat).Mul(units.Rat(n), big.NewRat(1000, 1)))
}
