package fairshare

import "context"

type behindKey struct{}

// Behind returns a context for work with low priority, such as the rows of an imported
// file, for which nobody is waiting. Functions that respect it say so.
func Behind(ctx context.Context) context.Context {
	return context.WithValue(ctx, behindKey{}, true)
}

// IsBehind reports whether ctx is derived from Behind.
func IsBehind(ctx context.Context) bool {
	behind, _ := ctx.Value(behindKey{}).(bool)
	return behind
}
