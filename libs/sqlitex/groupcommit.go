package sqlitex

import "time"

// gatherLimit bounds how long the first write of a batch waits for others.
const gatherLimit = 2 * time.Millisecond

// halvesFor is how many commits for half of the writers follow two for all of them, before the modes are compared
// again.
const halvesFor = 62

// gathering decides for how many writes a commit waits. Concurrent writers return soon after they were answered, and
// a commit for all of them costs little more than one for the first: the log contains each changed page once, and
// there is one fsync. So it waits for as many as were in the last commit and behind it, but no longer than twice its
// duration. A single writer never waits, and two that coincided do not for long: after a wait in vain, twice as many
// commits as before do not wait.
//
// While all wait for one commit, no write is prepared; and while writes are being prepared, nothing is committed. So
// if preparing takes longer than half of a commit, which is the cost of an additional one, commits are for half of
// the writers.
type gathering struct {
	// everyone is how many write at the same time.
	everyone int
	lasted   time.Duration
	// halves is the number of remaining commits for half of the writers; together reports whether the last one was
	// for all, so that all of them had to return.
	halves   int
	together bool
	// vain is the number of consecutive waits in vain, and spared the number of remaining commits without a wait
	// because of that.
	vain, spared int
}

// maxVainWaits bounds gathering.vain: at least one of 64 commits waits.
const maxVainWaits = 6

// expected returns for how many writes the next commit waits.
func (g *gathering) expected() int {
	n := g.everyone
	if g.halves > 0 {
		n = (n + 1) / 2
	}
	return min(n, batchLimit)
}

// more adds to a batch the queued writes, and then those that arrive before over, up to the expected number.
func (g *gathering) more(batch []*write, queue <-chan *write, over func(time.Duration) <-chan time.Time, closing <-chan struct{}) []*write {
	batch = queued(batch, queue)
	if len(batch) >= g.expected() {
		return batch
	}
	if g.spared > 0 {
		g.spared--
		return batch
	}
	before := len(batch)
	batch = g.wait(batch, queue, over(min(2*g.lasted, gatherLimit)), closing)
	if g.vain = min(g.vain+1, maxVainWaits); len(batch) > before {
		g.vain = 0
	}
	g.spared = 1<<g.vain - 1
	return batch
}

func (g *gathering) wait(batch []*write, queue <-chan *write, late <-chan time.Time, closing <-chan struct{}) []*write {
	for len(batch) < g.expected() {
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

// committed records the size of a commit, how many writes arrived meanwhile, how long after the previous commit its
// writes had arrived, and its duration.
func (g *gathering) committed(batch, meanwhile int, came, lasted time.Duration) {
	all, seen := batch >= g.expected(), batch+meanwhile
	switch {
	case g.halves > 0 && all:
		g.halves--
		g.everyone, g.together = max(g.everyone, seen), false
	case g.halves > 0: // Some return later or not at all: wait for all to find out.
		g.halves = 0
	default:
		if g.together && all && came > lasted/2 {
			g.halves = halvesFor
		}
		g.everyone, g.together = seen, all
	}
	g.lasted = lasted
}

// queued adds the queued writes to a batch.
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
