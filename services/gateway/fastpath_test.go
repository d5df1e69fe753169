package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// recordedBy makes a gateway record its spans.
func recordedBy(to sdktrace.SpanExporter) func(*Deps) {
	return func(d *Deps) { d.tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(to)) }
}

// said returns the lines of a log, without what always differs.
func said(t *testing.T, log *lines) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		for _, own := range []string{"time", "ms", "trace_id", "span_id", "request_id"} {
			delete(fields, own)
		}
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// way is one of two gateways whose responses are compared.
type way struct {
	*stack
	log     *lines
	journal *journal
	id      string // of the last request
}

func newWay(t *testing.T, change ...func(*Deps)) *way {
	w := &way{log: &lines{}, journal: &journal{}}
	now := testkit.NewClock(time.Unix(1_800_000_000, 0)).Now // answers tell of limits by the second
	w.stack = start(t, append(change, func(d *Deps) {
		d.Audit, d.Logger = w.journal, telemetry.Logger(w.log, "gateway")
		d.Now, d.Limits = now, ratelimit.NewLocal(now, 0)
		d.Origins = []string{"https://pages.example.org"}
		d.hold = func(*fasthttp.RequestCtx, time.Duration) bool { return true }
	})...)
	for _, s := range w.services {
		s.set(answerAsAsked)
	}
	return w
}

var noted = fiber.New() // audit.Attach wants a context of it

// answersAsAsked are the responses of a service, selected by answer in the query. The first
// ones are ordinary.
var answersAsAsked = []func(*fasthttp.RequestCtx){
	func(rc *fasthttp.RequestCtx) {
		web.AnswerTagged(&rc.Response, `"tag"`, []byte(`{"success":true,"data":{}}`))
	},
	func(rc *fasthttp.RequestCtx) {
		if web.HasTag(&rc.Request.Header, `"tag"`) {
			web.AnswerNotModified(&rc.Response, `"tag"`)
			return
		}
		web.AnswerTagged(&rc.Response, `"tag"`, []byte(`{"data":"`+strings.Repeat("abc", 1500)+`"}`))
	},
	func(rc *fasthttp.RequestCtx) {
		rc.SetContentType("application/json")
		rc.SetBodyString(`{"data":"` + strings.Repeat("large", 30_000) + `"}`)
	},
	func(rc *fasthttp.RequestCtx) { rc.SetContentType("text/csv"); rc.SetBodyString("a,b\r\n1,2\r\n") },
	func(rc *fasthttp.RequestCtx) {
		rc.SetContentType("application/json")
		rc.SetBodyStreamWriter(func(w *bufio.Writer) { _, _ = w.WriteString(`{"in":"chunks"}`) })
	},
	func(rc *fasthttp.RequestCtx) {
		h := &rc.Response.Header
		for name, value := range map[string]string{"Vary": "Accept", "RateLimit": `"account";r=0;t=60`, "RateLimit-Policy": `"account";q=5;w=60`, "Server": "records",
			"X-Ecf-Internal": "1", "Connection": "X-Hop", "X-Hop": "1", "Set-Cookie": "a=b", "Cache-Control": "private", "X-Frame-Options": "SAMEORIGIN", "Link": "</>; rel=next"} {
			h.Set(name, value)
		}
		web.AnswerTagged(&rc.Response, `"tag"`, []byte(strings.Repeat("coded", 600)))
		h.Set("Content-Encoding", "br")
	},
	func(rc *fasthttp.RequestCtx) { answerFailed(rc, http.StatusNotFound, "NOT_FOUND") },
	func(rc *fasthttp.RequestCtx) { answerFailed(rc, http.StatusForbidden, "FORBIDDEN") },
	func(rc *fasthttp.RequestCtx) { answerFailed(rc, http.StatusInternalServerError, "INTERNAL") },
	func(rc *fasthttp.RequestCtx) {
		rc.Response.Header.Set("Retry-After", "7")
		answerFailed(rc, http.StatusServiceUnavailable, "UNAVAILABLE")
	},
	func(rc *fasthttp.RequestCtx) { rc.SetStatusCode(http.StatusNoContent) },
	func(rc *fasthttp.RequestCtx) { rc.Redirect("/elsewhere", http.StatusSeeOther) },
	func(rc *fasthttp.RequestCtx) {
		c := noted.AcquireCtx(rc)
		defer noted.ReleaseCtx(c)
		_ = audit.Attach(c, audit.Note{Action: "event.read", Subject: "e1"}) // it is text
		rc.SetContentType("application/json")
		rc.SetBodyString(`{"noted":true}`)
	},
	func(rc *fasthttp.RequestCtx) {
		rc.HijackSetNoResponse(true)
		rc.Hijack(func(net.Conn) {}) // the connection ends without a response
	},
}

