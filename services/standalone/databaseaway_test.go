package standalone_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// TestServeWaitsForItsDatabase verifies that a server whose database cannot be reached at its start, because no name
// server knows its address or nothing listens there, is live and not ready until it is stopped.
func TestServeWaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"a list of hosts that no name server knows": "mongodb+srv://nowhere.invalid/",
		"a host that no name server knows":          "mongodb://nowhere.invalid/?serverSelectionTimeoutMS=100",
		"nothing listens":                           fmt.Sprintf("mongodb://127.0.0.1:%d/?serverSelectionTimeoutMS=100", testkit.FreePort(t)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
			env := map[string]string{
				"ECF_ADDR": "127.0.0.1:0", "ECF_DEBUG_ADDR": debug, "ECF_DATA_DIR": t.TempDir(), "ECF_ISSUER": "http://carbon.test",
				"ECF_MONGODB_URI": address, "ECF_REDIS_URL": "redis://nowhere.invalid:6379",
			}
			config, err := standalone.Load(nil, func(name string) string { return env[name] })
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			waits := &firstWarning{seen: make(chan struct{})}
			ended := make(chan error, 1)
			go func() { ended <- standalone.Serve(ctx, standalone.Options{Config: config, Logger: slog.New(waits)}) }()
			select {
			case <-waits.seen:
			case err := <-ended:
				t.Fatalf("the server ended: %v", err)
			case <-time.After(30 * time.Second):
				t.Fatal("nothing says that the database is not there")
			}
			for path, want := range map[string]int{"/health/live": http.StatusOK, "/health/ready": http.StatusServiceUnavailable} {
				testkit.Eventually(t, 30*time.Second, func() error {
					resp, err := http.Get("http://" + debug + path) //nolint:noctx // a test
					if err != nil {
						return err
					}
					if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
						return fmt.Errorf("%s is answered with %d, want %d: %w", path, resp.StatusCode, want, err)
					}
					return nil
				})
			}
			stop()
			if err := <-ended; err != nil {
				t.Errorf("stopping while it waits: %v", err)
			}
		})
	}
}

// firstWarning is a log that closes a channel at its first warning that something fails.
type firstWarning struct {
	once sync.Once
	seen chan struct{}
}

func (*firstWarning) Enabled(context.Context, slog.Level) bool { return true }
func (w *firstWarning) WithAttrs([]slog.Attr) slog.Handler     { return w }
func (w *firstWarning) WithGroup(string) slog.Handler          { return w }

func (w *firstWarning) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && strings.HasPrefix(r.Message, "opening the ") {
		w.once.Do(func() { close(w.seen) })
	}
	return nil
}
