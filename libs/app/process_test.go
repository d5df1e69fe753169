package app_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// status returns the status of a GET, 0 without a response.
func status(url string) int {
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url) //nolint:noctx // a local server of this test
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// A process is ready when it serves: while it waits for its dependencies, and while a check fails, its debug port,
// the healthcheck command and its main port report that it is not. It is live all the time.
func TestReadyMeansServing(t *testing.T) {
	t.Parallel()
	listen := app.Listen{Addr: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), DebugAddr: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))}
	main, debug := "http://"+listen.Addr, "http://"+listen.DebugAddr
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	release, closed, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	failing := make(chan error, 1) // holds the failure of the dependency
	failing <- nil
	go func() {
		ended <- app.Serve(ctx, app.Env{Logger: slog.New(slog.DiscardHandler)}, "records", listen, func(_ context.Context, p *app.Process) (app.Service, error) {
			p.OnClose(func() error { close(closed); return nil })
			<-release
			p.Health.Add(web.Check{Name: "database", Probe: func(context.Context) error {
				err := <-failing
				failing <- err
				return err
			}})
			a := web.New(web.Options{Logger: p.Logger})
			p.Health.Register(a, "")
			return app.Service{Name: "records", App: a}, nil
		})
	}()
	agree := func(ready bool, mainStatus int) {
		t.Helper()
		testkit.Eventually(t, 30*time.Second, func() error {
			err := app.Healthcheck(ctx, listen.DebugAddr)
			debugReady, mainReady := status(debug+"/health/ready"), status(main+"/health/ready")
			if (err == nil) != ready || (debugReady == http.StatusOK) != ready || mainReady != mainStatus {
				return fmt.Errorf("want ready %v: healthcheck %w, debug port %d, main port %d", ready, err, debugReady, mainReady)
			}
			return nil
		})
		testkit.Eventually(t, 30*time.Second, func() error { // the debug port may not listen yet
			if got := status(debug + "/health/live"); got != http.StatusOK {
				return fmt.Errorf("live: %d", got)
			}
			return nil
		})
	}
	agree(false, 0) // nothing is served yet
	close(release)
	agree(true, http.StatusOK)
	<-failing //nolint:errcheck // replaced below
	failing <- errors.New("connection refused")
	agree(false, http.StatusServiceUnavailable)
	<-failing //nolint:errcheck // replaced below
	failing <- nil
	agree(true, http.StatusOK)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	select {
	case <-closed:
	default:
		t.Error("what the process opened was not closed")
	}
}

func TestAProcessThatCannotOpenEnds(t *testing.T) {
	t.Parallel()
	err := app.Serve(t.Context(), app.Env{Logger: slog.New(slog.DiscardHandler)}, "records", app.Listen{Addr: "127.0.0.1:0"},
		func(context.Context, *app.Process) (app.Service, error) {
			return app.Service{}, errors.New("not authorized")
		})
	if err == nil || !strings.Contains(err.Error(), "not authorized") {
		t.Errorf("got %v", err)
	}
}

// TestStoppingIsLogged verifies that a process logs when it is told to stop and when it has
// stopped, and neither when it ends by itself.
func TestStoppingIsLogged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure error
		want    []string
	}{
		{nil, []string{"serving", "stopping", "closed", "stopped"}},
		{errors.New("the disk is gone"), []string{"closed"}},
	} {
		var log strings.Builder // read when the process has ended
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		err := app.Serve(ctx, app.Env{Logger: slog.New(slog.NewTextHandler(&log, nil))}, "records", app.Listen{Addr: "127.0.0.1:0"}, func(_ context.Context, p *app.Process) (app.Service, error) {
			p.OnClose(func() error { p.Logger.Info("closed"); return nil })
			return app.Service{Name: "records", App: web.New(web.Options{Logger: slog.New(slog.DiscardHandler)}), Serving: func(string) { stop() }}, c.failure
		})
		if !errors.Is(err, c.failure) {
			t.Errorf("%v, want %v", err, c.failure)
		}
		var said []string
		for line := range strings.Lines(log.String()) {
			_, line, _ = strings.Cut(line, "msg=")
			said = append(said, strings.Fields(line)[0])
		}
		if !slices.Equal(said, c.want) {
			t.Errorf("the log says %v, want %v", said, c.want)
		}
	}
}

