package sqlitex

import "time"

// gatherLimit bounds how long the first write of a batch waits for others.
const gatherLimit = 2 * time.Millisecond

// halvesFor is how many commits for half of those who write follow two for all of them,
// before it is looked again which is better.
const halvesFor = 62

// gathering decides for how many writes a commit waits. Those who write at the same
// time come again soon after they were answered, and a commit for all of them costs
// little more than one for those who came first: the log takes each changed page once,
// and there is one fsync. So as many are waited for as there were at the last commit, in
// it and behind it, but no longer than twice as long as it lasted. Who writes alone never
// waits, and two who met by chance do not for long: after waits that brought nobody, twice as
// many commits as before do not wait.
//
// Where all wait for the same commit, nobody prepares a write meanwhile, and where writes
// take long to prepare, nobody is committed meanwhile. So commits are for half of those who
// write where it takes them longer to come again than half of a commit lasts, which is what
// one more of them costs.
type gathering struct {
	// everyone is how many write at the same time.
	everyone int
	lasted   time.Duration
	// halves is how many commits more are for half of everyone; together reports whether
	// the last one was for all, so that all of them had to come again.
	halves   int
	together bool
	// vain is how many waits in a row brought nobody, and spared how many commits more do not
	// wait for that.
	vain, spared int
}

// mostInVain bounds gathering.vain: one of 64 commits waits all the same.
const mostInVain = 6

// expected returns for how many writes the next commit waits.
func (g *gathering) expected() int {
	n := g.everyone
	if g.halves > 0 {
		n = (n + 1) / 2
	}
	return min(n, batchLimit)
}

// more adds to a batch the writes that are in the queue, and then those that come
// before over, until there are as many as are expected.
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
	if g.vain = min(g.vain+1, mostInVain); len(batch) > before {
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

// committed notes how many writes a commit was for, how many came meanwhile, how long
// after the commit before it its writes had come, and how long it lasted.
func (g *gathering) committed(batch, meanwhile int, came, lasted time.Duration) {
	all, seen := batch >= g.expected(), batch+meanwhile
	switch {
	case g.halves > 0 && all:
		g.halves--
		g.everyone, g.together = max(g.everyone, seen), false
	case g.halves > 0: // Some do not come again, or later: all are waited for to know.
		g.halves = 0
	default:
		if g.together && all && came > lasted/2 {
			g.halves = halvesFor
		}
		g.everyone, g.together = seen, all
	}
	g.lasted = lasted
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
