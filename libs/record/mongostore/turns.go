package mongostore

import (
	"context"
	"sync"
)

// turns lets one caller at a time through for each key. Those of this process
// that want the next number of the same collection would otherwise all try the
// same one, and all but one in vain. It is a courtesy, not what keeps numbers
// unique: other processes are held apart by the index alone.
type turns struct {
	mu    sync.Mutex
	byKey map[string]*turn
}

type turn struct {
	token chan struct{} // holds one token when nobody has the turn
	users int           // who has or wants the turn
}

// take waits for the turn of key. The caller must call done once.
func (t *turns) take(ctx context.Context, key string) (done func(), err error) {
	t.mu.Lock()
	if t.byKey == nil {
		t.byKey = map[string]*turn{}
	}
	mine := t.byKey[key]
	if mine == nil {
		mine = &turn{token: make(chan struct{}, 1)}
		mine.token <- struct{}{}
		t.byKey[key] = mine
	}
	mine.users++
	t.mu.Unlock()

	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.users--; mine.users == 0 {
			delete(t.byKey, key)
		}
	}
	select {
	case <-mine.token:
		return func() {
			mine.token <- struct{}{}
			leave()
		}, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