// Outages are waited for, and logged at their start and end, not at each attempt; permanent errors are returned at
// once.
func TestAwait(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, nil))
	refused := errors.New("not authorized")
	permanent := func(err error) bool { return errors.Is(err, refused) }
	attempts := 0
	got, err := app.Await(t.Context(), log, "database", func(context.Context) (string, error) {
		if attempts++; attempts < 4 {
			return "", errors.New("connection refused")
		}
		return "open", nil
	}, permanent)
	if err != nil || got != "open" || attempts != 4 || strings.Count(out.String(), "opening the database fails") != 1 || strings.Count(out.String(), "opening the database works again") != 1 {
		t.Errorf("%q %v after %d attempts; log: %s", got, err, attempts, out.String())
	}
	attempts = 0
	if _, err := app.Await(t.Context(), log, "database", func(context.Context) (string, error) {
		attempts++
		return "", refused
	}, permanent); !errors.Is(err, refused) || attempts != 1 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

// A process that lives by its work is dead to who would restart it when the work has not
// got on for the limit, and lives again when it does; readiness is apart from it.
func TestAProcessLivesByItsWork(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	listen := app.Listen{DebugAddr: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))}
	ctx, stop := context.WithCancel(t.Context())
	beats, ended := make(chan func(), 1), make(chan error, 1)
	go func() {
		ended <- app.Serve(ctx, app.Env{Logger: slog.New(slog.DiscardHandler), Now: clock.Now}, "worker", listen, func(_ context.Context, p *app.Process) (app.Service, error) {
			inside := p.Inside(web.NewHealth(clock.Now))
			beats <- inside.LivesBy(time.Minute)
			return app.Service{Name: "worker"}, nil
		})
	}()
	beat := <-beats
	lives := func(want int) {
		t.Helper()
		testkit.Eventually(t, 30*time.Second, func() error { // the debug port may not listen yet
			if got := status("http://" + listen.DebugAddr + "/health/live"); got != want {
				return fmt.Errorf("live is answered with %d, want %d", got, want)
			}
			return nil
		})
	}
	lives(http.StatusOK)
	clock.Advance(time.Minute)
	lives(http.StatusOK)
	clock.Advance(time.Second)
	lives(http.StatusServiceUnavailable)
	beat()
	lives(http.StatusOK)
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAnAddressThatCannotBeListenedOn verifies that the error names the setting and what to do.
func TestAnAddressThatCannotBeListenedOn(t *testing.T) {
	t.Parallel()
	taken, err := app.ListenOn(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	free := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	for want, listen := range map[string]app.Listen{
		"ECF_ADDR is " + taken.Addr().String() + ", where another program listens already: stop that one, or choose another address: ":       {Addr: taken.Addr().String()},
		"ECF_DEBUG_ADDR is " + taken.Addr().String() + ", where another program listens already: stop that one, or choose another address: ": {Addr: free, DebugAddr: taken.Addr().String()},
		"ECF_ADDR is 192.0.2.1:80, which is no address of this machine: ":                                                                    {Addr: "192.0.2.1:80"},
	} {
		err := app.Serve(t.Context(), app.Env{Logger: slog.New(slog.DiscardHandler)}, "records", listen, func(_ context.Context, p *app.Process) (app.Service, error) {
			return app.Service{Name: "records", App: web.New(web.Options{Logger: p.Logger})}, nil
		})
		if err == nil || !strings.Contains(err.Error(), want) || strings.HasPrefix(err.Error(), "records: ") {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
