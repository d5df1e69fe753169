package sqlitex

import "time"

// batchLimit bounds how many writes share one commit: enough to amortize the
// fsync, few enough that the first of them does not wait long.
const batchLimit = 128

// gatherLimit bounds how long the first write of a batch waits for others.
const gatherLimit = 2 * time.Millisecond

// gathering decides for how many writes a commit waits. Those who write at the same
// time come again soon after they were answered, and a commit for all of them costs
// little more than one for those who came first: the log takes each changed page once,
// and there is one fsync. So as many are waited for as there were at the last commit, in
// it and behind it, but no longer than twice as long as it lasted. Who writes alone never
// waits.
type gathering struct {
	expected int
	lasted   time.Duration
}

// more adds to a batch the writes that are in the queue, and then those that come
// before over, until there are as many as are expected.
func (g *gathering) more(batch []*write, queue <-chan *write, over func(time.Duration) <-chan time.Time, closing <-chan struct{}) []*write {
	batch = queued(batch, queue)
	if len(batch) >= min(g.expected, batchLimit) {
		return batch
	}
	late := over(min(2*g.lasted, gatherLimit))
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

func (db *DB) commitLoop() {
	defer close(db.done)
	timer := time.NewTimer(gatherLimit)
	defer timer.Stop()
	over := func(d time.Duration) <-chan time.Time {
		timer.Reset(d)
		return timer.C
	}
	for {
		var batch []*write
		select {
		case w := <-db.queue:
			batch = db.gather.more([]*write{w}, db.queue, over, db.closing)
		case <-db.closing:
			for {
				if batch = queued(nil, db.queue); len(batch) == 0 {
					return
				}
				db.writer.commit(batch)
			}
		}
		began := time.Now()
		db.writer.commit(batch)
		db.gather.committed(len(batch), len(db.queue), time.Since(began))
		db.checkpoints.committed()
	}
}
