package system

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"github.com/valyala/fasthttp"
)

// latencyRate is the highest rate, per second, at which latencies are measured: each
// request costs the attacker 50 µs of the CPUs that the product uses too, and at half
// of the rate of lean clients the attacker itself is late.
const latencyRate = 4000

// steadyRate returns the attack rate for a server that can answer most requests a
// second.
func steadyRate(most float64) vegeta.Rate {
	return vegeta.Rate{Freq: max(1, min(int(most/2), latencyRate)), Per: time.Second}
}

// attack sends requests at a rate and measures the latencies.
func (s *system) attack(w work, rate vegeta.Rate, d time.Duration) *vegeta.Metrics {
	s.t.Helper()
	// The gateway allows an address 1,000 connections in total, and both sides would
	// keep those of an attack that is over.
	transport := &http.Transport{MaxIdleConnsPerHost: 128, MaxConnsPerHost: 128}
	defer transport.CloseIdleConnections()
	var m vegeta.Metrics
	check := s.checked(w)
	for result := range vegeta.NewAttacker(vegeta.Workers(clients), vegeta.Client(&http.Client{Transport: transport, Timeout: time.Minute})).Attack(w.product, rate, d, w.name) {
		check(int(result.Code), result.Error, result.Body)
		m.Add(result)
	}
	m.Close()
	return &m
}

// saturate sends requests from closed-loop clients and returns the number of responses
// per second. The server shares the CPUs with the clients, which use fasthttp because
// it costs less than an attack.
func (s *system) saturate(w work, d time.Duration) float64 {
	s.t.Helper()
	return s.saturateBy(clients, w, d)
}

// saturateBy is saturate with the given number of clients.
func (s *system) saturateBy(clients int, w work, d time.Duration) float64 {
	s.t.Helper()
	var first vegeta.Target
	if err := w.product(&first); err != nil {
		s.t.Fatal(err)
	}
	to, err := url.Parse(first.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	client := &fasthttp.HostClient{Addr: to.Host, MaxConns: clients, ReadBufferSize: 16 << 10}
	defer client.CloseIdleConnections()
	var answered atomic.Int64
	var all sync.WaitGroup
	check := s.checked(w)
	began := time.Now()
	for range clients {
		all.Go(func() {
			var request fasthttp.Request
			var response fasthttp.Response
			var target vegeta.Target
			for time.Since(began) < d {
				if err := w.product(&target); err != nil {
					check(0, err.Error(), nil)
					return
				}
				request.Reset()
				request.SetRequestURI(target.URL)
				request.Header.SetMethod(target.Method)
				for name, values := range target.Header {
					request.Header.Set(name, values[0])
				}
				request.SetBodyRaw(target.Body)
				if err := client.DoTimeout(&request, &response, time.Minute); err != nil {
					check(0, err.Error(), nil)
					return
				}
				if check(response.StatusCode(), "", response.Body()) {
					answered.Add(1)
				}
			}
		})
	}
	all.Wait()
	return float64(answered.Load()) / time.Since(began).Seconds()
}

// checked returns a function that reports whether a response is the expected one, and
// reports the first that is not as an error.
func (s *system) checked(w work) func(status int, fault string, body []byte) bool {
	s.t.Helper()
	var told atomic.Bool
	return func(status int, fault string, body []byte) bool {
		late := status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
		if status != w.status && !late && !told.Swap(true) {
			s.t.Errorf("%s: %d %s %.300s, want %d", w.name, status, fault, body, w.status)
		}
		return status == w.status
	}
}

// repeated returns a function that runs do concurrently, one goroutine per client, and
// returns the rate per second.
func repeated(do func(context.Context) error) func(context.Context, time.Duration) float64 {
	return func(ctx context.Context, d time.Duration) float64 {
		var done atomic.Int64
		began, ended := time.Now(), make(chan struct{}, clients)
		for range clients {
			go func() {
				for time.Since(began) < d {
					if do(ctx) == nil {
						done.Add(1)
					}
				}
				ended <- struct{}{}
			}()
		}
		for range clients {
			<-ended
		}
		return float64(done.Load()) / time.Since(began).Seconds()
	}
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}
