package sqlitex

import "time"

// batchLimit bounds how many writes share one commit: enough to amortize the
// fsync, few enough that the first of them does not wait long.
const batchLimit = 128

// behindAfter is after how many commits of other writes a low-priority write is committed although others wait.
const behindAfter = 8

// commitLoop commits the queue. Low-priority writes are committed one at a time, while no other waits or after
// behindAfter commits of others, so that other writes wait for at most one of them; they do not affect group commit.
func (db *DB) commitLoop() {
	defer close(db.done)
	timer := time.NewTimer(gatherLimit)
	defer timer.Stop()
	over := func(d time.Duration) <-chan time.Time {
		timer.Reset(d)
		return timer.C
	}
	commits := 0 // since the last low-priority commit
	var ended time.Time
	for {
		first, behind, ok := db.next(commits >= behindAfter)
		switch {
		case !ok:
			return
		case behind:
			db.writer.commit([]*write{first})
			commits = 0
		default:
			batch := db.gather.more([]*write{first}, db.queue, over, db.closing)
			began := time.Now()
			db.writer.commit(batch)
			came := began.Sub(ended)
			ended = time.Now()
			db.gather.committed(len(batch), len(db.queue), came, ended.Sub(began))
			commits++
		}
		db.checkpoints.committed()
	}
}

// next waits for a write and reports whether it has low priority; with turn those come first. ok is false if the file
// is closed and the queue is empty.
func (db *DB) next(turn bool) (w *write, behind, ok bool) {
	first, second := db.queue, db.behind
	if turn {
		first, second = second, first
	}
	if w, behind, ok = db.taken(first, second); ok {
		return w, behind, true
	}
	select {
	case w = <-db.queue:
		return w, false, true
	case w = <-db.behind:
		return w, true, true
	case <-db.closing:
		return db.taken(db.queue, db.behind)
	}
}

// taken returns the first write of the queues, in this order, if there is one.
func (db *DB) taken(queues ...chan *write) (w *write, behind, ok bool) {
	for _, queue := range queues {
		select {
		case w = <-queue:
			return w, queue == db.behind, true
		default:
		}
	}
	return nil, false, false
}
