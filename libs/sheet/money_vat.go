package sheet

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// Words of headings of amounts of money without value-added tax, and with it; and headings of amounts with it, of the tax itself
// and of its rate, normalized by plain.
const (
	netMoneyWords   wordlist.List = "netMoneyWords"
	grossMoneyWords wordlist.List = "grossMoneyWords"
	grossMoneyHeads wordlist.List = "grossMoneyHeads"
	vatHeads        wordlist.List = "vatHeads"
	vatRateHeads    wordlist.List = "vatRateHeads"
)

// vatColumns are the columns of the tax that the amounts of a file contain, or do not.
type vatColumns struct {
	// amount is an amount that contains the tax.
	amount place
	// tax is the amount of the tax, and rate its rate.
	tax, rate place
}

// findVAT finds the tax of amounts in a table of purchases, and makes an amount with tax the amount of it where it has no
// other: factors are for amounts without.
func (r *prices) findVAT() {
	if r.typ != "purchases" || r.heading("vatIncluded") {
		return
	}
	for at, head := range r.heads {
		stem, _, _ := unitOfHead(head)
		has := func(heads wordlist.List) bool { return heads.Has(plain(head)) || heads.Has(plain(stem)) }
		switch {
		case !r.free(at):
		case has(vatRateHeads) && !r.vat.rate.found():
			r.vat.rate = placeAt(at)
		case has(vatHeads) && !r.vat.tax.found():
			r.vat.tax = placeAt(at)
		case has(grossMoneyHeads) && !r.vat.amount.found():
			r.vat.amount = placeAt(at)
		}
	}
	if !r.vat.amount.found() || r.heading(moneyField) || !r.vat.tax.found() && !r.vat.rate.found() {
		r.vat.amount = place{}
		return
	}
	at := slices.IndexFunc(r.known, func(c Column) bool { return c.Name == moneyField })
	if at < 0 {
		return
	}
	if r.currency == "" {
		_, unit, _ := unitOfHead(r.heads[r.vat.amount.index()])
		r.currency = moneyHead(r.known, "Amount ("+unit+")")
	}
	r.noteThousands(r.vat.amount.index())
	r.columns[r.vat.amount.index()] = r.known[at]
	r.use(r.vat.amount.index())
}

// isNetMoney reports whether a heading is that of an amount without tax.
func isNetMoney(head string) bool {
	return netMoneyWords.HasAny(wordsOf(head)) || netMoneyWords.Has(plain(head))
}

// isBetterAmount reports whether a column has an amount without tax, and that of the field so far does not say that.
func (in *interpreter) isBetterAmount(at int, field Column) bool {
	before := in.placeOf(field.Name)
	return in.typ == "purchases" && in.reading == interpreted && field.Name == moneyField && before >= 0 && !in.heading("vatIncluded") &&
		isNetMoney(in.heads[at]) && !isNetMoney(in.heads[before])
}

// takeVAT takes the tax out of an amount that contains it.
func (r *prices) takeVAT(row *row) *apperr.Detail {
	at := r.placeOf(moneyField)
	if i := slices.IndexFunc(r.perItem.of, func(each eachColumn) bool { return each.field.Name == moneyField }); at < 0 && i >= 0 {
		if row.has(moneyField) && grossMoneyWords.HasAny(wordsOf(r.heads[r.perItem.of[i].at])) {
			return r.takeRate(&row.body, r.perItem.of[i].at, row.cells) // the tax of a row may be that of one piece, or of all
		}
		return nil
	}
	if at < 0 || !row.has(moneyField) || !r.vat.tax.found() && !r.vat.amount.found() || isNetMoney(r.heads[at]) {
		return nil
	}
	amount, ok := r.amountOf(&row.body)
	if !ok {
		return nil // the decoder of the record says what is wrong with it
	}
	tax, taxed := r.moneyAt(r.vat.tax.index(), row.cells)
	gross := r.vat.amount == placeAt(at)
	switch {
	case taxed && (gross || containsTax(amount, tax)):
		net := new(big.Rat).Sub(amount, tax)
		if net.Sign() < 0 {
			return &apperr.Detail{Field: r.heads[r.vat.tax.index()], Code: fields.OutOfRange,
				Message: fmt.Sprintf("%s, %s, is more than %s.", r.heads[r.vat.tax.index()], oneCell(row.cells, r.vat.tax.index()), r.heads[at])}
		}
		r.use(r.vat.tax.index())
		row.remove(moneyField)
		return row.setRounded(moneyField, net)
	case gross:
		return r.takeRate(&row.body, at, row.cells)
	}
	return nil
}

// takeRate sets the rate of the tax that an amount contains.
func (r *prices) takeRate(b *body, at int, cells []string) *apperr.Detail {
	if r.vat.rate.found() {
		text, _ := strings.CutSuffix(Unguard(oneCell(cells, r.vat.rate.index())), "%")
		if rate, ok, fault := r.partNumber(r.vat.rate.index(), strings.TrimSpace(text)); ok && fault == nil {
			b.put("vatIncluded", true)
			b.set("vatRate", json.RawMessage(rate.String()))
			r.use(r.vat.rate.index())
			return nil
		}
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.Required, Suggestions: []string{"vatRate", moneyField},
		Message: fmt.Sprintf("%s contains value-added tax, and the row does not say how much of it. Write the amount without it into a column amount, or the rate of the tax into a column vatRate.", r.heads[at])}
}

// amountOf returns the amount of money of a row.
func (r *prices) amountOf(b *body) (*big.Rat, bool) {
	text := b.stated[moneyField]
	if text == "" {
		n, err := decimal.Parse(string(b.values[moneyField]))
		return units.Rat(n), err == nil
	}
	format, _ := units.ParseFormat(r.declared())
	n, err := units.ParseNumber(text, format)
	return units.Rat(n), err == nil
}

// moneyAt returns the amount of money in a cell; false if there is none, or nothing.
func (r *prices) moneyAt(at int, cells []string) (*big.Rat, bool) {
	if at < 0 {
		return nil, false
	}
	text, _, ofThousands := money(Unguard(oneCell(cells, at)))
	n, ok, fault := r.partNumber(at, text)
	amount := units.Rat(n)
	if _, unit, _ := unitOfHead(r.heads[at]); ofThousands || isThousands(unit) {
		amount.Mul(amount, big.NewRat(1000, 1))
	}
	return amount, ok && fault == nil && n.Sign() > 0
}

// steps are those of rates of the tax in one per cent: 5.5, 7 and 8.1 are some, 15.97 is none.
const steps = 10

// containsTax reports whether an amount contains a tax, by the rate that it would be: 190 of 1190 is 19 % of the rest, and no
// rate of the whole. Of 250 and 1250 it is not known, and then the amount is without tax, as amounts are without a word.
func containsTax(amount, tax *big.Rat) bool {
	rest := new(big.Rat).Sub(amount, tax)
	return rest.Sign() > 0 && !isRate(tax, amount) && isRate(tax, rest)
}

// isRate reports whether a tax, rounded to hundredths, is a rate of an amount.
func isRate(tax, amount *big.Rat) bool {
	if amount.Sign() <= 0 {
		return false
	}
	rate := new(big.Rat).Mul(new(big.Rat).Quo(tax, amount), big.NewRat(100*steps, 1))
	whole, _ := new(big.Int).SetString(rate.FloatString(0), 10)
	near := new(big.Rat).Quo(new(big.Rat).Mul(new(big.Rat).SetInt(whole), amount), big.NewRat(100*steps, 1))
	return new(big.Rat).Abs(near.Sub(near, tax)).Cmp(big.NewRat(1, 100)) <= 0
}
