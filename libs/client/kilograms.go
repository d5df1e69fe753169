package client

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kilograms is a mass in kilograms, exact to the milligram: its value is the
// number of milligrams, so that sums are exact too. It is written and read as
// the API shows masses, in kilograms with six decimals.
type Kilograms int64

const (
	milligramsPerKg = 1_000_000
	kgDecimals      = 6
)

// ErrMass is the error of a text that is not a mass in kilograms with at most six decimals.
var ErrMass = errors.New("not a mass in kilograms of at most six decimals")

// ParseKilograms reads a mass such as "648.382054". More than six decimals are
// an error, not rounded.
func ParseKilograms(text string) (Kilograms, error) {
	whole, decimals, point := strings.Cut(text, ".")
	if point && decimals == "" || len(decimals) > kgDecimals || strings.Trim(decimals, "0123456789") != "" ||
		strings.Trim(strings.TrimPrefix(whole, "-"), "0123456789") != "" {
		return 0, fmt.Errorf("%w: %q", ErrMass, text)
	}
	mg, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", kgDecimals-len(decimals)), 10, 64)
	if err != nil || strings.TrimPrefix(whole, "-") == "" {
		return 0, fmt.Errorf("%w: %q", ErrMass, text)
	}
	return Kilograms(mg), nil
}

// String writes kilograms with six decimals.
func (k Kilograms) String() string {
	digits, negative := strings.CutPrefix(strconv.FormatInt(int64(k), 10), "-")
	digits = strings.Repeat("0", max(0, kgDecimals+1-len(digits))) + digits
	point := len(digits) - kgDecimals
	text := digits[:point] + "." + digits[point:]
	if negative {
		return "-" + text
	}
	return text
}

// Float64 returns kilograms, for what need not be exact, such as a chart.
func (k Kilograms) Float64() float64 { return float64(k) / milligramsPerKg }

// MarshalJSON writes a number of kilograms.
func (k Kilograms) MarshalJSON() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalJSON reads a number of kilograms; null leaves the mass unchanged.
func (k *Kilograms) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	mass, err := ParseKilograms(string(text))
	if err != nil {
		return err
	}
	*k = mass
	return nil
}
