package calculation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// TestSignedReportsHoldNoTurnBetweenReads: no slot is held while a client receives a document; without a slot, it
// ends.
func TestSignedReportsHoldNoTurnBetweenReads(t *testing.T) {
	t.Parallel()
	held, turns := 0, 0
	closed := false
	from := iotest.HalfReader(strings.NewReader(strings.Repeat("x", 3*keptStep)))
	b := newKeptBody(t.Context(), func() { closed = true }, from, func(context.Context) (func(), error) {
		held++
		if turns++; turns > 4 {
			return nil, context.DeadlineExceeded
		}
		return func() { held-- }, nil
	})
	piece, size := make([]byte, 1000), 0
	for {
		n, err := b.Read(piece)
		if size += n; err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			break
		}
		if held != 0 {
			t.Fatalf("a turn is held after %d bytes", size)
		}
	}
	if size != 4*keptStep/2 {
		t.Errorf("%d bytes in four turns", size)
	}
	if err := b.Close(); err != nil || !closed {
		t.Error("the reading goes on")
	}
}
