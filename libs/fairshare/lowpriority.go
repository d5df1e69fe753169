package fairshare

import "context"

type lowPriorityKey struct{}

// LowPriority returns a context for work with low priority, such as the rows of an imported
// file, for which nobody is waiting. Functions that respect it say so.
func LowPriority(ctx context.Context) context.Context {
	return context.WithValue(ctx, lowPriorityKey{}, true)
}

// IsLowPriority reports whether ctx is derived from LowPriority.
func IsLowPriority(ctx context.Context) bool {
	behind, _ := ctx.Value(lowPriorityKey{}).(bool)
	return behind
}
