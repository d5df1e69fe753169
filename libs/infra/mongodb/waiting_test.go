package mongodb_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
)

// TestAwaitEndsAtLast verifies how long a process waits for a database: not at all if waiting cannot help, for
// a quarter of an hour if the server cannot be reached, and on if the server answers.
func TestAwaitEndsAtLast(t *testing.T) {
	t.Parallel()
	unreached := topology.ServerSelectionError{Wrapped: errors.New("connection refused")}
	refused := driver.Error{Code: 18, Name: "AuthenticationFailed", Message: "Authentication failed."}
	for name, c := range map[string]struct {
		fails  func(elapsed time.Duration) error
		opened bool
		after  time.Duration // within a few seconds
		says   string
	}{
		"a wrong password":                    {func(time.Duration) error { return topology.ConnectionError{Wrapped: refused} }, false, 0, "Authentication failed"},
		"a server that is down":               {func(time.Duration) error { return mongox.Wrap("read", unreached) }, false, 15 * time.Minute, "could not be reached for 15m0s"},
		"a name that no name server knows":    {func(time.Duration) error { return &net.DNSError{Err: "no such host", Name: "db.test"} }, false, 15 * time.Minute, "lookup db.test"},
		"a server that is back in time":       {until(14*time.Minute, unreached), true, 14 * time.Minute, ""},
		"a server that waits for a migration": {until(3*time.Hour, mongox.ErrPending), true, 3 * time.Hour, ""},
		"a server that answers in between": {func(elapsed time.Duration) error {
			switch {
			case elapsed > 25*time.Minute:
				return nil
			case elapsed > 10*time.Minute && elapsed < 11*time.Minute:
				return mongox.ErrPending
			}
			return unreached
		}, true, 25 * time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				opened, err := mongodb.Await(t.Context(), app.Env{Logger: slog.New(slog.DiscardHandler)}, "records database", func(context.Context) (bool, error) {
					err := c.fails(time.Since(begin))
					return err == nil, err
				})
				if opened != c.opened || (err == nil) != c.opened || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("opened is %v: %v", opened, err)
				}
				if late := time.Since(begin) - c.after; late < 0 || late > 10*time.Second {
					t.Errorf("it ended after %s, want %s", time.Since(begin), c.after)
				}
			})
		})
	}
}

func until(elapsed time.Duration, err error) func(time.Duration) error {
	return func(now time.Duration) error {
		if now >= elapsed {
			return nil
		}
		return err
	}
}

// TestDialWaitsForANameServer is TestOpenWaitsForANameServer for the server of all services and for commands.
func TestDialWaitsForANameServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var db *mongo.Database
	db, _, err := mongodb.Dial(ctx, app.Env{Logger: slog.New(slog.DiscardHandler)}, "test", "mongodb+srv://nowhere.invalid/", "ecf")
	if db != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the end of the context", err)
	}
}
