package mongostore

import (
	"context"
	"sync"
)

// locks is a mutex per key. Without it, concurrent requests of this process for the next number of one collection
// would all try the same one, and all but one would fail. It saves attempts; only the index makes numbers unique
// across processes.
type locks struct {
	mu    sync.Mutex
	byKey map[string]*keyLock
}

type keyLock struct {
	token chan struct{} // holds a token while the lock is free
	users int           // number of holders and waiters
}

// acquire locks a key. The caller must call release once.
func (l *locks) acquire(ctx context.Context, key string) (release func(), err error) {
	l.mu.Lock()
	if l.byKey == nil {
		l.byKey = map[string]*keyLock{}
	}
	lock := l.byKey[key]
	if lock == nil {
		lock = &keyLock{token: make(chan struct{}, 1)}
		lock.token <- struct{}{}
		l.byKey[key] = lock
	}
	lock.users++
	l.mu.Unlock()

	forget := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if lock.users--; lock.users == 0 {
			delete(l.byKey, key)
		}
	}
	select {
	case <-lock.token:
		return func() {
			lock.token <- struct{}{}
			forget()
		}, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