func answerFailed(rc *fasthttp.RequestCtx, status int, code string) {
	rc.SetContentType("application/json")
	rc.SetStatusCode(status)
	rc.SetBodyString(`{"success":false,"error":{"code":"` + code + `"}}`)
}

func answerAsAsked(rc *fasthttp.RequestCtx) {
	answersAsAsked[rc.QueryArgs().GetUintOrZero("answer")](rc)
}

// read returns the text of a random read, ordinary or unusual.
func read(random *rand.Rand) string {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var b strings.Builder
	path := pick("/events", "/events/e1", "/events/e1", "/events/e1/flights", "/events/e1/flights/r1", "/events/e1/results", "/users/me", "/organization", "/review/queue",
		"/events/e1/", "/events//e1", "/events/%651", "/events/e%2f1", "/nothing", "/health", "/factors", "/docs", "/events/e1/flights/export", "/auth/login")
	query := fmt.Sprintf("?answer=%d", random.IntN(len(answersAsAsked))) + pick("", "", "&page=2", "&a=%2e", "&b=c?d", "#fragment", "&")
	fmt.Fprintf(&b, "%s %s%s%s HTTP/1.%s\r\nHost: carbon.example.org\r\n", pick("GET", "GET", "GET", "GET", "HEAD", "DELETE"), pick("/api/v2", "/api/v2", "/api/v2", "/api/v2", "http://carbon.example.org/api/v2", "/session/api"), path, query, pick("1", "1", "1", "0"))
	for _, field := range []string{
		"Authorization: Bearer " + pick(alice, alice, alice, bob, carol, "nobody"),
		"Accept-Encoding: " + pick("gzip", "br", "gzip, br;q=0.5", "br;q=0", "identity"),
		"If-None-Match: " + pick(`"tag"`, `"tag+br"`, `"tag+gzip", "tag"`, `W/"tag"`, "*", `"other"`),
		"X-Request-Id: " + pick("mine", "not sane"),
		"Origin: " + pick("https://pages.example.org", "https://other.example.org"),
		"Cookie: a=b; c=d",
		"Connection: " + pick("keep-alive", "X-Secret", "close"),
		"X-Secret: 1",
		"X-Forwarded-For: 192.0.2.1",
		"X-User-Id: root",
		"If-Match: \"tag+br\"",
		"Accept: " + pick("text/html", "application/json", "*/*"),
		"Expect: 100-continue",
		"Range: bytes=0-1",
		"TE: trailers",
		"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	} {
		// Most clients send little more than a token.
		if often := strings.HasPrefix(field, "Authorization"); often && random.IntN(8) > 0 || !often && random.IntN(7) == 0 {
			b.WriteString(field + "\r\n")
		}
	}
	return b.String() + pick("", "", "", "", "", "", "", "", "Content-Length: 0\r\n", "Content-Length: 2\r\n\r\n{}", "Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n0\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n") + "\r\n"
}

