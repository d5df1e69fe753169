package sqlitex

import "time"

// batchLimit bounds how many writes share one commit: enough to amortize the
// fsync, few enough that the first of them does not wait long.
const batchLimit = 128

// gatherLimit bounds how long the first write of a batch waits for others.
const gatherLimit = 2 * time.Millisecond

// behindAfter is after how many commits of other writes one that is behind is made, though
// others wait.
const behindAfter = 8

// gathering decides for how many writes a commit waits. Those who write at the same
// time come again soon after they were answered, and a commit for all of them costs
// little more than one for those who came first: the log takes each changed page once,
// and there is one fsync. So as many are waited for as there were at the last commit, in
// it and behind it, but no longer than twice as long as it lasted. Who writes alone never
// waits, and two who met by chance do not for long: after waits that brought nobody, twice as
// many commits as before do not wait.
type gathering struct {
	expected int
	lasted   time.Duration
	// vain is how many waits in a row brought nobody, and spared how many commits more do not
	// wait for that.
	vain, spared int
}

// mostInVain bounds gathering.vain: one of 64 commits waits all the same.
const mostInVain = 6

// more adds to a batch the writes that are in the queue, and then those that come
// before over, until there are as many as are expected.
func (g *gathering) more(batch []*write, queue <-chan *write, over func(time.Duration) <-chan time.Time, closing <-chan struct{}) []*write {
	batch = queued(batch, queue)
	if len(batch) >= min(g.expected, batchLimit) {
		return batch
	}
	if g.spared > 0 {
		g.spared--
		return batch
	}
	before := len(batch)
	batch = g.wait(batch, queue, over(min(2*g.lasted, gatherLimit)), closing)
	if g.vain = min(g.vain+1, mostInVain); len(batch) > before {
		g.vain = 0
	}
	g.spared = 1<<g.vain - 1
	return batch
}

func (g *gathering) wait(batch []*write, queue <-chan *write, late <-chan time.Time, closing <-chan struct{}) []*write {
	for len(batch) < min(g.expected, batchLimit) {
		select {
		case w := <-queue:
			batch = append(batch, w)
		case <-late:
			return queued(batch, queue)
		case <-closing:
			return batch
		}
	}
	return queued(batch, queue)
}

// committed notes how many writes a commit was for, how many came meanwhile, and how
// long it lasted.
func (g *gathering) committed(batch, meanwhile int, lasted time.Duration) {
	g.expected, g.lasted = batch+meanwhile, lasted
}

// queued adds to a batch what is in the queue.
func queued(batch []*write, queue <-chan *write) []*write {
	for len(batch) < batchLimit {
		select {
		case w := <-queue:
			batch = append(batch, w)
		default:
			return batch
		}
	}
	return batch
}

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
			db.gather.committed(len(batch), len(db.queue), time.Since(began))
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
