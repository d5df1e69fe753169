// Package embedded runs a Redis server inside the process, for the single-process
// program.
package embedded

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// tick is how often the clock of the embedded server is set; expiry is at most this late.
const tick = 100 * time.Millisecond

// Start starts a Redis server inside this process, on a free port of 127.0.0.1 and with a random password (other
// users of the machine can reach the port), and returns its address. It runs until stop is called, not until ctx
// ends: what drains at shutdown still needs it. Its data is lost then.
func Start(ctx context.Context) (address string, stop func(), err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, fmt.Errorf("start embedded redis: %w", err)
	}
	password := rand.Text()
	server := miniredis.NewMiniRedis()
	server.RequireAuth(password)
	if err := server.StartAddr("127.0.0.1:0"); err != nil {
		return "", nil, fmt.Errorf("start embedded redis: %w", err)
	}
	ticker := time.NewTicker(tick)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		keepTime(server, ticker.C, quit, time.Now())
	}()
	stop = sync.OnceFunc(func() {
		ticker.Stop()
		close(quit)
		<-done
		server.Close()
	})
	return "redis://:" + password + "@" + server.Addr() + "/0", stop, nil
}

// keepTime advances the server's clock, which does not move by itself, by the elapsed time; the next tick compensates
// for a delayed one.
func keepTime(server interface{ FastForward(time.Duration) }, ticks <-chan time.Time, quit <-chan struct{}, last time.Time) {
	for {
		select {
		case <-quit:
			return
		case now := <-ticks:
			if elapsed := now.Sub(last); elapsed > 0 {
				server.FastForward(elapsed)
				last = now
			}
		}
	}
}
