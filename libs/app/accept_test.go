package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/web"
)

// failingListener fails to accept with each of its errors before it accepts.
type failingListener struct {
	net.Listener
	mu   sync.Mutex
	errs []error
}

func (l *failingListener) Accept() (net.Conn, error) {
	l.mu.Lock()
	if len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		l.mu.Unlock()
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
	}
	l.mu.Unlock()
	return l.Listener.Accept()
}

// TestAcceptingGoesOn verifies that a process goes on serving after it could not accept a
// connection for lack of file descriptors or buffers, and logs that once. Another error
// ends it.
func TestAcceptingGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		errs  []error
		fatal bool
	}{
		{errs: []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EMFILE}},
		{errs: []error{syscall.EMFILE, syscall.EINVAL}, fatal: true},
	} {
		ln, err := app.ListenOn(t.Context(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer // read when serving has ended
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		a := web.New(web.Options{Logger: slog.New(slog.DiscardHandler)})
		web.NewHealth(nil).Register(a, "")
		ended := make(chan error, 1)
		go func() {
			ended <- app.ServeApp(ctx, a, app.Patient(ctx, &failingListener{Listener: ln, errs: c.errs}, slog.New(slog.NewTextHandler(&log, nil)), nil), time.Second)
		}()
		if !c.fatal {
			if got := status("http://" + ln.Addr().String() + "/health/live"); got != http.StatusOK {
				t.Errorf("after %v: %d", c.errs, got)
			}
			stop()
		}
		err = <-ended
		if c.fatal != (err != nil && strings.Contains(err.Error(), "invalid argument")) {
			t.Errorf("after %v serving ended with %v", c.errs, err)
		}
		if n := strings.Count(log.String(), `msg="accepting connections fails"`); n != 1 {
			t.Errorf("the failure was logged %d times:\n%s", n, log.String())
		}
	}
}
