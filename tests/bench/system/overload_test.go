package system

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// overload is by how much more is asked than can be answered.
const overload = 3

// apart gives the server one processor, and the load that is made here the others, so
// that what it takes to send requests that are refused is not taken from the server.
func apart(t *testing.T, s *system) {
	t.Helper()
	taskset, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() < 2 {
		t.Log("the server and the load share the processors: there is one, or no taskset")
		return
	}
	mine := "1"
	if n := runtime.NumCPU(); n > 2 {
		mine = fmt.Sprintf("1-%d", n-1)
	}
	for pid, processors := range map[int]string{s.process.PID(): "0", os.Getpid(): mine} {
		if out, err := exec.CommandContext(t.Context(), taskset, "-a", "-p", "-c", processors, strconv.Itoa(pid)).CombinedOutput(); err != nil {
			t.Fatalf("taskset: %v %s", err, out)
		}
	}
	t.Cleanup(func() {
		_ = exec.CommandContext(context.WithoutCancel(t.Context()), taskset, "-a", "-p", "-c", fmt.Sprintf("0-%d", runtime.NumCPU()-1), strconv.Itoa(os.Getpid())).Run()
	})
}

// TestOverload asks for three times as many creations as the product can make, from
// addresses enough that no limit of one of them is met, and looks at what comes of
// those that are made: how many, beside the most that there can be, and how long they
// take. What is refused has to say when to come back. It asserts that alone; how much
// is refused, and how soon, is printed.
func TestOverload(t *testing.T) {
	p := planned(t)
	s := start(t)
	apart(t, s)
	w := s.creation(s.event())
	var peak float64
	for range p.rounds {
		peak = max(peak, s.saturate(w, p.each))
	}
	each, senders := 2*p.each, overload
	rate := max(1, int(peak)*overload/senders)
	var made, refused vegeta.Metrics
	late, broken := 0, 0
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range senders {
		attacker := vegeta.NewAttacker(vegeta.Workers(clients), vegeta.MaxWorkers(900), vegeta.Connections(900), vegeta.MaxConnections(900), vegeta.Timeout(time.Minute),
			vegeta.LocalAddr(net.IPAddr{IP: net.IPv4(127, 0, 0, byte(2+i))}))
		all.Go(func() {
			for result := range attacker.Attack(w.product, vegeta.Rate{Freq: rate, Per: time.Second}, each, w.name) {
				mu.Lock()
				switch result.Code {
				case http.StatusCreated:
					made.Add(result)
				case http.StatusServiceUnavailable:
					refused.Add(result)
					if after, err := strconv.Atoi(result.Headers.Get("Retry-After")); err != nil || after < 1 {
						t.Errorf("refused without saying when to come back: %v %.300s", result.Headers, result.Body)
					}
				case http.StatusGatewayTimeout:
					late++
				case 0: // no answer: the machine has no connection, or not the time for it
					broken++
				default:
					t.Errorf("%d %s %.300s", result.Code, result.Error, result.Body)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	made.Close()
	refused.Close()
	goodput := float64(made.Requests) / max(each, made.End.Sub(made.Earliest)).Seconds()
	t.Logf("at most %.0f a second; of %d a second asked for %.0f made (%.2f of the most), p50 %v, p99 %v; %d refused, p50 %v, p99 %v; %d late, %d without an answer",
		peak, rate*senders, goodput, goodput/peak, made.Latencies.P50, made.Latencies.P99, refused.Requests, refused.Latencies.P50, refused.Latencies.P99, late, broken)
	if made.Requests == 0 {
		t.Error("nothing was made")
	}
}
