// Package bench measures the services over HTTP.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/records"
)

// anyone accepts every token as that of one manager, at no cost.
type anyone struct{}

func (anyone) Verify(context.Context, string) (identity.Principal, error) {
	return identity.Principal{Org: "org", UserID: "u1", Name: "Ann", Role: identity.Manager}, nil
}

type silent struct{}

func (silent) Notify(context.Context, record.OrgID, record.EventID) {}

// served is the service listening on a socket, with an embedded store on disk.
type served struct {
	b      testing.TB
	store  *sqlitestore.Store
	client fasthttp.HostClient
	event  string
}

func serve(b *testing.B) *served {
	b.Helper()
	return serveOver(b, func(s *sqlitestore.Store) record.Store { return s })
}

// serveOver serves the store that wrap returns for the one on disk.
func serveOver(b *testing.B, wrap func(*sqlitestore.Store) record.Store) *served {
	b.Helper()
	db, err := sqlitex.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlitestore.Schema()...)
	if err != nil {
		b.Fatal(err)
	}
	s := &served{b: b, store: sqlitestore.New(db)}
	if err := s.store.InsertOrganization(b.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1}); err != nil {
		b.Fatal(err)
	}
	httpApp, err := records.New(records.Deps{
		Store: wrap(s.store), Notifier: silent{}, Verifier: anyone{}, Quotas: settings.Quotas{"team": record.Unlimited},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- httpApp.Listener(listener) }()
	s.client = fasthttp.HostClient{Addr: listener.Addr().String(), MaxConns: 256}
	b.Cleanup(func() {
		s.client.CloseIdleConnections()
		if err := httpApp.Shutdown(); err != nil {
			b.Error(err)
		}
		if err := <-done; err != nil {
			b.Error(err)
		}
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	s.event = s.ask(fiber.MethodPost, "/events", `{"title":"Bench","country":"DE","startDate":"2026-05-01"}`, "", fiber.StatusCreated).id
	return s
}

type reply struct {
	tag string
	id  string
}

func (s *served) ask(method, path, body, tag string, status int) reply {
	s.b.Helper()
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.Header.SetMethod(method)
	request.SetRequestURI("http://records/api/v2" + path)
	request.Header.Set(fiber.HeaderAuthorization, "Bearer x")
	request.Header.SetContentType(fiber.MIMEApplicationJSON)
	request.SetBodyString(body)
	if tag != "" {
		request.Header.Set(fiber.HeaderIfNoneMatch, tag)
	}
	if err := s.client.Do(request, response); err != nil {
		s.b.Fatal(err)
	}
	if response.StatusCode() != status {
		s.b.Fatalf("%s %s: %d %s", method, path, response.StatusCode(), response.Body())
	}
	r := reply{tag: string(response.Header.Peek(fiber.HeaderETag))}
	if method == fiber.MethodPost {
		var made struct {
			Data struct {
				ID string `json:"_id"`
			} `json:"data"`
		}
		if err := json.Unmarshal(response.Body(), &made); err != nil {
			s.b.Fatal(err)
		}
		r.id = made.Data.ID
	}
	return r
}

const flight = `{"from":"FRA","to":"LHR","passengers":3,"class":"economy","roundTrip":true,"group":"speakers","description":"To the venue and back"}`

// fill fills a sub-collection with n copies of a record that was created through the
// API. If deleted is set, every tenth of them is deleted and as many are added.
func (s *served) fill(n int, deleted bool) {
	s.b.Helper()
	id := s.ask(fiber.MethodPost, "/events/"+s.event+"/flights", flight, "", fiber.StatusCreated).id
	sub := record.Sub{Event: record.EventID(s.event), Type: "flights"}
	one, err := s.store.Record(s.b.Context(), "org", record.Key{Event: sub.Event, Type: sub.Type, ID: record.ID(id)})
	if err != nil {
		s.b.Fatal(err)
	}
	for made := 1; made < n; {
		var batch []record.Record
		for i := range 1000 {
			if made == n {
				break
			}
			r := one
			r.ID = record.ID(record.NewID())
			if r.Deleted = deleted && i%10 == 5; !r.Deleted {
				made++
			}
			batch = append(batch, r)
		}
		if _, _, err := s.store.InsertRecords(s.b.Context(), "org", sub, batch); err != nil {
			s.b.Fatal(err)
		}
	}
}

// compare alternates two requests, so that both see the same load on the machine, and
// reports the median of each and their ratio.
func compare(b *testing.B, nameA, nameB string, doA, doB func()) {
	b.Helper()
	var timesA, timesB []time.Duration
	for b.Loop() {
		began := time.Now()
		doA()
		between := time.Now()
		doB()
		timesA, timesB = append(timesA, between.Sub(began)), append(timesB, time.Since(between))
	}
	median := func(times []time.Duration) float64 {
		slices.Sort(times)
		return float64(times[len(times)/2].Microseconds())
	}
	a, z := median(timesA), median(timesB)
	b.ReportMetric(a, nameA+"-µs")
	b.ReportMetric(z, nameB+"-µs")
	b.ReportMetric(z/a, nameB+"/"+nameA)
}

// BenchmarkDepth compares the first page of a sub-collection of 100,000 records with
// the last page, and with a conditional request for the unchanged first page.
func BenchmarkDepth(b *testing.B) {
	for _, deleted := range []bool{false, true} {
		b.Run(fmt.Sprint("deletions=", deleted), func(b *testing.B) {
			s := serve(b)
			s.fill(100_000, deleted)
			page := func(n int) string { return fmt.Sprint("/events/", s.event, "/flights?page=", n) }
			b.Run("page", func(b *testing.B) {
				compare(b, "page1", "page4000",
					func() { s.ask(fiber.MethodGet, page(1), "", "", fiber.StatusOK) },
					func() { s.ask(fiber.MethodGet, page(4000), "", "", fiber.StatusOK) })
			})
			for _, n := range []int{1, 4000} {
				tag := s.ask(fiber.MethodGet, page(n), "", "", fiber.StatusOK).tag
				b.Run(fmt.Sprint("relist/page=", n), func(b *testing.B) {
					compare(b, "unchanged", "uncached",
						func() { s.ask(fiber.MethodGet, page(n), "", tag, fiber.StatusNotModified) },
						func() { s.ask(fiber.MethodGet, page(n), "", "", fiber.StatusOK) })
				})
			}
		})
	}
}

// forgetful is a store that defeats caching: each of its pages differs from the one
// before.
type forgetful struct {
	record.Store
	asked atomic.Int64
}

func (f *forgetful) RecordSpan(ctx context.Context, org record.OrgID, sub record.Sub, skip, limit int64) (record.Span, error) {
	span, err := f.Store.RecordSpan(ctx, org, sub, skip, limit)
	span.Total += f.asked.Add(1)
	return span, err
}

// BenchmarkRemembered compares a cached page of 25, unchanged since it was read or
// requested with its entity tag, with one that is read from the store.
func BenchmarkRemembered(b *testing.B) {
	for _, size := range []int{500, 100_000} {
		b.Run(fmt.Sprint("records=", size), func(b *testing.B) {
			ask := map[string]func(){}
			for name, wrap := range map[string]func(*sqlitestore.Store) record.Store{
				"nothing-written": func(s *sqlitestore.Store) record.Store { return s },
				"same-tag":        func(s *sqlitestore.Store) record.Store { return struct{ record.Store }{s} },
				"read":            func(s *sqlitestore.Store) record.Store { return &forgetful{Store: s} },
			} {
				s := serveOver(b, wrap)
				s.fill(size, false)
				path := "/events/" + s.event + "/flights"
				ask[name] = func() { s.ask(fiber.MethodGet, path, "", "", fiber.StatusOK) }
			}
			for _, remembered := range []string{"nothing-written", "same-tag"} {
				b.Run(remembered, func(b *testing.B) { compare(b, remembered, "read", ask[remembered], ask["read"]) })
			}
		})
	}
}

// BenchmarkCreate creates records from many concurrent clients, each record durable
// before the response.
func BenchmarkCreate(b *testing.B) {
	for _, perProcessor := range []int{1, 64} {
		b.Run(fmt.Sprint("clients=", perProcessor*runtime.GOMAXPROCS(0)), func(b *testing.B) {
			s := serve(b)
			path := "/events/" + s.event + "/flights"
			var n atomic.Int64
			b.SetParallelism(perProcessor)
			began := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					body := strings.Replace(flight, "To the venue", fmt.Sprint("To the venue ", n.Add(1)), 1)
					s.ask(fiber.MethodPost, path, body, "", fiber.StatusCreated)
				}
			})
			b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "creates/s")
		})
	}
}
