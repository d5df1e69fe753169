package mongodb_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
)

// TestOpenWaitsForANameServer opens an address whose hosts no name server knows, and one that is wrong: only the first
// may become right.
func TestOpenWaitsForANameServer(t *testing.T) {
	t.Parallel()
	p := &app.Process{Env: app.Env{Logger: slog.New(slog.DiscardHandler)}}
	for address, waits := range map[string]bool{
		"mongodb+srv://ecf:hunter2@nowhere.invalid/ecf": true,
		"mongodb://ecf:hunter2@db.test/ecf?w=1":         false,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := mongodb.Open(ctx, p, "test", address, "ecf")
		cancel()
		if err == nil || errors.Is(err, context.DeadlineExceeded) != waits || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
