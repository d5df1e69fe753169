package sqlitex

import "time"

// batchLimit bounds how many writes share one commit: enough to amortize the
// fsync, few enough that the first of them does not wait long.
const batchLimit = 128

// behindAfter is after how many commits of other writes one that is behind is made, though
// others wait.
const behindAfter = 8

// commitLoop commits what is queued. Writes that are behind are each committed alone, while
// no other waits or after behindAfter commits of others: who comes meanwhile waits for one of
// them at most, and they have no part in what is gathered.
func (db *DB) commitLoop() {
	defer close(db.done)
	timer := time.NewTimer(gatherLimit)
	defer timer.Stop()
	over := func(d time.Duration) <-chan time.Time {
		timer.Reset(d)
		return timer.C
	}
	commits := 0 // since one was made that is behind
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

// next waits for a write and reports whether it is one that is behind; those go first once
// it is their turn. Not ok: the file is closed and nothing is queued.
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

// taken returns the first write of the queues, in this order, where there is one.
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
