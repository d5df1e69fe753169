package units

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Orders returns the orders of day, month and year that can be declared.
func Orders() []string { return []string{"dmy", "mdy", "ymd"} }

// AmbiguousDateError reports a date whose order was not declared.
type AmbiguousDateError struct {
	Text string
	// Readings are the days that may be meant, each once.
	Readings []string
	// Sure reports that only one interpretation is plausible.
	Sure bool
}

func (e *AmbiguousDateError) Error() string {
	return fmt.Sprintf("%q may be %s; declare the order of day, month and year (dateOrder=dmy or mdy), or write the date as 2026-05-31", e.Text, strings.Join(e.Readings, " or "))
}

// ParseDate reads a day and returns it as YYYY-MM-DD. An order other than that of
// ISO 8601 must be declared; without one, a date written otherwise is an
// *AmbiguousDateError that names its readings, even where only one is possible.
// Years have four digits, or two behind points (19.06.26), which are in this century. A date with its month
// as a word is read in every order, and a time of the day behind a date is left out. A range of days of one year is
// its first day.
func ParseDate(text, order string) (string, error) {
	day, err := parseDay(text, order)
	if _, open := errors.AsType[*AmbiguousDateError](err); err == nil || open {
		return day, err
	}
	first, last, ok := daysOf(strings.TrimSpace(text))
	if !ok {
		return "", err
	}
	from, fault := parseDay(first, order)
	to, other := parseDay(last, order)
	if e, open := errors.AsType[*AmbiguousDateError](fault); open {
		return "", e
	}
	if fault != nil || other != nil || from > to || from[:4] != to[:4] {
		return "", err
	}
	return from, nil
}

func parseDay(text, order string) (string, error) {
	s := withoutTime(strings.TrimSpace(text))
	if m := yearFirst.FindStringSubmatch(s); m != nil {
		s = fmt.Sprintf("%s-%02s-%02s", m[1], m[2], m[3])
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil && t.Year() > 0 {
		return s, nil
	}
	if day, ok := withMonth(s); ok {
		return day, nil
	}
	s, points := joined(s)
	if order == "" {
		if e := readings(text, s, points); len(e.Readings) > 0 {
			return "", e
		}
	} else if day, ok := inOrder(s, order); ok {
		return day, nil
	}
	return "", fmt.Errorf("%q is not a date such as 2026-05-31 or in the declared order, with its year", text)
}

// readings returns the possible days of a date. With points as separators the day comes first in all countries,
// unless the year does.
func readings(text, s string, points bool) *AmbiguousDateError {
	e := &AmbiguousDateError{Text: text}
	for _, o := range Orders() {
		day, ok := inOrder(s, o)
		if ok && points && o == "dmy" {
			return &AmbiguousDateError{Text: text, Readings: []string{day}, Sure: true}
		}
		if ok && !slices.Contains(e.Readings, day) {
			e.Readings = append(e.Readings, day)
			e.Sure = len(e.Readings) == 1 && !(points && o == "mdy")
		}
	}
	return e
}

// OrdersOf returns the orders of day and month in which a date is valid; none for text that is not a date or begins
// with the year.
func OrdersOf(text string) (orders []string) {
	s, points := joined(withoutTime(firstDay(strings.TrimSpace(text))))
	for _, o := range [...]string{"dmy", "mdy"} {
		if _, ok := inOrder(s, o); ok && (o == "dmy" || !points) {
			orders = append(orders, o)
		}
	}
	return orders
}

// clock is a time of the day behind a date, with or without its zone.
var clock = regexp.MustCompile(`^(\S.{4,}?)(?:T|[ ,\x{00a0}]+)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?i: ?[ap]\.?m\.?| ?uhr| ?utc| ?gmt| ?z| ?[+-]\d{2}:?\d{2})?$`)

// withoutTime returns a date without the time of the day behind it.
func withoutTime(text string) string {
	if m := clock.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// yearFirst are days as Hungarian and Japanese write them: 2026. 05. 12. and 2026年5月12日.
var yearFirst = regexp.MustCompile(`^(\d{4})(?:\. ?|年)(\d{1,2})(?:\. ?|月)(\d{1,2})(?:\.|日)$`)

// joined returns a date with points between its parts, and whether it was written so.
func joined(s string) (date string, points bool) {
	if strings.ContainsAny(s, "-/") && shortYear.MatchString(strings.NewReplacer("-", ".", "/", ".").Replace(s)) {
		return s, false // either end of 19-06-26 may be the year; with points, the day comes first
	}
	return strings.NewReplacer("/", ".", "-", ".", " ", "").Replace(s), strings.Contains(s, ".")
}

// IsDate reports whether a text is a day in any order.
func IsDate(text string) bool {
	_, err := ParseDate(text, "")
	_, open := errors.AsType[*AmbiguousDateError](err)
	return err == nil || open
}

// shortYear is a date whose year may be its last two digits.
var shortYear = regexp.MustCompile(`^\d{1,2}\.\d{1,2}\.\d{2}$`)

func inOrder(s, order string) (string, bool) {
	layout := map[string]string{"dmy": "2.1.2006", "mdy": "1.2.2006", "ymd": "2006.1.2"}[order]
	if order == "dmy" && shortYear.MatchString(s) {
		s = s[:len(s)-2] + "20" + s[len(s)-2:]
	}
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() < 1 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}
