package sheet

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// moneyField and currencyField are the fields of an amount of money and its currency.
const (
	moneyField    = "amount"
	currencyField = "currency"
)

// signs are currency symbols; empty: ambiguous.
var signs = map[string]string{"£": "GBP", "€": "EUR", "¥": "", "$": "", "US$": "USD", "A$": "AUD", "C$": "CAD", "Fr.": "CHF", "SFr.": "CHF"}

// noPence is written instead of the decimals of a whole amount: 4.320,- 4'320.– 4.320,-- A dash alone may be a minus
// where a currency follows it.
var noPence = regexp.MustCompile(`^[.,]?\s?[-‐‑–—−]{1,2}`)

// money returns the number of an amount of money, and the currency that it is written with:
// £8,400.00, 1.350,50 €, EUR 99. Any other text is itself, without a currency.
func money(cell string) (number, currency string) {
	first := strings.IndexAny(cell, "0123456789")
	if first < 0 {
		return cell, ""
	}
	last := strings.LastIndexAny(cell, "0123456789") + 1
	before, after := strings.TrimSpace(cell[:first]), strings.TrimSpace(cell[last:])
	number = cell[first:last]
	m := noPence.FindString(after)
	if m != "" && (after == m || strings.ContainsAny(m, ".,")) {
		after = strings.TrimSpace(after[len(m):])
		number = ungrouped(number, m[0])
	}
	word := before + after
	if word == "" && m != "" {
		return number, ""
	}
	if before != "" && after != "" || word == "" {
		return cell, ""
	}
	code, known := signs[word]
	if !known {
		if code = strings.ToUpper(word); len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return cell, ""
		}
	}
	return number, code
}

// ungrouped returns a whole number without the separators of its thousands, where the decimal separator behind it says
// that they are: 4.320,- is 4320.
func ungrouped(number string, decimals byte) string {
	for _, group := range ".,' " {
		if decimals != '.' && decimals != ',' || group == rune(decimals) {
			continue
		}
		if n, err := units.ParseNumber(number, units.Format{Group: group, Decimal: rune(decimals)}); err == nil {
			return n.String()
		}
	}
	return number
}

// moneyHead returns the currency in the heading of a column of money: Net (GBP), Betrag in EUR. It is empty for any
// other heading.
func moneyHead(known []Column, head string) string {
	stem, unit, ok := unitOfHead(head)
	if !ok {
		return ""
	}
	code, sign := signs[unit]
	if !sign && len(unit) == 3 && strings.Trim(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && unit != "VAT" {
		code = unit
	}
	i := slices.IndexFunc(known, func(c Column) bool { return c.Name == moneyField })
	if i < 0 || plain(stem) != moneyField && !slices.Contains(known[i].headings, plain(stem)) {
		return ""
	}
	return code
}

// takeCurrency sets the currency of a row from its amount, if it has no other.
func (r *Reader) takeCurrency(b *body) *apperr.Detail {
	if b.currency == "" && (b.values[moneyField] != nil || b.stated[moneyField] != "") {
		b.currency = r.currency
	}
	if b.currency == "" {
		return nil
	}
	stated := b.values[currencyField]
	if stated == nil {
		b.set(currencyField, json.RawMessage(strconv.Quote(b.currency)))
		return nil
	}
	if text := ""; json.Unmarshal(stated, &text) == nil && !strings.EqualFold(strings.TrimSpace(text), b.currency) && signs[text] != b.currency {
		at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == currencyField })
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{b.currency},
			Message: fmt.Sprintf("The amount is written in %s, and the currency is %q; they have to be one.", b.currency, text)}
	}
	return nil
}
