// Package ratelimit limits events per key in a sliding window: in any interval of the window's
// length at most the limit passes, in all processes together. The shared count is in Redis;
// each process also has one of its own for when Redis does not respond.
package ratelimit

import (
	"context"
	"math"
	"net/netip"
	"strconv"
	"time"
)

// Rule allows Limit events in any interval of length Window.
type Rule struct {
	Limit  int
	Window time.Duration
}

// Result is the outcome of Take or Peek.
type Result struct {
	// Allowed reports that the event was counted and may proceed. A rejected event is not
	// counted, so a client that waits for the announced time is admitted.
	Allowed bool
	// Remaining is how many more would be allowed now.
	Remaining int
	// Reset is the time until the oldest counted event leaves the window: if nothing remains,
	// when the next one is allowed; 0 if nothing is counted.
	Reset time.Duration
	// Unknown reports that counting failed; the other fields are meaningless.
	Unknown bool

	at int64 // the position in the log, for Refund
}

// Log counts events per key. Redis and Local have the same semantics.
type Log interface {
	// Take counts one event of key unless that would exceed the rule.
	Take(ctx context.Context, key string, rule Rule) (Result, error)
	// Peek returns what Take would, without counting.
	Peek(ctx context.Context, key string, rule Rule) (Result, error)
	// Refund removes an allowed event that turns out not to count (a limit on failures, after a
	// success).
	Refund(ctx context.Context, key string, taken Result) error
}

// AddressKey returns the part of a client address that a limit counts: a whole IPv4 address,
// the /64 of an IPv6 one, because a single client has at least that many addresses. All clients
// without an address share one key.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	switch {
	case !a.IsValid():
		return "unknown"
	case a.Is4():
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return p.String()
}

// PolicyField returns a member of the RateLimit-Policy header field
// (draft-ietf-httpapi-ratelimit-headers): the quota and its window in seconds.
func PolicyField(name string, rule Rule) string {
	return member(name, "q", int64(rule.Limit), "w", seconds(rule.Window))
}

// Field returns a member of the RateLimit header field: what remains, and the seconds until
// more does.
func Field(name string, r Result) string {
	return member(name, "r", int64(max(r.Remaining, 0)), "t", seconds(r.Reset))
}

// member returns a quoted name with two parameters.
func member(name, one string, a int64, other string, b int64) string {
	text := strconv.AppendQuote(make([]byte, 0, 48), name)
	text = strconv.AppendInt(append(append(append(text, ';'), one...), '='), a, 10)
	text = strconv.AppendInt(append(append(append(text, ';'), other...), '='), b, 10)
	return string(text)
}

// seconds rounds up: a client that returns early would be rejected again.
func seconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
