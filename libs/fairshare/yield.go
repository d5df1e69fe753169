package fairshare

import (
	"context"
	"runtime"
)

type yieldKey struct{}

// Yielding returns a context under which Yield calls yield, which lets others have their turns.
func Yielding(ctx context.Context, yield func(context.Context) error) context.Context {
	return context.WithValue(ctx, yieldKey{}, yield)
}

// Yield lets others go: what waits for a processor in this process, and, under a context of
// Yielding, whoever has work that is scheduled with this. Work that lasts calls it between its
// parts, a millisecond or so each. Its error is that of ctx, or that there was no
// other turn in time.
func Yield(ctx context.Context) error {
	runtime.Gosched()
	if yield, ok := ctx.Value(yieldKey{}).(func(context.Context) error); ok {
		return yield(ctx)
	}
	return ctx.Err()
}
