package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/tests/generate"
)

// corrupt makes a request invalid in a way that the document does not foresee. It
// reports whether no further change is possible.
func (a *author) corrupt(q *generated, body any) (last bool) {
	note := func(format string, args ...any) { q.kind += ", " + fmt.Sprintf(format, args...) }
	w := &q.wire
	switch a.Rand.IntN(10) {
	case 0, 1, 2, 3:
		if q.operation.csv {
			w.body = generate.Encode(generate.Pick(a.Rand, generate.HostileValues()))
			note("a file that is none")
			return false
		}
		bad, what := a.Hostile(body)
		w.body = generate.Encode(bad)
		w.set("Content-Type", "application/json")
		note("%s", what)
	case 4:
		a.oddQuery(q)
		note("query")
	case 5, 6:
		name, value := a.oddField()
		if a.Chance(3) {
			w.fields = append(w.fields, field{name, value}) // in addition to the valid one
		} else {
			w.set(name, value)
		}
		q.odd = q.odd || strings.ContainsFunc(value, unicode.IsControl) || len(value) > 5000
		note("%s: %.40q", name, value)
	case 7:
		w.method = generate.Pick(a.Rand, someMethods)
		q.odd = q.odd || w.method == http.MethodConnect
		note("method %s", w.method)
	case 8:
		switch a.Rand.IntN(5) {
		case 0:
			w.body = zipped(w.body)
			w.set("Content-Encoding", generate.Pick(a.Rand, []string{"gzip", "deflate", "br", "identity, gzip", "x"}))
			note("a compressed body")
		case 1:
			w.body = []byte(strings.Repeat(" ", 1<<20) + string(w.body) + strings.Repeat("x", a.Rand.IntN(3)))
			if q.operation.csv {
				w.body = []byte(strings.Repeat("x", 17<<20))
			}
			w.alone, q.odd = true, true
			note("a large body")
		default:
			w.set("Content-Type", generate.Pick(a.Rand, []string{"text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "", ";", "application/json\t", "APPLICATION/JSON"}))
			note("another media type")
		}
	case 9:
		a.oddTransfer(q)
		note("transfer")
		return true
	}
	return false
}

func (a *author) oddQuery(q *generated) {
	separator := "?"
	if strings.Contains(q.wire.target, "?") {
		separator = "&"
	}
	q.wire.target += separator + generate.Pick(a.Rand, []string{"page=1&page=2", "limit=1&limit=100&limit=x", "page[$gt]=1", "page=9223372036854775808", "page=-1", "page=1e9", "page=NaN", "page=0",
		"limit=9223372036854775807", "limit=-9223372036854775809", "limit=0", "page=" + strings.Repeat("9", 400), "page=999999999999", "page=92233720368547758&limit=100", "page=%00", "page=1%0d%0a", "page=%ff", "page=%",
		"PAGE=2", "page=&limit=", "filter[$where]=1", "__proto__[admin]=1", "sort=-1;", "q=" + strings.Repeat("a", 9000), "partial=yes", "decimal=dot", "partial=true&partial=false", "&&&", "=", "page=1;limit=2", "page=%2B1", "page=%201", "page=1e3", "limit=1e1", "page=%31", "eventId=other"})
}

// oddField returns an unusual header field.
func (a *author) oddField() (name, value string) {
	token := a.w.callers[generate.Pick(a.Rand, []string{"user", "stranger"})].token
	all := []field{
		{"Authorization", "Bearer " + token}, {"Authorization", "Bearer x"}, {"Authorization", "Basic dXNlcjpwYXNz"}, {"Authorization", ""}, {"Authorization", "Bearer " + strings.Repeat(".", 9000)},
		{"Authorization", "Bearer " + token[:len(token)/2]}, {"Authorization", "bearer  " + token}, {"Authorization", "Bearer " + token + "," + token}, {"X-User-Id", "1"}, {"X-Ecf-Org", a.w.s.org}, {"X-Org", "x"},
		{"X-Forwarded-For", "203.0.113.7"}, {"X-Forwarded-Host", "evil.test"}, {"X-HTTP-Method-Override", "DELETE"}, {"X-Original-URL", "/api/v2/users"}, {"Forwarded", "for=1;host=evil"},
		{"Accept", "text/html"}, {"Accept", "text/csv"}, {"Accept", "*/*;q=0"}, {"Accept", "application/xml"}, {"Accept", strings.Repeat("a/b,", 1500)}, {"Accept", ";;;"}, {"Accept-Encoding", "gzip"}, {"Accept-Encoding", "br;q=x"},
		{"If-Match", "*"}, {"If-Match", `"a", "b", W/"c"`}, {"If-Match", "unquoted"}, {"If-Match", strings.Repeat(`"x",`, 1500)}, {"If-Match", ""}, {"If-None-Match", "*"}, {"If-None-Match", `W/"x"`}, {"If-None-Match", `"`},
		{"X-Dry-Run", "TRUE"}, {"X-Dry-Run", "1"}, {"X-Dry-Run", ""}, {"X-Dry-Run", "true, false"}, {"X-Dry-Run", "\xff"},
		{"X-Request-Id", "\x1b[31mred"}, {"X-Request-Id", "a\r\nX-Injected: 1"}, {"X-Request-Id", strings.Repeat("x", 129)}, {"X-Request-Id", ""}, {"X-Request-Id", "ünïcode"}, {"X-Request-Id", "good-id.1:2_3"},
		{"Idempotency-Key", ""}, {"Idempotency-Key", strings.Repeat("k", 256)}, {"Idempotency-Key", strings.Repeat("k", 255)}, {"Idempotency-Key", "tab\there"}, {"Idempotency-Key", "\xff\x00"}, {"Idempotency-Key", "$where"},
		{"Range", "bytes=0-1"}, {"Expect", "100-continue"}, {"Expect", "something"}, {"Connection", "close, Authorization"}, {"Connection", "Upgrade"}, {"Upgrade", "h2c"}, {"Origin", "https://evil.test"},
		{"Cookie", "session=x"}, {"traceparent", "00-zz"}, {"traceparent", "00-" + strings.Repeat("f", 32) + "-" + strings.Repeat("f", 16) + "-ff"}, {"baggage", strings.Repeat("k=v,", 2000)}, {"X-Large", strings.Repeat("x", 20000)}, {"Te", "trailers"},
	}
	f := generate.Pick(a.Rand, all)
	return f.name, f.value
}

// oddTransfer sends the request in a way that parsers interpret differently, on a
// separate connection.
func (a *author) oddTransfer(q *generated) {
	w := &q.wire
	w.alone, q.odd = true, true
	authorization := "Authorization: " + w.get("Authorization") + "\r\n"
	first := func(rest string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n", w.method, w.target, authorization, rest)
	}
	// The contents of a body must never be interpreted as a request.
	inner := "GET /api/v2/users?smuggled=1 HTTP/1.1\r\nHost: x\r\n" + authorization + "\r\n"
	switch a.Rand.IntN(11) {
	case 0: // less than announced
		w.length = fmt.Sprint(len(w.body) + 10)
	case 1:
		w.head = first(fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n", 5+len(inner)))
		w.body = []byte("0\r\n\r\n" + inner)
	case 2:
		w.head = first("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n")
		w.body = fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(inner), inner)
	case 3:
		w.head = first(fmt.Sprintf("Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: %d\r\n", 2+len(inner)))
		w.body = []byte("{}" + inner)
	case 4:
		w.length = generate.Pick(a.Rand, []string{"-1", "x", "1e3", "99999999999999999999", "+2", "0x2", "2, 2", "none"})
	case 5:
		w.head = first("Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n")
		w.body = []byte(generate.Pick(a.Rand, []string{"zz\r\n{}\r\n0\r\n\r\n", "ffffffffffffffff\r\n{}\r\n0\r\n\r\n", "2\r\n{}", "-2\r\n{}\r\n0\r\n\r\n", "2;ext=" + strings.Repeat("x", 20000) + "\r\n{}\r\n0\r\n\r\n"}))
	case 6:
		w.head = first("Transfer-Encoding: xchunked\r\nContent-Type: application/json\r\n")
		w.body = []byte("2\r\n{}\r\n0\r\n\r\n")
	case 7:
		w.head = first(generate.Pick(a.Rand, []string{"No colon\r\n", "Bad Name : x\r\n", "X: a\r\n folded\r\n", "X-Nul: a\x00b\r\n", ": empty\r\n", "X:\x7f\r\n", "Host: other\r\n"}))
		w.body = nil
	case 8:
		w.head = generate.Pick(a.Rand, []string{"GET\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "GET /api/v2/health HTTP/1.0\r\n\r\n", "\r\n\r\n", "\x16\x03\x01\x02\x00\x01", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
			"GET http://evil.test/api/v2/health HTTP/1.1\r\nHost: x\r\n\r\n", "GET /api/v2/health HTTP/1.1\r\n\r\n", "GET  /api/v2/health  HTTP/1.1\r\nHost: x\r\n\r\n", "G\x00T / HTTP/1.1\r\nHost: x\r\n\r\n", "GET //api/v2//events HTTP/1.1\r\nHost: x\r\n" + authorization + "\r\n"})
		w.body = nil
	case 9: // chunked, which is valid HTTP
		w.head = first("Transfer-Encoding: chunked\r\nContent-Type: application/json\r\nConnection: close\r\n")
		w.body = fmt.Appendf(nil, "%x\r\n%s\r\n0\r\nTrailer: x\r\n\r\n", len(w.body), w.body)
	default:
		w.head = "GET /" + strings.Repeat("a", 20000) + " HTTP/1.1\r\nHost: x\r\n\r\n"
		w.body = nil
	}
}
