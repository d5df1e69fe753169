package password

import "context"

// share is the unit of fair scheduling that a hash belongs to.
type share struct {
	key    string
	behind bool
}

type shareKey struct{}

// For returns a context whose hashes count for a key: keys share the slots.
func For(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, shareKey{}, share{key: key})
}

// LowPriority is For for hashes that wait for all others.
func LowPriority(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, shareKey{}, share{key: key, behind: true})
}