// exchangeText sends the text of a request, and returns that of the response, without what
// always differs.
func (w *way) exchangeText(t *testing.T, text string) string {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(text, " ")
	from := bufio.NewReader(conn)
	res, err := http.ReadResponse(from, &http.Request{Method: method})
	for err == nil && res.StatusCode == http.StatusContinue {
		res, err = http.ReadResponse(from, &http.Request{Method: method})
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	res.Header.Del("Date")
	w.id = res.Header.Get("X-Request-Id")
	if w.id == "" {
		t.Errorf("%q: no id", text)
	} else if w.id != "mine" {
		res.Header.Del("X-Request-Id")
		body = bytes.ReplaceAll(body, []byte(w.id), []byte("ID"))
	}
	return fmt.Sprintf("%s %v %d\n%s\n%s", res.Proto, res.Close, res.StatusCode, written(res.Header), body)
}

// asked returns the requests to the services since the previous call, without the ids of
// traces, and of requests if equal to that of the last one.
func (w *way) asked() []string {
	var all []string
	for _, name := range api.Backends() {
		s := w.services[name]
		s.mu.Lock()
		for _, r := range s.asked {
			r.Header.Del("Traceparent")
			if id := string(r.Header.Peek("X-Request-Id")); id == w.id && id != "mine" {
				r.Header.Del("X-Request-Id")
			}
			fields := strings.Split(strings.TrimSpace(r.Header.String()), "\r\n")
			slices.Sort(fields[1:])
			all = append(all, string(name)+": "+strings.Join(fields, "\n")+"\n"+string(r.Body()))
		}
		s.asked = nil
		s.mu.Unlock()
	}
	return all
}

// TestFastPathAnswersAsFullPath sends random reads to a gateway with the fast path and to
// one without, and verifies that responses, requests to services, logs, the audit log and
// traces are equal.
func TestFastPathAnswersAsFullPath(t *testing.T) {
	t.Parallel()
	t.Run("untraced", func(t *testing.T) {
		t.Parallel()
		compareWays(t, newWay(t), newWay(t, func(d *Deps) { d.long = true }))
	})
	t.Run("traced", func(t *testing.T) {
		t.Parallel()
		of, ofLong := tracetest.NewInMemoryExporter(), tracetest.NewInMemoryExporter()
		compareWays(t, newWay(t, recordedBy(of)), newWay(t, recordedBy(ofLong), func(d *Deps) { d.long = true }))
		// The last one may end after its response was sent.
		testkit.Eventually(t, 30*time.Second, func() error {
			got, want := described(of.GetSpans()), described(ofLong.GetSpans())
			if !slices.Equal(got, want) || len(got) < 600 {
				return fmt.Errorf("%d spans, and the full path %d:\n%s\n\n%s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			return nil
		})
		all := strings.Join(described(of.GetSpans()), "\n")
		for _, status := range []string{"GET records client, below GET /api/v2/events/:eventId, links: 0, Error no answer", "GET records client, below GET /api/v2/events/:eventId, links: 0, Error answered as failed"} {
			if !strings.Contains(all, status) {
				t.Errorf("there is no span %q", status)
			}
		}
	})
}

// punctual is a limit that must not be queried after the deadline.
type punctual struct{ ratelimit.Log }

func (p punctual) Peek(ctx context.Context, key string, rule ratelimit.Rule) (ratelimit.Result, error) {
	if ctx.Err() != nil {
		return ratelimit.Result{}, ctx.Err()
	}
	return p.Log.Peek(ctx, key, rule)
}

// TestFastPathOfALateService verifies that caller and limit are not determined again after
// a timeout of the service.
func TestFastPathOfALateService(t *testing.T) {
	t.Parallel()
	clock, over := testkit.NewClock(time.Now()), make(chan struct{})
	s := start(t, func(d *Deps) {
		d.Now, d.Timeout, d.Limits = clock.Now, 300*time.Millisecond, punctual{d.Limits}
	})
	t.Cleanup(func() { close(over) })
	s.services[api.Records].set(func(*fasthttp.RequestCtx) {
		clock.Advance(2 * time.Second) // the cached limit has expired
		<-over
	})
	got := s.do(request{method: http.MethodGet, path: "/api/v2/events/e1", token: alice})
	if got.status != http.StatusGatewayTimeout || got.code(t) != "UPSTREAM_TIMEOUT" || got.header.Get("RateLimit") == "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	if asked := s.services[api.Records].count(); asked != 1 {
		t.Errorf("the service was asked %d times", asked)
	}
}

// described returns the contents of spans, without what always differs.
func described(spans tracetest.SpanStubs) []string {
	names := map[trace.SpanID]string{{}: "none"}
	for _, s := range spans {
		names[s.SpanContext.SpanID()] = s.Name
	}
	var all []string
	for _, s := range spans {
		text := fmt.Sprintf("%s %v, below %s, links: %d, %v %s", s.Name, s.SpanKind, names[s.Parent.SpanID()], len(s.Links), s.Status.Code, s.Status.Description)
		for _, a := range s.Attributes {
			if a.Key != "ecf.request_id" {
				text += fmt.Sprintf(", %s=%v", a.Key, a.Value.AsInterface())
			}
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func compareWays(t *testing.T, short, long *way) {
	t.Helper()
	random := testkit.Rand(t)
	var texts []string
	for i := range answersAsAsked {
		texts = append(texts, fmt.Sprintf("GET /api/v2/events/e1?answer=%d HTTP/1.1\r\nHost: carbon.example.org\r\nAuthorization: Bearer %s\r\n\r\n", i, alice))
	}
	for range 600 {
		texts = append(texts, read(random))
	}
	for _, text := range texts {
		got, want := short.exchangeText(t, text), long.exchangeText(t, text)
		if got != want {
			t.Fatalf("%s\nis answered\n%.3000s\n\nand the full path\n%.3000s", text, got, want)
		}
		if got, want := short.asked(), long.asked(); !slices.Equal(got, want) {
			t.Fatalf("%s\nasks\n%s\n\nand the full path\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	got, want := said(t, short.log), said(t, long.log)
	if !slices.Equal(got, want) {
		t.Errorf("the log has\n%s\n\nand the full path\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(want) < 300 {
		t.Errorf("%d lines in the log", len(want))
	}
	if !slices.Equal(short.journal.entries, long.journal.entries) || len(short.journal.entries) == 0 {
		t.Errorf("the audit log has\n%s\nand the full path\n%s", strings.Join(short.journal.entries, "\n"), strings.Join(long.journal.entries, "\n"))
	}
}
