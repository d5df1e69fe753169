package sheet

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/spend"
	"github.com/eventcarbon/ecf/libs/units"
)

// prices are the amounts of money of a table.
type prices struct {
	*table
	perItem *perItem
	// thousands is the column of amounts in thousands.
	thousands place
	// vat are the columns of value-added tax.
	vat vatColumns
}

// moneyField and currencyField are the fields of an amount of money and its currency.
const (
	moneyField    = "amount"
	currencyField = "currency"
)

// signs are currency symbols; empty: ambiguous.
var signs = map[string]string{"£": "GBP", "€": "EUR", "¥": "", "$": "", "US$": "USD", "A$": "AUD", "C$": "CAD", "Fr.": "CHF", "SFr.": "CHF", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "₺": "TRY", "円": "JPY"}

// noPence is written instead of the decimals of a whole amount: 4.320,- 4'320.– 4.320,-- A dash alone may be a minus
// where a currency follows it.
var noPence = regexp.MustCompile(`^[.,]?\s?[-‐‑–—−]{1,2}`)

// money returns the number of an amount of money, and the currency that it is written with, £8,400.00, 1.350,50 €, EUR 99, and
// whether it is of thousands: 12,5 T€. Any other text is returned unchanged, without a currency.
func money(cell string) (number, currency string, thousands bool) {
	first := strings.IndexAny(cell, "0123456789")
	if first < 0 {
		return cell, "", false
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
		return number, "", false
	}
	if before != "" && after != "" || word == "" {
		return cell, "", false
	}
	if code, ok := currencyWritten(word); ok {
		return number, code, false
	}
	if code, ok := inThousands(word); ok {
		return number, code, true
	}
	return cell, "", false
}

// currencyWritten returns the currency of a sign or a code, which is empty where a sign is that of several; false for any other
// text.
func currencyWritten(word string) (code string, ok bool) {
	if code, ok = signs[word]; ok {
		return code, true
	}
	code = strings.ToUpper(word)
	return code, len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Words for thousands before a currency, as in T€ and Tsd. EUR, and behind one, as in £'000; in small letters.
const (
	thousandsBefore wordlist.List = "thousandsBefore"
	thousandsBehind wordlist.List = "thousandsBehind"
)

// inThousands returns the currency of a unit of thousands, such as T€, kEUR and £'000; false for any other text.
func inThousands(word string) (code string, ok bool) {
	if _, own := currencyWritten(word); own && len(word) == 3 {
		return "", false // TRY
	}
	for _, some := range thousandsBefore.All() {
		if n := len(some); len(word) > n && strings.EqualFold(word[:n], some) {
			if code = currencyCounted(strings.TrimPrefix(word[n:], " ")); code != "" {
				return code, true
			}
		}
	}
	for _, some := range thousandsBehind.All() {
		if n := len(word) - len(some); n > 0 && strings.EqualFold(word[n:], some) {
			if code = currencyCounted(strings.TrimSuffix(word[:n], " ")); code != "" {
				return code, true
			}
		}
	}
	return "", false
}

// currencyCounted returns the currency beside a word for thousands. Small letters are a code only if there is such a currency:
// tons are not thousands of something.
func currencyCounted(word string) string {
	code, ok := currencyWritten(word)
	if _, sign := signs[word]; !ok || !sign && word != code && !slices.Contains(spend.Currencies(), code) {
		return ""
	}
	return code
}

// thousandfold sets an amount of money to a thousand times the number of a cell.
func (r *prices) thousandfold(b *body, at int, number string) *apperr.Detail {
	n, filled, fault := r.partNumber(at, number)
	if fault != nil || !filled {
		return fault
	}
	return b.setRounded(moneyField, new(big.Rat).Mul(units.Rat(n), big.NewRat(1000, 1)))
}

// ungrouped returns a whole number without its thousands separators, if the decimal separator at its end shows that they
// are: 4.320,- is 4320.
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

// noCurrencies are words of three letters behind amounts that are no currencies, in small letters.
const noCurrencies wordlist.List = "noCurrencies"

// moneyHead returns the currency in the heading of a column of money: Net (GBP), Betrag in EUR. It is empty for any
// other heading.
func moneyHead(known []Column, head string) string {
	stem, unit, ok := unitOfHead(head)
	if !ok {
		return ""
	}
	code, sign := signs[unit]
	if of, ok := inThousands(unit); ok {
		code = of
	} else if !sign && len(unit) == 3 && strings.Trim(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && !noCurrencies.Has(strings.ToLower(unit)) {
		code = unit
	}
	i := slices.IndexFunc(known, func(c Column) bool { return c.Name == moneyField })
	if i < 0 || plain(stem) != moneyField && !slices.Contains(known[i].headings, plain(stem)) {
		return ""
	}
	return code
}

// isThousands reports whether a unit is one of thousands of a currency.
func isThousands(unit string) bool {
	_, ok := inThousands(unit)
	return ok
}

// noteThousands takes note of a heading of amounts of money in thousands.
func (r *prices) noteThousands(at int) {
	_, unit, _ := unitOfHead(r.heads[at])
	if isThousands(unit) {
		r.thousands = placeAt(at)
	}
}

// amountOfMoney takes a cell of amounts of money, and returns its number; taken reports that nothing else is to be done with it.
func (r *prices) amountOfMoney(b *body, at int, cell string) (number string, taken bool, fault *apperr.Detail) {
	number, currency, ofThousands := money(cell)
	b.currency = currency
	switch {
	case at == r.thousands.index() && currency != "" && !ofThousands:
		return number, true, &apperr.Detail{Field: r.heads[at], Code: fields.BadFormat,
			Message: fmt.Sprintf("%s says that its amounts are in thousands, and %.40q has a currency of its own. Write the amount without it, or all of it below a heading without thousands.", r.heads[at], cell)}
	case ofThousands || at == r.thousands.index():
		return number, true, r.thousandfold(b, at, number)
	}
	return number, false, nil
}

// takeCurrency sets the currency of a row from its amount, if it has no other.
func (r *prices) takeCurrency(row *row) *apperr.Detail {
	if row.currency == "" && (row.values[moneyField] != nil || row.stated[moneyField] != "") {
		row.currency = r.currency
	}
	if row.currency == "" {
		return nil
	}
	stated := row.values[currencyField]
	if stated == nil {
		row.set(currencyField, json.RawMessage(strconv.Quote(row.currency)))
		return nil
	}
	if text := ""; json.Unmarshal(stated, &text) == nil && !strings.EqualFold(strings.TrimSpace(text), row.currency) && signs[text] != row.currency {
		at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == currencyField })
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{row.currency},
			Message: fmt.Sprintf("The amount is written in %s, and the currency is %q; they have to be one.", row.currency, text)}
	}
	return nil
}
