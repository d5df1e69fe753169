package app

import (
	"errors"
	"sync"
	"time"
)

// errStuck is the state of a process whose work has made no progress for too long.
var errStuck = errors.New("the work of the process makes no progress")

// pulse records the progress of a process.
type pulse struct {
	now   func() time.Time
	mu    sync.Mutex
	limit time.Duration // 0: it is live while it responds
	last  time.Time
}

// LivesBy ties the liveness of the process to progress: it is live only while the returned
// function is called at least once within each limit, counted from now.
func (p *Process) LivesBy(limit time.Duration) (beat func()) {
	p.pulse.mu.Lock()
	p.pulse.limit = limit
	p.pulse.mu.Unlock()
	p.pulse.beat()
	return p.pulse.beat
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.now()
}

// check returns errStuck where the last beat is longer ago than the limit.
func (p *pulse) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 && p.now().Sub(p.last) > p.limit {
		return errStuck
	}
	return nil
}
