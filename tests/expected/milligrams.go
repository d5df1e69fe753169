package expected

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Milligrams is a mass of CO2e. The service shows masses in kilograms with six
// decimals, which are whole milligrams, so sums of them are exact.
type Milligrams int64

// ErrMass means that a string is not a mass in kilograms of at most six decimals.
var ErrMass = errors.New("not a mass in kilograms of at most six decimals")

var million = big.NewInt(1_000_000)

// ParseKg parses kilograms as written in the table and in responses of the service:
// "648.382094". More than six decimals are an error, not rounded.
func ParseKg(text string) (Milligrams, error) {
	kg, ok := new(big.Rat).SetString(text)
	if !ok || strings.Contains(text, "/") {
		return 0, fmt.Errorf("%w: %q", ErrMass, text)
	}
	mg := kg.Mul(kg, new(big.Rat).SetInt(million))
	if !mg.IsInt() || !mg.Num().IsInt64() {
		return 0, fmt.Errorf("%w: %q", ErrMass, text)
	}
	return Milligrams(mg.Num().Int64()), nil
}

// String formats kilograms with six decimals.
func (m Milligrams) String() string {
	return new(big.Rat).SetFrac(big.NewInt(int64(m)), million).FloatString(6)
}

// UnmarshalJSON reads a number of kilograms; null leaves the mass unchanged.
func (m *Milligrams) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	kg, err := ParseKg(string(text))
	if err != nil {
		return err
	}
	*m = kg
	return nil
}

// roundKg rounds an exact mass in kilograms half to even.
func roundKg(kg *big.Rat) (Milligrams, error) {
	exact := new(big.Rat).Mul(kg, new(big.Rat).SetInt(million))
	whole, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(exact.Denom()) {
	case 1:
		whole.Add(whole, big.NewInt(1))
	case 0:
		whole.Add(whole, big.NewInt(int64(whole.Bit(0))))
	}
	if !whole.IsInt64() {
		return 0, fmt.Errorf("%w: %s is out of range", ErrMass, kg.FloatString(0))
	}
	return Milligrams(whole.Int64()), nil
}
