package scale

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// largePlan is the size of a run of TestLargeReadings.
type largePlan struct {
	events int // of size records, each read for the first time
	size   int
	rounds int // each has one approval in every event
	export []int
	logins int
}

func largePlanned() largePlan {
	if os.Getenv("ECF_SCALE") != "large" {
		return largePlan{events: 2, size: 600, rounds: 1, export: []int{600}, logins: 4}
	}
	return largePlan{events: 8, size: 10_000, rounds: 5, export: []int{10_000, 100_000}, logins: 200}
}

// TestLargeReadings measures reads of large events over HTTP from a separate process:
// first reads of results, exports, explanations and reports, with the peak memory of
// the server; and as many concurrent logins. It verifies that every response is
// complete. ECF_SCALE=large runs it in full.
func TestLargeReadings(t *testing.T) {
	p := largePlanned()
	s := newSystem(t)
	var sized, exported []*event
	for i := range p.events {
		sized = append(sized, s.seed(fmt.Sprintf("read first, %d", i), p.size, p.rounds))
	}
	for _, size := range p.export {
		exported = append(exported, s.seed(fmt.Sprintf("exported, %d", size), size, 4))
	}
	s.start()
	s.settle()
	t.Logf("the server has summed up every event that was seeded, and held %d MiB at most", s.peak())

	var first, again, changed sample
	for _, e := range sized {
		first = append(first, s.reading(e))
		again = append(again, s.reading(e))
	}
	for range p.rounds {
		for _, e := range sized {
			w, ok := e.next()
			if !ok {
				t.Fatalf("event %s has nothing left to approve", e.id)
			}
			if err := s.approve(e, w); err != nil {
				t.Fatal(err)
			}
		}
		s.settle()
		for _, e := range sized {
			changed = append(changed, s.reading(e))
		}
	}
	t.Logf("results of %d records, first reading: %s; again: %s; first after an approval: %s", p.size, first, again, changed)

	for _, e := range exported {
		for _, ask := range []struct{ name, path, accept, row string }{
			{"export as CSV", "/export", "text/csv", "\r\n"},
			{"export as JSON", "/export", "application/json", `"createdAt":`},
			{"page of 100 explained", "/results/explain?limit=100", "application/json", ""},
			{"report as JSON", "/results/report", "application/json", ""},
			{"report with people as JSON", "/results/report?names=full", "application/json", ""},
			{"report as CSV", "/results/report", "text/csv", ""},
			{"report as HTML", "/results/report", "text/html", ""},
		} {
			var took sample
			most, length := 0, int64(0)
			for range 3 {
				s.resetPeak()
				rows, size, t := s.download(e, ask.path, ask.accept, ask.row)
				took, most, length = append(took, t), max(most, s.peak()), size
				if want := e.size + e.left(); ask.row != "" && (rows < want || rows > want+1) {
					s.t.Errorf("%s of %d records has %d rows", ask.name, want, rows)
				}
			}
			t.Logf("%s of %d: %s, %.0f rows a second, %d bytes, %d MiB at most", ask.name, e.size, took,
				float64(e.size)/took.at(50).Seconds(), length, most)
		}
	}

	s.resetPeak()
	var together sync.WaitGroup
	took := make(sample, p.logins)
	for i := range p.logins {
		together.Go(func() {
			began := time.Now()
			status, answer := s.ask(http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password})
			if status != http.StatusOK && status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests {
				t.Errorf("sign-in: status %d: %.300s", status, answer)
			}
			took[i] = time.Since(began)
		})
	}
	together.Wait()
	t.Logf("%d sign-ins at once: %s, %d MiB at most", p.logins, took, s.peak())
}

// reading returns how long one read of a result takes.
func (s *system) reading(e *event) time.Duration {
	began := time.Now()
	if err := s.want(http.MethodGet, "/events/"+e.id+"/results", nil, http.StatusOK); err != nil {
		s.t.Fatal(err)
	}
	return time.Since(began)
}

// download reads a response as a stream, and counts its rows by a string that each has
// once.
func (s *system) download(e *event, path, accept, row string) (rows int, size int64, took time.Duration) {
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/api/v2/events/"+e.id+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("Authorization", "Bearer "+s.accessToken)
	began := time.Now()
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		s.t.Fatalf("%s: status %d: %.300s", path, response.StatusCode, text)
	}
	counter := &rowCounter{of: []byte(row)}
	if size, err = io.Copy(counter, response.Body); err != nil {
		s.t.Fatal(err)
	}
	return counter.n, size, time.Since(began)
}

// rowCounter counts a string that each row has once, and that may be split across two
// writes.
type rowCounter struct {
	of, last []byte
	n        int
}

func (c *rowCounter) Write(p []byte) (int, error) {
	if len(c.of) == 0 {
		return len(p), nil
	}
	text := append(c.last, p...)
	c.n += bytes.Count(text, c.of)
	c.last = append([]byte(nil), text[max(0, len(text)-len(c.of)+1):]...)
	return len(p), nil
}
