package expected

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// fields are the input fields of a record of the example.
type fields map[string]any

var (
	operators = regexp.MustCompile(`[*/]`)
	route     = regexp.MustCompile(`^[A-Z]{3}(-[A-Z]{3})+$`)
	benchmark = regexp.MustCompile(`^\[(.+)\]$`)
	number    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
)

// quantity evaluates a formula of assignments.csv: terms joined by * and /, from left
// to right. A term is a plain number, the name of a field of the record, a route such
// as SYD-SIN (its kilometres), or the id of an activity default in brackets.
func (p *published) quantity(formula string, record fields) (*big.Rat, error) {
	result := big.NewRat(1, 1)
	terms := operators.Split(formula, -1)
	signs := "*" + strings.Join(operators.FindAllString(formula, -1), "")
	for i, term := range terms {
		value, err := p.term(term, record)
		if err != nil {
			return nil, fmt.Errorf("formula %s: %w", formula, err)
		}
		if signs[i] == '/' {
			if value.Sign() == 0 {
				return nil, fmt.Errorf("formula %s: %s is 0", formula, term)
			}
			value.Inv(value)
		}
		result.Mul(result, value)
	}
	return result, nil
}

func (p *published) term(term string, record fields) (*big.Rat, error) {
	switch {
	case number.MatchString(term):
		return rational(term)
	case route.MatchString(term):
		sum := new(big.Rat)
		stops := strings.Split(term, "-")
		for i := 1; i < len(stops); i++ {
			leg, err := p.kilometres(stops[i-1], stops[i])
			if err != nil {
				return nil, err
			}
			sum.Add(sum, leg)
		}
		return sum, nil
	}
	if id := benchmark.FindStringSubmatch(term); id != nil {
		text, ok := p.defaults[id[1]]
		if !ok {
			return nil, fmt.Errorf("no activity default %s", id[1])
		}
		return rational(text)
	}
	return record.number(term)
}

// number returns a required numeric field.
func (f fields) number(name string) (*big.Rat, error) {
	n, ok := f[name].(json.Number)
	if !ok {
		return nil, fmt.Errorf("the record has no number %s", name)
	}
	return rational(n.String())
}

func rational(text string) (*big.Rat, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return r, nil
}

// decimals formats a rational in plain digits; one without a finite expansion is
// rounded to twelve decimals.
func decimals(r *big.Rat) string {
	if n, exact := r.FloatPrec(); exact && n <= 12 {
		return r.FloatString(n)
	}
	return r.FloatString(12)
}
