package capacity

import "math"

// Workload is what organizations do. None of it was measured: whoever runs the service
// puts their own numbers here, and reads the rest of the page anew.
type Workload struct {
	Organizations int
	// Of an organization in a month.
	Created, Lists, Results, SignIns float64
	// Kept is for how many months records are kept.
	Kept float64
	// Keeping is how; what it comes to otherwise is worked out for Others.
	Keeping Keeping
	Others  []Keeping
	// BusiestHour is the part of a month's requests that come in its busiest hour.
	BusiestHour float64
	// Spread is the standard deviation of the logarithm of how much one organization does.
	Spread float64
	// Records of the event that a request is about.
	Records int
}

// Assumed is a workload of small and middling organizers: 22 days of 8 hours, and the
// busiest hour twice the mean one of those.
func Assumed() Workload {
	return Workload{
		Organizations: 10_000, Created: 2_000, Lists: 20_000, Results: 4_000, SignIns: 200,
		Kept: 24, BusiestHour: 2.0 / (22 * 8), Spread: 1.5, Records: 10_000,
		// Retention is off by default, and the workers below count each approval by itself.
		Keeping: Keeping{Engine: MongoDB, Burst: 1},
		Others:  []Keeping{{MongoDB, 1, 1}, {MongoDB, 10, 0}, {MongoDB, 10, 1}, {SQLite, 1, 0}, {SQLite, 1, 1}},
	}
}

// Targets are what is promised, and the room that is left.
type Targets struct {
	Busy      float64 // part of a processor that may be busy in the busiest hour
	Visible   float64 // seconds until 95 of 100 approvals are in the result
	ShardSize float64 // bytes of a member of a shard
}

// Wanted are the targets of the page. A shard is as large as a member can copy in an
// hour at 100 MB/s.
func Wanted() Targets { return Targets{Busy: 0.6, Visible: 0.1, ShardSize: 360e9} }

const (
	hour  = 3600.0
	month = 30.4 * 24 * hour
	micro = 1e-6
	// members of a replica set.
	members = 3
)

// Tables are what was measured.
type Tables struct {
	Embedded, MongoDB Curve
	Stored            Stored
}

// Plan is what the workload needs.
type Plan struct {
	Workload Workload
	Targets  Targets

	Approvals float64 // a second, in the busiest hour
	Seconds   float64 // of a processor, for an organization in a month
	Cores     float64 // of services, in the busiest hour, with the room that is left
	SignIn    float64 // of them those that hash passwords
	Service   float64 // seconds of a processor until an approval is visible
	Variation float64 // coefficient of variation of those
	Tail      float64 // seconds that 95 of 100 take at most, beside no others
	Workers   int     // each on a processor of its own
	Wait      float64 // seconds that 95 of 100 tasks wait at most for a worker
	Storage   Storage
	Others    []Storage
	Commands  float64 // a second for the largest shard
}

// Work does the arithmetic.
func Work(m Tables, w Workload, t Targets) (Plan, error) {
	p := Plan{Workload: w, Targets: t}
	n := float64(w.Organizations)
	var approve Point
	commands := 0.0 // of an organization in a month
	for _, of := range []struct {
		operation, cost string // and the one whose processor time stands for it
		times           float64
	}{
		{Create, Create, w.Created}, {Submit, Create, w.Created}, {Approve, Approve, w.Created}, // a submission is one write like a creation
		{List, List, w.Lists}, {Results, Results, w.Results}, {SignIn, SignIn, w.SignIns},
	} {
		point, err := m.Embedded.At(of.cost, w.Records)
		if err != nil {
			return p, err
		}
		p.Seconds += of.times * point.Processor * micro
		switch of.operation {
		case Approve:
			approve = point
		case SignIn: // asks another database
			p.SignIn = n * w.SignIns * w.BusiestHour * point.Processor * micro / hour / t.Busy
			continue
		}
		sent, err := m.MongoDB.Commands(of.operation)
		if err != nil {
			return p, err
		}
		commands += of.times * sent
	}
	p.Cores = n * p.Seconds * w.BusiestHour / hour / t.Busy
	p.Approvals = n * w.Created * w.BusiestHour / hour
	p.Service, p.Variation = approve.Processor*micro, approve.variation()
	// The shape is what was measured from outside, the mean what it took the server.
	p.Tail = approve.draw(0.95) / approve.mean() * p.Service
	p.Workers, p.Wait = workers(p.Approvals, p.Service, p.Variation, t.Visible-p.Tail)

	var err error
	if p.Storage, err = m.Stored.storage(w.Keeping, w, t); err != nil {
		return p, err
	}
	for _, k := range w.Others {
		s, err := m.Stored.storage(k, w, t)
		if err != nil {
			return p, err
		}
		p.Others = append(p.Others, s)
	}
	p.Commands = n * w.BusiestHour / hour * commands / float64(p.Storage.Shards) * p.Storage.Uneven
	return p, nil
}

// variation returns the coefficient of variation of a distribution given by quantiles.
func (p Point) variation() float64 {
	mean, square := 0.0, 0.0
	// Between two quantiles it is even.
	for i := range len(p.Quantiles) - 1 {
		a, b := p.Quantiles[i], p.Quantiles[i+1]
		mean += (a + b) / 2
		square += (a*a + a*b + b*b) / 3
	}
	n := float64(len(p.Quantiles) - 1)
	mean, square = mean/n, square/n
	return math.Sqrt(max(square-mean*mean, 0)) / mean
}

// workers returns the fewest workers with which 95 of 100 tasks wait no longer than
// most, and how long they wait; where most is nothing, with which 95 do not wait. Erlang's formula says how many wait at all; the
// correction of Allen and Cunneen is for service times that are not exponential.
func workers(rate, service, variation, most float64) (count int, wait float64) {
	offered := rate * service
	for count = int(offered) + 1; ; count++ {
		chance := erlang(count, offered)
		if chance <= 0.05 {
			return count, 0
		}
		wait = math.Log(chance/0.05) * service / (float64(count) - offered) * (1 + variation*variation) / 2
		if wait <= most {
			return count, wait
		}
	}
}

// erlang returns the chance that all of so many workers are busy (Erlang C).
func erlang(count int, offered float64) float64 {
	blocked := 1.0 // Erlang B, by its recursion
	for i := 1; i <= count; i++ {
		blocked = offered * blocked / (float64(i) + offered*blocked)
	}
	busy := offered / float64(count)
	return blocked / (1 - busy*(1-blocked))
}

// uneven returns the load of the largest shard by that of the mean one that 99 of 100
// draws do not exceed, where each organization goes to any of them alike and what it does is
// log-normal: the largest organization, as large as it is in 99 of 100 draws at most, is on
// one of them beside the mean, and a standard deviation of the others. Standard deviations
// alone are too few for more than five shards, since it is that one organization which
// makes the largest: the simulation found 1.5 on twelve, and four of them are 1.4.
func uneven(w Workload, shards int) float64 {
	n, square := float64(w.Organizations), math.Exp(w.Spread*w.Spread) // 1 + the squared coefficient of variation
	above := math.Sqrt2 * math.Erfinv(1-2*(1-math.Pow(0.99, 1/n)))
	largest := math.Exp(w.Spread*above - w.Spread*w.Spread/2) // by the mean one
	return 1 + largest*float64(shards)/n + math.Sqrt(float64(shards-1)*square/n)
}

// hundredth returns how many times as much as the median one an organization does that
// only one in a hundred exceeds.
func hundredth(spread float64) float64 { return math.Exp(2.326 * spread) }
