// Package spend estimates emissions of purchases from money: categories of
// purchases with their rows in two independent models, the price indices that
// convert an amount to the prices of a model's year, and exchange rates.
//
// The UK model has a multiplier for each year in basic prices; the US model has
// one year, 2022, in purchaser prices. Both exclude value-added tax.
package spend

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed source/spend_categories.csv
var categoriesText string

//go:embed source/fx_annual.csv
var ratesText string

//go:embed source/price_index.csv
var indicesText string

// The years that the models' multipliers are of.
const (
	FirstYear  = 2015
	lastUKYear = 2023
	usYear     = 2022
)

// Category is something that events buy.
type Category struct {
	ID    string
	Title string
	// UK and US name the series of the models' rows; empty where a model has none.
	// That of the UK lacks its year.
	UK, US string
	// Better are the record types that would count it by quantity.
	Better []string
	// Nudge names the better quantity: "litres by drink".
	Nudge string
}

type figure struct {
	value  *big.Rat
	source string
}

type key struct {
	currency string
	year     int
}

type spendTables struct {
	categories []Category
	byID       map[string]int
	rates      map[key]figure // units per USD
	indices    map[key]figure
	last       map[string]int // the last year with an index
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

var all = sync.OnceValue(func() *spendTables {
	t := &spendTables{byID: map[string]int{}, rates: map[key]figure{}, indices: map[key]figure{}, last: map[string]int{}}
	for _, r := range rows(categoriesText) {
		c := Category{ID: r["category_id"], Title: r["title"], Nudge: r["nudge"], Better: strings.Split(r["better_record_type"], ", ")}
		if sic := r["uk_sic_group"]; sic != "" {
			c.UK = "spend.uk." + strings.Trim(notSlug.ReplaceAllString(strings.ToLower(sic), "_"), "_")
		}
		if naics := r["naics_2017"]; naics != "" {
			c.US = "spend.us." + naics
		}
		t.byID[c.ID] = len(t.categories)
		t.categories = append(t.categories, c)
	}
	for y := FirstYear; y <= 2030; y++ {
		t.rates[key{"USD", y}] = figure{big.NewRat(1, 1), "a dollar is a dollar"}
	}
	for _, r := range rows(ratesText) {
		t.add(t.rates, r, "units_per_usd", "US Federal Reserve, H.10: "+r["basis"])
	}
	for _, r := range rows(indicesText) {
		if t.add(t.indices, r, "index", r["series"]) {
			year, _ := strconv.Atoi(r["year"])
			t.last[r["currency"]] = max(t.last[r["currency"]], year)
		}
	}
	return t
})

func (t *spendTables) add(to map[key]figure, r map[string]string, column, source string) bool {
	year, err := strconv.Atoi(r["year"])
	value, ok := new(big.Rat).SetString(r[column])
	if err != nil || !ok || value.Sign() <= 0 || len(r["currency"]) != 3 {
		return false
	}
	to[key{r["currency"], year}] = figure{value, source}
	return true
}

func rows(text string) []map[string]string {
	records, _ := csv.NewReader(strings.NewReader(text)).ReadAll() // the tests read every row
	var out []map[string]string
	for i, r := range records {
		if i == 0 {
			continue
		}
		v := make(map[string]string, len(r))
		for j, name := range records[0] {
			v[name] = r[j]
		}
		out = append(out, v)
	}
	return out
}

// Categories returns all categories in their order. The slice is shared and must
// not be changed.
func Categories() []Category { return all().categories }

// ByID returns the category of an id.
func ByID(id string) (Category, bool) {
	t := all()
	i, ok := t.byID[id]
	if !ok {
		return Category{}, false
	}
	return t.categories[i], true
}

// Currencies returns the ISO 4217 codes of the currencies that can be priced,
// sorted.
func Currencies() []string {
	t := all()
	var out []string
	for currency := range t.last {
		if _, ok := t.rates[key{currency, usYear}]; ok {
			out = append(out, currency)
		}
	}
	slices.Sort(out)
	return out
}

// NotHeldError reports a currency or a year without index or rate.
type NotHeldError struct {
	// Field is currency or date.
	Field string
	Got   string
	// Held are the available currencies, or the first and last year.
	Held []string
}

func (e *NotHeldError) Error() string {
	if e.Field == "currency" {
		return fmt.Sprintf("no prices are held for the currency %s; those of %s are", e.Got, strings.Join(e.Held, ", "))
	}
	return fmt.Sprintf("no prices are held for %s; those of %s are", e.Got, strings.Join(e.Held, " to "))
}

// Step is an amount brought to the prices and the currency of one model.
type Step struct {
	// Factor is the id of the model's row.
	Factor string
	// Currency and Year are those of the row.
	Currency string
	Year     int
	// Multiplier is the factor for the amount: price index and exchange rate.
	Multiplier *big.Rat
	// Explanation names the index values and rates with their sources.
	Explanation string
	// IndexYear is the year of the price index; it differs from the year of the purchase if the index ends earlier.
	IndexYear int
}

// Models returns how an amount in a currency and year becomes the quantity of
// the UK and of the US model, the model of the currency first. A category that
// one model lacks has one step. The error is a *NotHeldError.
func Models(c Category, currency string, year int) ([]Step, error) {
	t := all()
	last, ok := t.last[currency]
	if _, rated := t.rates[key{currency, usYear}]; !ok || !rated {
		return nil, &NotHeldError{Field: "currency", Got: currency, Held: Currencies()}
	}
	if year < FirstYear {
		return nil, &NotHeldError{Field: "date", Got: strconv.Itoa(year), Held: []string{strconv.Itoa(FirstYear), "today"}}
	}
	from := min(year, last)
	var steps []Step
	add := func(row, to string, base int) error {
		s, err := t.step(currency, from, to, base)
		s.Factor = row
		steps = append(steps, s)
		return err
	}
	if c.UK != "" {
		base := min(from, lastUKYear)
		if err := add(fmt.Sprintf("%s.%d", c.UK, base), "GBP", base); err != nil {
			return nil, err
		}
	}
	if c.US != "" {
		if err := add(c.US, "USD", usYear); err != nil {
			return nil, err
		}
	}
	if currency != "GBP" && len(steps) == 2 {
		steps[0], steps[1] = steps[1], steps[0]
	}
	return steps, nil
}

// step converts an amount of a currency and year to another currency and year: by the currency's price index to the
// year, then by the exchange rate of that year.
func (t *spendTables) step(currency string, from int, to string, base int) (Step, error) {
	s := Step{Currency: to, Year: base, Multiplier: big.NewRat(1, 1), IndexYear: from}
	now, ok := t.indices[key{currency, from}]
	then, ok2 := t.indices[key{currency, base}]
	if !ok || !ok2 {
		return s, &NotHeldError{Field: "date", Got: fmt.Sprintf("%s in %d", currency, from), Held: []string{strconv.Itoa(FirstYear), strconv.Itoa(t.last[currency])}}
	}
	if from != base {
		s.Multiplier.Quo(then.value, now.value)
		s.Explanation = fmt.Sprintf("prices of %d to those of %d: × %s ÷ %s (%s)", from, base, then.value.FloatString(3), now.value.FloatString(3), now.source)
	}
	if currency == to {
		return s, nil
	}
	own, ok := t.rates[key{currency, base}]
	other, ok2 := t.rates[key{to, base}]
	if !ok || !ok2 {
		return s, &NotHeldError{Field: "date", Got: fmt.Sprintf("%s in %d", currency, base), Held: []string{strconv.Itoa(FirstYear), strconv.Itoa(lastUKYear)}}
	}
	s.Multiplier.Mul(s.Multiplier, new(big.Rat).Quo(other.value, own.value))
	if s.Explanation != "" {
		s.Explanation += "; "
	}
	s.Explanation += fmt.Sprintf("%s to %s at the rate of %d: ÷ %s × %s (%s)", currency, to, base, own.value.FloatString(6), other.value.FloatString(6), own.source)
	return s, nil
}
