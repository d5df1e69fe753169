package units

import (
	"regexp"
	"strings"
)

// Ranges of days: 19.–21.06.2026 and 19-21 June 2026, 19.06.–21.06.2026, June 19–21, 2026, and two whole dates.
var ranges = [...]struct {
	form *regexp.Regexp
	// first and last are the two days in terms of its groups.
	first, last string
}{
	{regexp.MustCompile(`^(\d{1,2})\.?\s?[-–—]\s?(\d{1,2})((?:\.|\s).*\d{4})$`), "$1$3", "$2$3"},
	{regexp.MustCompile(`^(\d{1,2}\.\d{1,2}\.)\s?[-–—]\s?(\d{1,2}\.\d{1,2}\.)(\d{4})$`), "$1$3", "$2$3"},
	{regexp.MustCompile(`^(\d{1,2}\.?\s\pL+\.?|\pL+\.?\s\d{1,2})\s?[-–—]\s?(\d{1,2}\.?\s\pL+\.?|\pL+\.?\s\d{1,2})(,?\s\d{4})$`), "$1$3", "$2$3"},
	{regexp.MustCompile(`^(\pL+\.?)\s(\d{1,2})\s?[-–—]\s?(\d{1,2})(,?\s\d{4})$`), "$1 $2$4", "$1 $3$4"},
	{regexp.MustCompile(`^(\S.{5,}?)(?:\s[-–—]\s|[–—]|\s(?:to|until|bis|au)\s)(\S.{5,})$`), "$1", "$2"},
}

// daysOf returns the first and the last day of a range, as they are written in it.
func daysOf(text string) (first, last string, ok bool) {
	for _, r := range ranges {
		if r.form.MatchString(text) {
			return r.form.ReplaceAllString(text, r.first), r.form.ReplaceAllString(text, r.last), true
		}
	}
	return "", "", false
}

// firstDay returns the first day of a text that is a range of days, and any other text itself.
func firstDay(text string) string {
	if first, _, ok := daysOf(text); ok && !strings.ContainsAny(first, "–—") {
		return first
	}
	return text
}

// IsRange reports whether a text is a range of days.
func IsRange(text string) bool {
	_, _, ok := daysOf(strings.TrimSpace(text))
	return ok
}
