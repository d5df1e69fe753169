package units

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// Format is how numbers are written.
type Format struct {
	// Group separates thousands; 0 where they are not separated.
	Group rune
	// Decimal separates the decimals; 0 in a format that was not declared.
	Decimal rune
}

// Formats returns the texts that declare a format: a number written in it.
func Formats() []string {
	return []string{"1234.5", "1234,5", "1,234.5", "1.234,5", "1 234,5", "1 234.5", "1'234.5"}
}

// ParseFormat returns the format that a text of Formats declares.
func ParseFormat(text string) (Format, bool) {
	for _, f := range Formats() {
		if f != text {
			continue
		}
		out := Format{Decimal: rune(f[len(f)-2])}
		if !strings.HasPrefix(f, "1234") {
			out.Group = rune(f[1])
		}
		return out, true
	}
	return Format{}, false
}

// AmbiguousNumberError reports a number that has two readings.
type AmbiguousNumberError struct {
	Text string
	// Readings are the two numbers meant, in plain digits.
	Readings [2]string
}

func (e *AmbiguousNumberError) Error() string {
	return fmt.Sprintf("%q may be %s or %s; declare how numbers are written, or leave the separator out", e.Text, e.Readings[0], e.Readings[1])
}

// SyntaxError reports a text that is not a number, or not in the declared format.
type SyntaxError struct {
	Text   string
	Format Format
}

func (e *SyntaxError) Error() string {
	if e.Format.Decimal != 0 {
		return fmt.Sprintf("%q is not a number as declared, with %q before the decimals", e.Text, e.Format.Decimal)
	}
	return fmt.Sprintf("%q is not a number", e.Text)
}

// spaces are group separators in addition to point, comma and apostrophe.
const spaces = "\u00a0\u202f\u2009"

// ParseNumber parses a number that is at least 0. Without a declared format (the zero Format) a single point or comma
// before exactly three digits is an *AmbiguousNumberError, unless it cannot be a group separator. Any other error is
// a *SyntaxError.
func ParseNumber(text string, f Format) (decimal.Decimal, error) {
	s := strings.TrimSpace(text)
	for _, r := range spaces {
		s = strings.ReplaceAll(s, string(r), " ")
	}
	for _, r := range "’‘´`ʼ" {
		s = strings.ReplaceAll(s, string(r), "'")
	}
	if s == "" || len(s) > 60 || strings.Trim(s, "0123456789., '") != "" {
		return decimal.Decimal{}, &SyntaxError{Text: text, Format: f}
	}
	if f.Decimal == 0 {
		var err error
		if f, err = formatOf(s); err != nil {
			return decimal.Decimal{}, err
		}
	}
	whole, decimals, hasDecimals := s, "", false
	if f.Decimal != 0 {
		whole, decimals, hasDecimals = strings.Cut(s, string(f.Decimal))
	}
	digits, ok := ungrouped(whole, f.Group)
	if !ok || hasDecimals && (decimals == "" || strings.Trim(decimals, "0123456789") != "") {
		return decimal.Decimal{}, &SyntaxError{Text: text, Format: f}
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		digits = "0"
	}
	if hasDecimals {
		digits += "." + decimals
	}
	d, err := decimal.Parse(digits)
	if err != nil {
		return decimal.Decimal{}, &SyntaxError{Text: text, Format: f}
	}
	return d, nil
}

// ungrouped returns the digits of a whole number with correct group separators or none. 0.234 is never 234.
func ungrouped(whole string, group rune) (string, bool) {
	if whole == "" {
		return "", false
	}
	if group == 0 || !strings.ContainsRune(whole, group) {
		return whole, strings.Trim(whole, "0123456789") == ""
	}
	parts := strings.Split(whole, string(group))
	for i, p := range parts {
		if strings.Trim(p, "0123456789") != "" || i == 0 && (p == "" || len(p) > 3 || p[0] == '0') || i > 0 && len(p) != 3 {
			return "", false
		}
	}
	return strings.Join(parts, ""), true
}

// formatOf finds the only format in which a number can be written.
func formatOf(s string) (Format, error) {
	var group rune
	for _, g := range " '" {
		if strings.ContainsRune(s, g) {
			group = g
		}
	}
	points, commas := strings.Count(s, "."), strings.Count(s, ",")
	switch {
	case points+commas == 0:
		return Format{Group: group}, nil
	case points > 0 && commas > 0 || group != 0:
		last := s[strings.LastIndexAny(s, ".,")]
		if group == 0 {
			group = rune('.' + ',' - last)
		}
		return Format{Group: group, Decimal: rune(last)}, nil
	case points > 1:
		return Format{Group: '.'}, nil
	case commas > 1:
		return Format{Group: ','}, nil
	}
	at := strings.IndexAny(s, ".,")
	before, after := s[:at], s[at+1:]
	if len(after) == 3 && len(before) >= 1 && len(before) <= 3 && before[0] != '0' {
		return Format{}, &AmbiguousNumberError{Text: s, Readings: [2]string{before + after, before + "." + after}}
	}
	return Format{Decimal: rune(s[at])}, nil
}

// Measure is a number with the unit it was written with.
type Measure struct {
	Number decimal.Decimal
	Unit   *Unit // nil if there was none
}

// Parse reads "112 mi" for a target. A number without a unit is in the target's.
// The errors are those of [ParseNumber] and [ByName].
func Parse(text string, t Target, f Format) (Measure, error) {
	s := strings.TrimSpace(text)
	end := strings.LastIndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' }) + 1
	// The digits of m2 and yd3 belong to the unit.
	for end > 0 && end <= len(s) {
		r, _ := utf8.DecodeLastRuneInString(s[:end-1])
		if s[end-1] != '2' && s[end-1] != '3' || !isLetter(r) && r != '^' {
			break
		}
		end = strings.LastIndexFunc(s[:end-1], func(r rune) bool { return r >= '0' && r <= '9' }) + 1
	}
	number, err := ParseNumber(s[:end], f)
	if err != nil {
		if e, ok := errors.AsType[*SyntaxError](err); ok {
			e.Text = text
		}
		return Measure{}, err
	}
	name := strings.TrimSpace(s[end:])
	if name == "" {
		return Measure{Number: number}, nil
	}
	u, err := ByName(name, t.Dimension)
	if err != nil {
		return Measure{}, err
	}
	return Measure{Number: number, Unit: u}, nil
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// In returns the measure in the target's unit, exactly, unless it exceeds the digits of a decimal.
func (m Measure) In(t Target) (decimal.Decimal, error) {
	if m.Unit == nil {
		return m.Number, nil
	}
	return Rounded(t.Convert(Rat(m.Number), m.Unit))
}
