package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

// How long a listener waits before it accepts again, at first and at most. While a client
// floods a process, others wait behind all of its connections, so this is short.
const (
	firstAcceptPause = time.Millisecond
	lastAcceptPause  = 20 * time.Millisecond
)

// passing are the errors of accept that end by themselves: what is lacking is given back
// when other connections or files are closed, or the client has gone already.
var passing = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED}

// patientListener accepts again after an error that passes. fasthttp ends the server at
// any error, so that clients who keep connections open could end the process.
type patientListener struct {
	net.Listener
	ended  <-chan struct{} // closed when the process ends: nothing is waited for then
	report func(error)
}

// patient returns ln with patience, which logs what it waits for as an outage.
func patient(ctx context.Context, ln net.Listener, log *slog.Logger, now func() time.Time) net.Listener {
	outage := telemetry.NewOutage(log, now, "accepting connections")
	return &patientListener{Listener: ln, ended: ctx.Done(), report: func(err error) { outage.Report(ctx, err) }}
}

// Accept implements net.Listener.
func (l *patientListener) Accept() (net.Conn, error) {
	for pause := firstAcceptPause; ; pause = min(2*pause, lastAcceptPause) {
		conn, err := l.Listener.Accept()
		if err != nil && !slices.ContainsFunc(passing, func(e error) bool { return errors.Is(err, e) }) {
			return nil, err
		}
		l.report(err)
		if err == nil {
			return conn, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-l.ended:
			timer.Stop()
		}
	}
}
