package web

import (
	"strconv"
	"strings"
)

// The content codings of responses.
const (
	CodingBrotli = "br"
	CodingGzip   = "gzip"
)

// PreferredCoding returns the one of the offered content codings that the value of an Accept-Encoding field prefers, the
// first of those with the same weight; empty: the response is not coded. Without the field any coding would be acceptable, but such a
// client may not be able to decode one. A weight that is no number excludes its coding (RFC 9110 §12.5.3), and * is ignored.
func PreferredCoding(accepted string, offered ...string) string {
	best, weight := "", 0.0
	for _, coding := range offered {
		if q := weightOf(accepted, coding); q > weight {
			best, weight = coding, q
		}
	}
	return best
}

// weightOf returns the weight of a coding, 0 if the field does not name it.
func weightOf(field, coding string) float64 {
	for member := range strings.SplitSeq(field, ",") {
		name, parameter, _ := strings.Cut(member, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight, weighted := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		if !weighted {
			return 1
		}
		q, err := strconv.ParseFloat(weight, 64)
		if err != nil {
			return 0
		}
		return q
	}
	return 0
}
