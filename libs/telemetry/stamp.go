package telemetry

import (
	"strconv"
	"time"
)

// stamp formats times as time.RFC3339Nano. It caches the part that all times of one
// second share.
type stamp struct {
	second       int64
	zone         *time.Location
	date, offset []byte
}

func (s *stamp) append(to []byte, t time.Time) []byte {
	if second, zone := t.Unix(), t.Location(); second != s.second || zone != s.zone {
		s.second, s.zone = second, zone
		s.date = t.AppendFormat(s.date[:0], "2006-01-02T15:04:05")
		s.offset = t.AppendFormat(s.offset[:0], "Z07:00")
	}
	to = append(to, s.date...)
	to = appendFraction(to, t.Nanosecond(), 9)
	return append(to, s.offset...)
}

// appendThousandths appends n/1000 as the shortest decimal.
func appendThousandths(to []byte, n int64) []byte {
	if n < 0 {
		to, n = append(to, '-'), -n
	}
	to = strconv.AppendInt(to, n/1000, 10)
	return appendFraction(to, int(n%1000), 3)
}

// appendFraction appends a fraction of the given number of digits with its point,
// without trailing zeros; nothing for 0.
func appendFraction(to []byte, n, digits int) []byte {
	if n == 0 {
		return to
	}
	to = append(to, '.')
	from := len(to)
	for range digits {
		to = append(to, '0')
	}
	for i := from + digits - 1; n > 0; i-- {
		to[i] = byte('0' + n%10)
		n /= 10
	}
	for to[len(to)-1] == '0' {
		to = to[:len(to)-1]
	}
	return to
}
