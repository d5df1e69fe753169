package gateway

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// memory is a cache of one response that can be switched on, and records its queries.
type memory struct {
	body string

	mu    sync.Mutex
	on    bool
	asked []string
}

func (m *memory) recall(_ context.Context, operation string, p identity.Principal, req *fasthttp.Request, resp *fasthttp.Response) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, operation+" "+p.Org+" "+p.UserID+" "+string(req.RequestURI()))
	if !m.on {
		return false
	}
	if web.HasTag(&req.Header, `"tag"`) {
		web.AnswerNotModified(resp, `"tag"`)
	} else {
		web.AnswerTagged(resp, `"tag"`, []byte(m.body))
	}
	return true
}

func (m *memory) turn(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = on
}

// taken returns the queries since the previous call.
func (m *memory) taken() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// withMemory returns a gateway with a records service in its process, and its response cache.
func withMemory(t *testing.T, change ...func(*Deps)) (*stack, *memory) {
	t.Helper()
	m := &memory{body: `{"success":true,"data":"` + strings.Repeat("x", 4000) + `"}`}
	var records *stub
	s := start(t, append(change, func(d *Deps) {
		d.Records.Handler = func(ctx *fasthttp.RequestCtx) { records.serve(ctx) }
		d.Records.Recall = m.recall
	})...)
	records = s.services[api.Records]
	records.set(func(ctx *fasthttp.RequestCtx) {
		if web.HasTag(&ctx.Request.Header, `"tag"`) {
			web.AnswerNotModified(&ctx.Response, `"tag"`)
			return
		}
		web.AnswerTagged(&ctx.Response, `"tag"`, []byte(m.body))
	})
	return s, m
}

// TestARecalledAnswerIsThatOfTheService compares cached and uncached responses.
func TestARecalledAnswerIsThatOfTheService(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	records := s.services[api.Records]
	for _, header := range []map[string]string{
		nil, {"If-None-Match": `"tag"`}, {"If-None-Match": `"other"`}, {"Accept-Encoding": "br"}, {"Accept-Encoding": "gzip"},
		{"Accept-Encoding": "br", "If-None-Match": `"tag+br"`}, {"Accept-Encoding": "gzip", "If-None-Match": `"tag+br", "tag+gzip"`}, {"X-Request-Id": "mine"},
	} {
		var got [2]answer
		for i, on := range []bool{false, true} {
			m.turn(on)
			before := records.count()
			got[i] = s.do(request{method: http.MethodGet, path: "/api/v2/events/e1", token: alice, header: header})
			if asked := records.count() > before; asked == on {
				t.Errorf("%v: the service was asked: %t", header, asked)
			}
			for _, own := range []string{"Date", "X-Request-Id"} {
				if own != "X-Request-Id" || header[own] == "" {
					got[i].header.Del(own)
				}
			}
		}
		if got[0].status != got[1].status || got[0].body != got[1].body || written(got[0].header) != written(got[1].header) {
			t.Errorf("%v: the service answers %d, %d bytes\n%s\nrecalled is %d, %d bytes\n%s", header, got[0].status, len(got[0].body), written(got[0].header), got[1].status, len(got[1].body), written(got[1].header))
		}
	}
}

func written(h http.Header) string {
	var text strings.Builder
	_ = h.Write(&text) // into memory, sorted by names
	return text.String()
}

// TestOnlyReadsOfWhoIsAdmittedAreRecalled verifies that callers are authenticated before the
// cache is queried, and only for short reads.
func TestOnlyReadsOfWhoIsAdmittedAreRecalled(t *testing.T) {
	t.Parallel()
	s, m := withMemory(t)
	m.turn(true)
	read := func(token string) answer {
		return s.do(request{method: http.MethodGet, path: "/api/v2/events/e1", token: token})
	}
	for token, want := range map[string]string{alice: "getEvent one alice /api/v2/events/e1", twin: "getEvent two alice /api/v2/events/e1"} {
		if got := read(token).status; got != http.StatusOK {
			t.Errorf("%s: %d", token, got)
		}
		if asked := m.taken(); !slices.Equal(asked, []string{want}) {
			t.Errorf("%s: asked for %q, want %q", token, asked, want)
		}
	}
	s.sessions.set("s-carol", identity.State{})
	for _, r := range []request{
		{method: http.MethodGet, path: "/api/v2/events/e1", token: carol}, {method: http.MethodGet, path: "/api/v2/events/e1", token: "forged"},
		{method: http.MethodGet, path: "/api/v2/events/e1"}, {method: http.MethodHead, path: "/api/v2/events/e1", token: alice},
		{method: http.MethodPatch, path: "/api/v2/events/e1", token: alice, body: `{}`}, {method: http.MethodDelete, path: "/api/v2/events/e1", token: alice},
		{method: http.MethodGet, path: "/api/v2/events/e1/export", token: alice}, {method: http.MethodGet, path: "/api/v2/events/e1/results", token: alice},
	} {
		got := s.do(r)
		if asked := m.taken(); len(asked) > 0 {
			t.Errorf("%s %s by %q: %d, and asked for %q", r.method, r.path, r.token, got.status, asked)
		}
	}
}

// TestWhoReadsWhatIsRecalledHasWorkInTheProcess verifies that expensive work of others makes
// room for an organization that polls cached responses.
func TestWhoReadsWhatIsRecalledHasWorkInTheProcess(t *testing.T) {
	t.Parallel()
	work := web.NewWork()
	s, m := withMemory(t, func(d *Deps) { d.Work = work })
	read := request{method: http.MethodGet, path: "/api/v2/events/e1", token: alice}
	s.do(read)
	if !work.Alone("two") {
		t.Fatal("the stub notes what it works for, so that this test says nothing")
	}
	m.turn(true)
	s.do(read)
	if work.Alone("two") {
		t.Error("an answer was recalled for organization one, and two has the process to itself")
	}
}
