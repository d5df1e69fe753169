// Package ratelimit is a sliding-window rate limiter: in any interval of
// the window's length at most the limit passes per key, on any number of
// processes. The shared count is in Redis; each process also keeps one of
// its own for when Redis does not answer.
package ratelimit

import (
	"context"
	"math"
	"net/netip"
	"strconv"
	"time"
)

// Rule allows Limit takes in any span of length Window.
type Rule struct {
	Limit  int
	Window time.Duration
}

// Result is the outcome of a take or a look.
type Result struct {
	// Allowed: the request was counted and may proceed. A rejected one is not
	// counted, so a client that waits as advised is accepted.
	Allowed bool
	// Remaining is how many more would pass now.
	Remaining int
	// Reset is how long until the oldest counted take leaves the window: with
	// nothing remaining, when the next one can pass; 0 when nothing is counted.
	Reset time.Duration
	// Unknown: counting failed; the other fields are meaningless.
	Unknown bool

	at int64 // the take's place in the log, for Refund
}

// Log counts takes per key. Redis and Local are two of the same behaviour.
type Log interface {
	// Take counts one take of key unless that would exceed the rule.
	Take(ctx context.Context, key string, rule Rule) (Result, error)
	// Peek reports what a take would meet, and counts nothing.
	Peek(ctx context.Context, key string, rule Rule) (Result, error)
	// Refund takes back a take that was allowed, for what must not count after
	// all (a limit on failures, after a success).
	Refund(ctx context.Context, key string, taken Result) error
}

// AddressKey returns the part of a client's address that a limit counts: the
// whole of an IPv4 address, the /64 of an IPv6 one, because a single client
// owns at least that many addresses. Without an address all share one key.
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

// PolicyField is a member of the RateLimit-Policy header field
// (draft-ietf-httpapi-ratelimit-headers): the quota and its window in seconds.
func PolicyField(name string, rule Rule) string {
	return member(name, "q", int64(rule.Limit), "w", seconds(rule.Window))
}

// Field is a member of the RateLimit header field: what remains, and the
// seconds until more does.
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

// seconds rounds up: a client that comes back early is refused again.
func seconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
