package password

import "context"

// Acquire takes a slot, for tests of what happens when none is free.
func (h *Hasher) Acquire(ctx context.Context) (func(), error) { return h.acquire(ctx) }
