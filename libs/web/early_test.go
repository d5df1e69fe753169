package web_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestRefusalIsTheAnswerOfHandlers verifies that an early rejection is answered, measured and
// counted like that of a handler, without calling it.
func TestRefusalIsTheAnswerOfHandlers(t *testing.T) {
	t.Parallel()
	for _, fault := range []*apperr.Error{
		{Code: apperr.Unavailable, Message: `Not "now"; <later>.`, RetryAfter: 1500 * time.Millisecond},
		{Code: apperr.RateLimited, Message: "Too much."},
		{Code: apperr.PayloadTooLarge, Message: "Too large.", Details: []apperr.Detail{{Field: "body", Code: "TOO_LARGE", Message: "A smaller one."}}},
	} {
		t.Run(string(fault.Code), func(t *testing.T) {
			t.Parallel()
			refusal, err := web.NewRefusal(api.Operation{ID: "make", Method: "POST", Path: "/events/{id}"}, fault)
			if err != nil {
				t.Fatal(err)
			}
			early, asked := false, 0
			reader := metric.NewManualReader()
			b := setup(t, func(o *web.Options) {
				o.Meter = metric.NewMeterProvider(metric.WithReader(reader)).Meter("test")
				o.Early = func(*fasthttp.RequestCtx) (func(), *web.Refusal) {
					if !early {
						return nil, nil
					}
					return nil, refusal
				}
			})
			if err := register(b.app, "/api/v2", members(), []served{{Method: "POST", Path: "/events/{id}", Role: identity.User, Handler: func(*fiber.Ctx) error { asked++; return fault }}}); err != nil {
				t.Fatal(err)
			}
			ask := func(isEarly bool, id string) (*answer, web.ErrorBody) {
				early = isEarly
				headers := []string{"Authorization", "Bearer user-a"}
				if id != "" {
					headers = append(headers, "X-Request-Id", id)
				}
				a := b.do("POST", "/api/v2/events/e1", "{}", headers...)
				return a, a.fails(web.StatusOf(fault.Code), string(fault.Code))
			}
			for _, id := range []string{"their-own", "", `"not sane"`} {
				was, want := ask(false, id)
				is, got := ask(true, id)
				if id == "their-own" && got.RequestID != id || got.RequestID == `"not sane"` || id != "their-own" && got.RequestID == want.RequestID {
					t.Errorf("request id %q for %q", got.RequestID, id)
				}
				if a, b := strings.Replace(was.body, want.RequestID, "", 1), strings.Replace(is.body, got.RequestID, "", 1); a != b {
					t.Errorf("%s, want %s", b, a)
				}
				for _, h := range []string{"X-Request-Id", "Date"} {
					was.header.Del(h)
					is.header.Del(h)
				}
				if !maps.EqualFunc(was.header, is.header, func(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }) {
					t.Errorf("%v, want %v", is.header, was.header)
				}
			}
			if asked != 3 {
				t.Errorf("the handler was asked %d times, want 3", asked)
			}
			if durations, refused := counted(t, reader); durations != 6 || refused != 6 {
				t.Errorf("measured %d alike and counted %d alike, want 6", durations, refused)
			}
			if lines := b.log.lines(t); len(lines) != 6 || lines[1]["level"] != "DEBUG" || lines[1]["route"] != lines[0]["route"] || lines[1]["code"] != string(fault.Code) {
				t.Errorf("%v", lines)
			}
		})
	}
}

// counted returns the number of measured requests, and of those counted as rejected, all with
// the same attributes.
func counted(t *testing.T, reader *metric.ManualReader) (durations uint64, refused int64) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Histogram[float64]:
				if len(d.DataPoints) == 1 {
					durations = d.DataPoints[0].Count
				}
			case metricdata.Sum[int64]:
				if len(d.DataPoints) == 1 {
					refused = d.DataPoints[0].Value
				}
			}
		}
	}
	return durations, refused
}

// TestEarlyEnds verifies that an admitted request has ended when its response is complete.
func TestEarlyEnds(t *testing.T) {
	t.Parallel()
	underWay := 0
	b := setup(t, func(o *web.Options) {
		o.Early = func(*fasthttp.RequestCtx) (func(), *web.Refusal) { underWay++; return func() { underWay-- }, nil }
	})
	if err := register(b.app, "/api/v2", members(), []served{{Method: "POST", Path: "/events", Role: identity.User, Handler: func(c *fiber.Ctx) error {
		if underWay != 1 {
			t.Errorf("%d under way", underWay)
		}
		return answerWho(c)
	}}}); err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]int{"user-a": 200, "nonsense": 401} {
		if a := b.do("POST", "/api/v2/events", "", "Authorization", "Bearer "+token); a.status != want || underWay != 0 {
			t.Errorf("%d, want %d; %d under way", a.status, want, underWay)
		}
	}
}
