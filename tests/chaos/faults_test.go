package chaos

import (
	"cmp"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/redisx"
)

// fault is a fault that begins and ends.
type fault struct {
	name string
	// forgets means that Redis loses everything.
	forgets bool
	// targets are the parts that no other fault may affect meanwhile.
	targets []string
	begin   func()
	end     func()
	// repair does what a runbook tells operators to do if the fault does not end by
	// itself.
	repair func()
	// lasting is how long the fault lasts; zero for a random time.
	lasting time.Duration
}

// faults lists the faults of a deployment.
func (d *deployment) faults(random *rand.Rand, long bool) []fault {
	var all []fault
	for _, p := range d.parts {
		all = append(all,
			fault{name: "kill -9 " + p.name, targets: []string{p.name}, begin: p.kill, end: p.start},
			fault{name: "hang " + p.name, targets: []string{p.name},
				begin: func() { p.signal(syscall.SIGSTOP) }, end: func() { p.signal(syscall.SIGCONT) },
				repair: func() { p.kill(); p.start() }},
		)
		if long {
			all = append(all, fault{name: "restart " + p.name, targets: []string{p.name}, begin: p.stop, end: p.start})
		}
		if p.skewed {
			right := func() { p.signal(syscall.SIGHUP) }
			all = append(all,
				fault{name: "wrong clock of " + p.name + ": an hour ahead", targets: []string{p.name}, begin: func() { p.signal(syscall.SIGUSR1) }, end: right},
				fault{name: "wrong clock of " + p.name + ": an hour behind", targets: []string{p.name}, begin: func() { p.signal(syscall.SIGUSR2) }, end: right})
		}
		if long && strings.HasPrefix(p.name, "worker") {
			// A task's lease in asynq is 30 seconds.
			all = append(all, fault{name: "hang " + p.name + " past every lease", targets: []string{p.name}, lasting: 35 * time.Second,
				begin: func() { p.signal(syscall.SIGSTOP) }, end: func() { p.signal(syscall.SIGCONT) }})
		}
	}
	for _, pair := range []string{"worker", "gateway"} {
		var both []*part
		var names []string
		for _, p := range d.parts {
			if strings.HasPrefix(p.name, pair+" ") {
				both, names = append(both, p), append(names, p.name)
			}
		}
		if len(both) > 0 {
			all = append(all, fault{name: "kill -9 every " + pair, targets: names,
				begin: func() {
					for _, p := range both {
						p.kill()
					}
				},
				end: func() {
					for _, p := range both {
						p.start()
					}
				}})
		}
	}
	if r := d.redis; r != nil {
		target := []string{"redis"}
		all = append(all,
			fault{name: "flush Redis", forgets: true, targets: target, begin: r.Flush, end: func() {}},
			fault{name: "stop Redis", forgets: true, targets: target, begin: r.Stop, end: r.Start},
			fault{name: "kill -9 Redis", forgets: true, targets: target, begin: r.Kill, end: r.Start},
		)
		if r.Real() {
			all = append(all,
				fault{name: "hang Redis", targets: target, begin: r.Pause, end: r.Resume, repair: func() { r.Kill(); r.Start() }},
				fault{name: "fill the memory of Redis", targets: target, begin: r.Fill, end: r.Room},
			)
		}
		if r.HasDisk() {
			all = append(all, fault{name: "fill the disk of Redis", targets: target, begin: r.FillDisk, end: r.RoomOnDisk})
		}
		all = append(all, fault{name: "flood the queue", targets: target, begin: d.flood, end: d.drain})
	}
	for name, l := range map[string]*link{"Redis": d.redisLink, "the database": d.mongoLink} {
		if l == nil {
			continue
		}
		target := []string{"link to " + name}
		calm := func() { l.set(weather{}) }
		all = append(all,
			fault{name: "cut off " + name, targets: target, begin: func() { l.set(weather{refuse: true}); l.hangUp(false) }, end: calm},
			fault{name: "reset connections to " + name, targets: target, begin: func() { l.hangUp(true) }, end: func() {}},
			fault{name: "slow down " + name, targets: target, begin: func() { l.set(weather{delay: time.Duration(5+random.IntN(60)) * time.Millisecond}) }, end: calm},
			fault{name: "silence " + name, targets: target, begin: func() { l.set(weather{silent: true}) }, end: calm},
		)
	}
	// Map iteration is random, but the seed must give the same plan.
	slices.SortFunc(all, func(a, b fault) int { return cmp.Compare(a.name, b.name) })
	return all
}

// flooded is the number of tasks that a flood puts into the queue at once.
const flooded = 2000

// flood fills the queue with tasks for events that do not exist, ahead of all later
// ones.
func (d *deployment) flood() {
	opt, err := redisx.AsynqOpt(d.redis.URL())
	if err != nil {
		d.t.Fatal(err)
	}
	notifier := notify.NewQueue(opt, notify.QueueInteractive, slog.New(slog.DiscardHandler), time.Now)
	defer notifier.Close() //nolint:errcheck // nothing depends on it
	for range flooded {
		if err := notifier.TryNotify(d.t.Context(), record.OrgID(d.org), record.EventID(record.NewID())); err != nil {
			d.t.Errorf("flood the queue: %v", err)
			return
		}
	}
}

// drain empties the queue as an operator would, dropping pending tasks, including real
// notifications.
func (d *deployment) drain() {
	opt, err := redisx.AsynqOpt(d.redis.URL())
	if err != nil {
		d.t.Fatal(err)
	}
	inspector := asynq.NewInspector(opt)
	defer inspector.Close() //nolint:errcheck // nothing depends on it
	if _, err := inspector.DeleteAllPendingTasks(notify.QueueInteractive); err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
		d.t.Errorf("drain the queue: %v", err)
	}
}

// act is one step of a plan.
type act struct {
	at   time.Duration
	what string
	do   func()
	// forgets means that Redis loses everything.
	forgets bool
}

// breath is the shortest time between two faults of one target.
const breath = 300 * time.Millisecond

// plan chooses faults and their times. They may overlap, but a target has one at a
// time.
func (d *deployment) plan(random *rand.Rand, faults int, within time.Duration, long bool) []act {
	var acts []act
	free := map[string]time.Duration{} // when a target may fail again
	possible := d.faults(random, long)
	for range faults {
		f := possible[random.IntN(len(possible))]
		begin := time.Duration(random.Int64N(int64(within)))
		for _, t := range f.targets {
			begin = max(begin, free[t])
		}
		lasting := cmp.Or(f.lasting, time.Duration(100+random.IntN(2400))*time.Millisecond)
		for _, t := range f.targets {
			free[t] = begin + lasting + breath
		}
		acts = append(acts, act{begin, f.name, f.begin, f.forgets}, act{begin + lasting, "end of " + f.name, f.end, false})
	}
	slices.SortStableFunc(acts, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return acts
}

// carryOut executes a plan, starting now, and logs it.
func carryOut(t *testing.T, acts []act) {
	t.Helper()
	began := time.Now()
	for _, a := range acts {
		if left := a.at - time.Since(began); left > 0 {
			<-time.After(left)
		}
		t.Logf("  %6.2fs %s", time.Since(began).Seconds(), a.what)
		a.do()
	}
}
