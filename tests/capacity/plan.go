package capacity

import "math"

// Workload describes what organizations do. None of it was measured: operators replace
// it with their own numbers to get their own page.
type Workload struct {
	Organizations int
	// Per organization and month.
	Created, Lists, Results, SignIns float64
	// Kept is the number of months for which records are kept.
	Kept float64
	// Keeping is how they are kept; the storage for Others is calculated too.
	Keeping Keeping
	Others  []Keeping
	// BusiestHour is the share of a month's requests in its busiest hour.
	BusiestHour float64
	// Spread is the standard deviation of the logarithm of an organization's activity.
	Spread float64
	// Records is the size of the event that a request is about.
	Records int
}

// Assumed returns the workload of small and medium organizers: 22 days of 8 hours, and
// a busiest hour of twice the mean.
func Assumed() Workload {
	return Workload{
		Organizations: 10_000, Created: 2_000, Lists: 20_000, Results: 4_000, SignIns: 200,
		Kept: 24, BusiestHour: 2.0 / (22 * 8), Spread: 1.5, Records: 10_000,
		// Retention is off by default, and the workers below calculate each approval
		// separately.
		Keeping: Keeping{Engine: MongoDB, Burst: 1},
		Others:  []Keeping{{MongoDB, 1, 1}, {MongoDB, 10, 0}, {MongoDB, 10, 1}, {SQLite, 1, 0}, {SQLite, 1, 1}},
	}
}

// Targets are the objectives and the headroom.
type Targets struct {
	Busy      float64 // highest CPU utilization in the busiest hour
	Visible   float64 // seconds until 95 of 100 approvals are in the result
	ShardSize float64 // bytes of a member of a shard
}

// Wanted returns the targets of the page. A shard is as large as a member can copy in
// an hour at 100 MB/s.
func Wanted() Targets { return Targets{Busy: 0.6, Visible: 0.1, ShardSize: 360e9} }

const (
	hour  = 3600.0
	month = 30.4 * 24 * hour
	micro = 1e-6
	// members of a replica set.
	members = 3
)

// Tables are the measurements.
type Tables struct {
	Embedded, MongoDB Curve
	Stored            Stored
}

// Plan is what the workload needs.
type Plan struct {
	Workload Workload
	Targets  Targets

	Approvals float64 // per second, in the busiest hour
	Seconds   float64 // of CPU time per organization and month
	Cores     float64 // of the services in the busiest hour, including headroom
	SignIn    float64 // of these, for hashing passwords
	Service   float64 // CPU seconds until an approval is visible
	Variation float64 // coefficient of variation of Service
	Tail      float64 // 95th percentile in seconds, without other load
	Workers   int     // each on its own CPU
	Wait      float64 // 95th percentile of the wait for a worker, in seconds
	Storage   Storage
	Others    []Storage
	Commands  float64 // per second for the largest shard
}

// Work calculates the plan.
func Work(m Tables, w Workload, t Targets) (Plan, error) {
	p := Plan{Workload: w, Targets: t}
	n := float64(w.Organizations)
	var approve Point
	commands := 0.0 // per organization and month
	for _, of := range []struct {
		operation, cost string // and the operation whose CPU time is used for it
		times           float64
	}{
		{Create, Create, w.Created}, {Submit, Create, w.Created}, {Approve, Approve, w.Created}, // a submission is one write, like a creation
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
		case SignIn: // uses another database
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
	// The shape of the distribution was measured from outside, its mean on the server.
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

// variation returns the coefficient of variation of the distribution given by the
// quantiles.
func (p Point) variation() float64 {
	mean, square := 0.0, 0.0
	// The distribution is uniform between two quantiles.
	for i := range len(p.Quantiles) - 1 {
		a, b := p.Quantiles[i], p.Quantiles[i+1]
		mean += (a + b) / 2
		square += (a*a + a*b + b*b) / 3
	}
	n := float64(len(p.Quantiles) - 1)
	mean, square = mean/n, square/n
	return math.Sqrt(max(square-mean*mean, 0)) / mean
}

// workers returns the smallest number of workers with which 95 of 100 tasks wait no
// longer than most, or, if most is 0, do not wait, and how long they wait. Erlang's
// formula gives the probability of waiting; the correction of Allen and Cunneen applies
// to service times that are not exponential.
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

// erlang returns the probability that all workers are busy (Erlang C).
func erlang(count int, offered float64) float64 {
	blocked := 1.0 // Erlang B, by its recurrence
	for i := 1; i <= count; i++ {
		blocked = offered * blocked / (float64(i) + offered*blocked)
	}
	busy := offered / float64(count)
	return blocked / (1 - busy*(1-blocked))
}

// uneven returns the 99th percentile of the load of the largest shard relative to the
// mean one, if organizations are assigned uniformly and their activity is log-normal:
// one shard has the largest organization, at the 99th percentile of its size, in
// addition to the mean and one standard deviation of the others. Standard deviations
// alone underestimate it for more than five shards, because that one organization makes
// the shard the largest: the simulation found 1.5 on twelve shards, and four standard
// deviations give 1.4.
func uneven(w Workload, shards int) float64 {
	n, square := float64(w.Organizations), math.Exp(w.Spread*w.Spread) // 1 + the squared coefficient of variation
	above := math.Sqrt2 * math.Erfinv(1-2*(1-math.Pow(0.99, 1/n)))
	largest := math.Exp(w.Spread*above - w.Spread*w.Spread/2) // relative to the mean organization
	return 1 + largest*float64(shards)/n + math.Sqrt(float64(shards-1)*square/n)
}

// hundredth returns the 99th percentile of an organization's activity relative to the
// median.
func hundredth(spread float64) float64 { return math.Exp(2.326 * spread) }
