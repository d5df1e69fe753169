// Package timestamp formats times as the API shows them.
package timestamp

import "time"

// layout is RFC 3339 in UTC with milliseconds, the one form of time in the API.
const layout = "2006-01-02T15:04:05.000Z"

// Format returns a time as the API shows it.
func Format(t time.Time) string { return t.UTC().Format(layout) }

// Append appends a time as the API shows it.
func Append(b []byte, t time.Time) []byte { return t.UTC().AppendFormat(b, layout) }
