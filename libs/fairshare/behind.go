package fairshare

import "context"

type behindKey struct{}

// Behind returns a context for what may wait for others: the rows of a file that is imported,
// say, beside what somebody waits for the answer to. What schedules by it says so.
func Behind(ctx context.Context) context.Context {
	return context.WithValue(ctx, behindKey{}, true)
}

// IsBehind reports whether ctx is of Behind.
func IsBehind(ctx context.Context) bool {
	behind, _ := ctx.Value(behindKey{}).(bool)
	return behind
}
