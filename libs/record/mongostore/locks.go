package mongostore

import (
	"context"
	"sync"
)

// locks is a mutex for each key. Callers of this process that want the next
// number of the same collection would otherwise all try the same one, and all
// but one in vain. It saves attempts and does not keep numbers unique: other
// processes are held back by the index alone.
type locks struct {
	mu    sync.Mutex
	byKey map[string]*keyLock
}

type keyLock struct {
	token chan struct{} // holds one token while the lock is free
	users int           // how many hold the lock or wait for it
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
