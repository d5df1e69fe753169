package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// told returns the lines of a log without their times.
func told(t *testing.T, log *bytes.Buffer) (lines []string) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var l struct {
			Level, Msg, Error string
			Seconds           float64
			Tries             int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s after %gs and %d tries %s", l.Level, l.Msg, l.Seconds, l.Tries, l.Error)))
	}
	return lines
}

func expect(t *testing.T, log *bytes.Buffer, want ...string) {
	t.Helper()
	if got := strings.Join(told(t, log), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("logged:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	log.Reset()
}

func TestAnOutageIsLoggedAtItsBeginningAndEnd(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	var log bytes.Buffer
	o := telemetry.NewOutage(slog.New(slog.NewJSONHandler(&log, nil)), clock.Now, "the sweep")
	refused := errors.New("dial redis://u:hunter2@redis: refused")
	try := func(err error, times int) {
		for range times {
			o.Report(t.Context(), err)
			clock.Advance(time.Second)
		}
	}
	try(nil, 3)
	expect(t, &log)

	// Half an hour of attempts, one a second, makes four lines.
	try(refused, 1800)
	if !o.Lasts() {
		t.Error("an outage does not last while everything fails")
	}
	try(nil, 60)
	lines := told(t, &log)
	if strings.Contains(log.String(), "hunter2") {
		t.Errorf("a password is logged:\n%s", log.String())
	}
	log.Reset()
	for i, want := range []string{
		"WARN the sweep fails after 0s and 0 tries", "WARN the sweep still fails after 600s and 601 tries",
		"WARN the sweep still fails after 1200s and 1201 tries", "INFO the sweep works again after 1800s and 1800 tries",
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("line %d is not %q:\n%s", i, want, strings.Join(lines, "\n"))
		}
	}
	if len(lines) != 4 || o.Lasts() {
		t.Errorf("%d lines, it lasts: %t\n%s", len(lines), o.Lasts(), strings.Join(lines, "\n"))
	}

	// A later outage is logged again.
	clock.Advance(time.Hour)
	try(errors.New("no"), 1)
	try(nil, 6)
	expect(t, &log, "WARN the sweep fails after 0s and 0 tries no", "INFO the sweep works again after 1s and 1 tries")
}

// TestAnOutageThatComesAndGoesMakesFewLines verifies that intermittent failures are one outage,
// and that outages in close succession take longer to end.
func TestAnOutageThatComesAndGoesMakesFewLines(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	for _, period := range []time.Duration{time.Second, 7 * time.Second, 20 * time.Second, time.Minute} {
		var log bytes.Buffer
		o := telemetry.NewOutage(slog.New(slog.NewJSONHandler(&log, nil)), clock.Now, "the sweep")
		tries := int(time.Hour / period)
		for i := range tries {
			var err error
			if i%2 == 0 {
				err = errors.New("no")
			}
			o.Report(t.Context(), err)
			clock.Advance(period)
		}
		if n := len(told(t, &log)); n < 6 || n > 20 {
			t.Errorf("%d lines in an hour in which every other try fails, one each %s", n, period)
		}
	}
}

func TestAnOutageKnowsNothingFromTriesThatWereEnded(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := telemetry.NewOutage(slog.New(slog.NewJSONHandler(&log, nil)), nil, "the sweep")
	ended, end := context.WithCancel(t.Context())
	end()
	o.Report(ended, ended.Err())
	expect(t, &log)
	o.Report(t.Context(), errors.New("no"))
	o.Report(ended, nil)
	if !o.Lasts() {
		t.Error("a try that was ended has ended the outage")
	}
	log.Reset()
	o.End(t.Context()) // however short the success
	o.End(t.Context())
	if n := strings.Count(log.String(), "the sweep works again"); n != 1 || o.Lasts() {
		t.Errorf("the end is logged %d times, it lasts: %t", n, o.Lasts())
	}
}

func TestLineLimiterLimitsEachKind(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	s := telemetry.NewLineLimiter(clock.Now)
	logged := map[string]int{}
	for range 1201 { // 20 minutes, one of each kind a second
		for _, kind := range []string{"a", "b"} {
			if skipped, ok := s.Take(kind); ok {
				if want := 599; logged[kind] > 0 && skipped != want {
					t.Errorf("%d lines %s skipped, want %d", skipped, kind, want)
				}
				logged[kind]++
			}
		}
		clock.Advance(time.Second)
	}
	if logged["a"] != 3 || logged["b"] != 3 {
		t.Errorf("logged %v, want each three times", logged)
	}
	// The number of kinds is bounded: the first one is logged again.
	for i := range 1000 {
		s.Take(fmt.Sprint(i))
	}
	if _, ok := s.Take("0"); !ok {
		t.Error("a thousand kinds are kept")
	}
}
