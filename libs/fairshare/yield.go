package fairshare

import (
	"context"
	"runtime"
)

type yieldKey struct{}

// Yielding returns a context under which Yield calls yield, which lets other work run.
func Yielding(ctx context.Context, yield func(context.Context) error) context.Context {
	return context.WithValue(ctx, yieldKey{}, yield)
}

// Yield lets others run: runnable goroutines of this process and, under a context of
// Yielding, waiting work of the same scheduler. Long work calls it between parts of
// about a millisecond. Its error is that of ctx, or that no slot became available in
// time.
func Yield(ctx context.Context) error {
	runtime.Gosched()
	if yield, ok := ctx.Value(yieldKey{}).(func(context.Context) error); ok {
		return yield(ctx)
	}
	return ctx.Err()
}
