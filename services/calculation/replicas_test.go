package calculation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// replica is a worker process as it runs in a deployment, sweeper included.
type replica struct {
	insight *notify.Insight
	log     lockedLog
	stop    func()
}

type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (s *service) replica(url string) *replica {
	s.t.Helper()
	opt, err := redisx.AsynqOpt(url)
	if err != nil {
		s.t.Fatal(err)
	}
	r := &replica{}
	logger := slog.New(slog.NewTextHandler(&r.log, nil))
	if r.insight, err = notify.NewInsight(opt, nil, time.Now); err != nil {
		s.t.Fatal(err)
	}
	notifier := notify.NewQueue(opt, notify.QueueInteractive, logger, time.Now)
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error, 1)
	go func() {
		done <- resulttree.Work(ctx, resulttree.WorkerDeps{
			Records: s.records, Results: s.results, Queue: opt, Notifier: notifier, Workers: 2, Sweep: 20 * time.Millisecond, Grace: 5 * time.Second,
			Insight: r.insight, Logger: logger, Now: time.Now,
		})
	}()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-done, notifier.Close(), r.insight.Close()); err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(r.stop)
	return r
}

func (r *replica) page(t *testing.T) string {
	w := httptest.NewRecorder()
	r.insight.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/status", nil))
	return strings.Join(strings.Fields(w.Body.String()), " ")
}

// An approved record that cannot be calculated, which only a bug or a write to the database can cause, becomes a
// notice on the result and an alert, and blocks nothing. Without notifications two replicas sweep concurrently, and
// find the marks.
func TestARecordThatCannotBeCalculatedHoldsUpNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	url, _ := testkit.Redis(t)
	good := s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	poison := record.Record{ID: record.ID(record.NewID()), Event: s.event.ID, Type: "waste", Fields: []byte(`{"treatment":"wished away","weightKg":7}`)}
	poison, err := s.workflow().Insert(t.Context(), org, poison, someUser)
	if err != nil {
		t.Fatal(err)
	}
	poison = s.move(s.move(poison, record.Submit), record.Approve)
	replicas := []*replica{s.replica(url), s.replica(url)}
	settled := func() {
		t.Helper()
		testkit.Eventually(t, 30*time.Second, func() error {
			if open, err := s.records.HasMarks(t.Context(), org, s.event.ID); err != nil || open {
				return fmt.Errorf("marks are open: %w", err)
			}
			return nil
		})
	}
	settled()
	a := s.of("").want(http.StatusOK)
	if a.data("status") != "current" || a.data("total", "kgCO2e") != "520.580230" {
		t.Errorf("the rest of the result: %.600s", a.body)
	}
	notices := a.data("notices")
	if !strings.Contains(notices, "RECORD_NOT_CALCULATED") || !strings.Contains(notices, string(poison.ID)) || strings.Contains(notices, string(good.ID)) {
		t.Errorf("notices: %s", notices)
	}
	// The run that has cleared the marks tells of it afterwards.
	testkit.Eventually(t, 30*time.Second, func() error {
		var alerted, counted bool
		for _, r := range replicas {
			alerted = alerted || strings.Contains(r.log.String(), "approved records cannot be calculated") && strings.Contains(r.log.String(), string(poison.ID))
			counted = counted || !strings.Contains(r.page(t), "results that miss a record 0")
		}
		if !alerted || !counted {
			return fmt.Errorf("no alert: logged %t, counted %t\n%s", alerted, counted, replicas[0].page(t))
		}
		return nil
	})
	// Later records are counted, and the runbook's procedure repairs it.
	more := s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	if a := s.of(""); a.status == http.StatusOK && a.data("total", "kgCO2e") == "520.580230" && a.data("status") == "current" {
		t.Errorf("an old result is called current: %.300s", a.body)
	}
	settled()
	if a := s.of("").want(http.StatusOK); a.data("total", "kgCO2e") != "1041.160460" || a.data("status") != "current" {
		t.Errorf("after one more: %.300s", a.body)
	}
	s.move(poison, record.Reopen)
	s.move(more, record.Reopen)
	settled()
	if a := s.of("").want(http.StatusOK); a.data("total", "kgCO2e") != "520.580230" || strings.Contains(a.data("notices"), "RECORD_NOT_CALCULATED") {
		t.Errorf("after the reopening: %.600s", a.body)
	}
}

// The result has the status `recalculating` while a mark is open, and is then correct, whichever replica has
// calculated it.
func TestStatusFollowsTheMarks(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.of("").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	s.settle()
	status := func() string { return s.of("").want(http.StatusOK).data("status") }
	if got := status(); got != "current" {
		t.Errorf("settled: %s", got)
	}
	s.add("waste", `{"treatment":"landfill","weightKg":1}`, record.Submitted)
	if got := status(); got != "current" {
		t.Errorf("what waits changes nothing: %s", got)
	}
	for _, change := range []func(){
		func() { s.add("waste", `{"treatment":"landfill","weightKg":2}`, record.Approved) },
		func() { s.move(first, record.Reopen) },
	} {
		change()
		if got := status(); got != "recalculating" {
			t.Errorf("a mark is open: %s", got)
		}
		s.settle()
		if got := status(); got != "current" {
			t.Errorf("settled again: %s", got)
		}
	}
}
