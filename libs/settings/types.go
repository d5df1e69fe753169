package settings

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RateLimit allows N requests in each period Per.
type RateLimit struct {
	N   int
	Per time.Duration
}

// String returns the input of ParseRateLimit, "30/15m".
func (r RateLimit) String() string { return strconv.Itoa(r.N) + "/" + shortDuration(r.Per) }

// ParseRateLimit reads a number, a slash and a duration: "30/15m".
func ParseRateLimit(s string) (RateLimit, error) {
	n, per, ok := strings.Cut(s, "/")
	count, err := strconv.Atoi(strings.TrimSpace(n))
	if !ok || err != nil || count < 1 {
		return RateLimit{}, errors.New("must be a number, a slash and a duration, such as 30/15m")
	}
	d, err := time.ParseDuration(strings.TrimSpace(per))
	if err != nil || d < time.Second {
		return RateLimit{}, errors.New("must end in a duration of a second or more, such as 30/15m")
	}
	return RateLimit{N: count, Per: d}, nil
}

// Unlimited is the quota of a plan without one.
const Unlimited int64 = -1

// Quotas is the number of events of each plan by the plan's name.
type Quotas map[string]int64

// String returns the input of ParseQuotas, plans sorted by name.
func (q Quotas) String() string {
	parts := make([]string, 0, len(q))
	for plan, n := range q {
		quota := "unlimited"
		if n != Unlimited {
			quota = strconv.FormatInt(n, 10)
		}
		parts = append(parts, plan+"="+quota)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// ParseQuotas reads plans with their number of events: "free=3,team=50,enterprise=unlimited".
func ParseQuotas(s string) (Quotas, error) {
	q := Quotas{}
	for part := range strings.SplitSeq(s, ",") {
		plan, quota, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || plan == "" {
			return nil, errors.New("must be a list such as free=3,team=50,enterprise=unlimited")
		}
		if _, twice := q[plan]; twice {
			return nil, fmt.Errorf("names the plan %s twice", plan)
		}
		if quota == "unlimited" {
			q[plan] = Unlimited
			continue
		}
		n, err := strconv.ParseInt(quota, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("has neither a number of events nor unlimited for the plan %s", plan)
		}
		q[plan] = n
	}
	return q, nil
}

// ParseProxies reads a comma-separated list of addresses and networks.
func ParseProxies(s string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if addr, err := netip.ParseAddr(part); err == nil {
			list = append(list, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, errors.New("must be a list of addresses and networks, such as 10.0.0.0/8,192.0.2.1")
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// ParseOrigins reads a comma-separated list of origins as browsers name them.
func ParseOrigins(s string) ([]string, error) {
	var list []string
	for part := range strings.SplitSeq(s, ",") {
		part = strings.ToLower(strings.TrimSpace(part))
		if part == "" {
			continue
		}
		u, err := url.Parse(part)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || part != u.Scheme+"://"+u.Host || strings.ContainsRune(u.Host, '*') {
			return nil, errors.New("must be a list of origins without a path, such as https://app.example.org,http://localhost:5173; each is named, there is no *")
		}
		for scheme, port := range map[string]string{"https": ":443", "http": ":80"} {
			if u.Scheme == scheme {
				part = strings.TrimSuffix(part, port)
			}
		}
		list = append(list, part)
	}
	return list, nil
}

// FormatOrigins is the inverse of ParseOrigins.
func FormatOrigins(list []string) string { return strings.Join(list, ",") }

// shortDuration writes 15m0s as 15m.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// FormatProxies is the inverse of ParseProxies.
func FormatProxies(list []netip.Prefix) string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = p.String()
	}
	return strings.Join(parts, ",")
}

// DescribeSignInLimit registers the budget of sign-ins, which the gateway counts
// by address and the service auth by account.
func DescribeSignInLimit(s *Set, field *RateLimit) {
	Parsed(s, field, "ECF_AUTH_RATE_LIMIT", "30/15m", "rate limit of sign-ins and refreshes per client address, and of failed sign-ins per account", ParseRateLimit, RateLimit.String)
}
