package system

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// overload is the ratio of requests sent to requests that can be answered.
const overload = 3

// overloadTurns is the length of an overload, in turns: half a minute in a full run.
// Its first second opens some thousand connections, and the requests admitted last are
// answered after its end; neither should carry much weight.
const overloadTurns = 10

// apart starts a server pinned to one CPU and leaves the others to the load generator,
// so that sending requests that are refused does not slow down the server.
func apart(t *testing.T, people int) *system {
	t.Helper()
	s := prepared(t, people)
	taskset, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() < 2 {
		t.Log("the server and the load generator cannot have separate CPUs: there is only one, or taskset is not installed")
		s.started()
		return s
	}
	s.through = []string{taskset, "-c", "0"}
	s.started()
	last := runtime.NumCPU() - 1
	keepTo := func(ctx context.Context, processors string) {
		if out, err := exec.CommandContext(ctx, taskset, "-a", "-p", "-c", processors, strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
			t.Errorf("taskset: %v %s", err, out)
		}
	}
	keepTo(t.Context(), fmt.Sprintf("1-%d", last))
	t.Cleanup(func() { keepTo(context.WithoutCancel(t.Context()), fmt.Sprintf("0-%d", last)) })
	return s
}

// TestOverload sends three times as many creations as the product can make, at the
// times at which they are due. It measures goodput relative to the maximum, the latency
// of those that succeed from when they were due, and how soon the others are refused.
// The maximum is the mean of what is made just before and just after an overload, over
// the same length: a shorter run ends before the database has checkpointed, and the speed
// of a shared disk changes from one minute to the next. It asserts only that refusals
// carry Retry-After and, in a full run, that nearly all requests were sent.
func TestOverload(t *testing.T) {
	p := planned(t)
	s := apart(t, p.people)
	tokens := make([]string, p.people)
	for i := range tokens {
		tokens[i] = s.signIn(personEmail(i))
	}
	w := s.creation(s.event(), tokens...)
	busy := clients
	if s.saturateBy(256, w, p.each) > s.saturateBy(clients, w, p.each) {
		busy = 256
	}
	length := overloadTurns * p.each
	var rounds []tooMuch
	t.Log(tooMuchHead)
	before := s.saturateBy(busy, w, length)
	for range p.rounds {
		r := s.overloaded(w, before, length)
		after := s.saturateBy(busy, w, length)
		r.most = (before + after) / 2
		before = after
		t.Log(r)
		rounds = append(rounds, r)
		if sent := float64(r.sent) / float64(r.asked); p.full && sent < 0.95 {
			t.Errorf("only %.2f of the requests due were sent: the loop was not open", sent)
		}
	}
	keepTooMuch(t, rounds)
}

// tooMuch is the result of one round.
type tooMuch struct {
	most          float64 // per second, without overload
	asked, sent   int
	goodput       float64 // per second
	made, refused answers
	late, unheard int // answered 504; not answered at all
}

const tooMuchHead = "at most a second\tasked\tsent\tmade\tof the most\tmade p50 ms\tp99 ms\trefused\tp50 ms\tp99 ms\tlate\tunanswered"

func (r tooMuch) String() string {
	return fmt.Sprintf("%.0f\t%d\t%d\t%d\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%d", r.most, r.asked, r.sent, len(r.made.took), r.goodput/r.most,
		r.made.percentile(50).Milliseconds(), r.made.percentile(99).Milliseconds(),
		len(r.refused.took), r.refused.percentile(50).Milliseconds(), r.refused.percentile(99).Milliseconds(), r.late, r.unheard)
}

// overloaded overloads a server that can make rate requests a second.
func (s *system) overloaded(w work, rate float64, d time.Duration) tooMuch {
	s.t.Helper()
	l := newOpenLoop(s.t, w, 900)
	began := time.Now()
	r := tooMuch{asked: l.run(s.t.Context(), overload*rate, d), sent: l.sent}
	for status, a := range l.answers {
		switch status {
		case http.StatusCreated:
			r.made = *a
			r.goodput = float64(len(a.took)) / max(d, a.last.Sub(began)).Seconds()
		case http.StatusServiceUnavailable:
			r.refused = *a
			if a.silent > 0 {
				s.t.Errorf("%d were refused without Retry-After", a.silent)
			}
		case http.StatusGatewayTimeout:
			r.late = len(a.took)
		case 0:
			r.unheard = len(a.took)
		default:
			s.t.Errorf("%d were answered %d", len(a.took), status)
		}
	}
	if l.fault != nil {
		s.t.Log(l.fault)
	}
	if len(r.made.took) == 0 {
		s.t.Error("nothing was created")
	}
	return r
}

// keepTooMuch writes the rounds into the directory ECF_BENCH_OUT.
func keepTooMuch(t *testing.T, rounds []tooMuch) {
	t.Helper()
	dir := os.Getenv("ECF_BENCH_OUT")
	if dir == "" {
		return
	}
	text := Remark(strings.Join(provenance(t), "; ")) + tooMuchHead + "\n"
	for _, r := range rounds {
		text += r.String() + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "overload.tsv"), []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}
