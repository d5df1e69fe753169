package capacity

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func kept(t *testing.T) Tables {
	t.Helper()
	m, err := ReadTables(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPageIsThatOfTheTable verifies that the page and its plots are up to date with the
// stored tables.
func TestPageIsThatOfTheTable(t *testing.T) {
	t.Parallel()
	files, err := Files(kept(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(got) != want {
			t.Errorf("%s is out of date (%v): go run ./tests/cmd/capacity", name, err)
		}
	}
}

// TestSimulationAgrees verifies that a simulation with the measured distributions
// confirms the formulas, or that they err on the safe side.
func TestSimulationAgrees(t *testing.T) {
	t.Parallel()
	m := kept(t)
	p, err := Work(m, Assumed(), Wanted())
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		s, err := Simulate(m.Embedded, p, seed)
		if err != nil {
			t.Fatal(err)
		}
		if tasks := p.Approvals * hour; math.Abs(float64(s.Tasks)-tasks) > 5*math.Sqrt(tasks) {
			t.Errorf("seed %d: %d tasks, want about %.0f", seed, s.Tasks, tasks)
		}
		if busy := p.Approvals * p.Service / float64(p.Workers); math.Abs(s.Busy-busy) > 0.05*busy {
			t.Errorf("seed %d: workers are busy for %.3f, want about %.3f", seed, s.Busy, busy)
		}
		if most := 1.1 * (p.Wait + p.Tail); s.Visible > most {
			t.Errorf("seed %d: 95 of 100 are visible within %.3f s, the formulas say %.3f at most", seed, s.Visible, most)
		}
		if s.Uneven > p.Storage.Uneven {
			t.Errorf("seed %d: the largest shard has %.3f of the mean load, the formulas say %.3f at most", seed, s.Uneven, p.Storage.Uneven)
		}
	}
}

// TestLargestShardIsNoLarger verifies the formula for the largest shard with the
// numbers of shards of the other retention choices.
func TestLargestShardIsNoLarger(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 19))
	for _, shards := range []int{3, 8} {
		p := Plan{Workload: Assumed(), Storage: Storage{Shards: shards}}
		largest := make([]float64, draws)
		for i := range largest {
			largest[i] = deal(r, p)
		}
		is, most := at(largest, 0.99), uneven(p.Workload, shards)
		if is > most || is < 0.9*most {
			t.Errorf("the largest of %d shards has %.3f of the mean load, the formulas say %.3f", shards, is, most)
		}
	}
}

// TestCommandsAreThoseOfTheTable verifies that the commands of requests are read from
// the table, and that a table without them gives no plan.
func TestCommandsAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	m := kept(t)
	w := Workload{Organizations: 3600, Created: 1, Lists: 10, Results: 100, SignIns: 1, Kept: 1, BusiestHour: 1, Records: 10_000, Keeping: Assumed().Keeping}
	for operation, times := range map[string]float64{Create: 1, Submit: 1, Approve: 1, List: 10, Results: 100} {
		before, err := Work(m, w, Wanted())
		if err != nil || before.Storage.Shards != 1 {
			t.Fatalf("%+v, %v", before.Storage, err)
		}
		changed, without := m, m
		changed.MongoDB, without.MongoDB = slices.Clone(m.MongoDB), nil
		for i, p := range m.MongoDB {
			if p.Operation == operation {
				changed.MongoDB[i].Commands += 5
			} else {
				without.MongoDB = append(without.MongoDB, p)
			}
		}
		after, err := Work(changed, w, Wanted())
		if more := after.Commands - before.Commands; err != nil || math.Abs(more-5*times*before.Storage.Uneven) > 1e-6 {
			t.Errorf("five more commands for %s add %.3f a second, want %.3f (%v)", operation, more, 5*times*before.Storage.Uneven, err)
		}
		if p, err := Work(without, w, Wanted()); err == nil {
			t.Errorf("without the commands of %s: %+v", operation, p)
		}
	}
}

// TestStorage calculates the storage by hand.
func TestStorage(t *testing.T) {
	t.Parallel()
	const table = `# revision 0, 2026-01-01
engine	burst	revisions	kind	rows	data	indexes	pages
mongodb	1	all	records	1	1000	100	0
mongodb	1	all	history	2	500	0	0
mongodb	1	all	revisions	1	2000	20	0
mongodb	1	all	changes	2	800	0	0
mongodb	1	all	sums	0	50	0	0
mongodb	1	dropped	revisions	0	10	0	0
mongodb	1	dropped	changes	0	0	0	0
sqlite	1	all	records	1	1000	100	1500
sqlite	1	all	history	2	500	0	700
sqlite	1	all	revisions	1	2000	20	4000
sqlite	1	all	changes	2	800	0	1000
sqlite	1	all	sums	0	50	0	100
`
	s, err := ReadStored(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	w := Workload{Organizations: 10, Created: 100, Kept: 20}
	for _, c := range []struct {
		Keeping
		want float64 // bytes of a record over twenty months
	}{
		{Keeping{MongoDB, 1, 0}, 20 * (1150 + 500 + 2030 + 800 + 50)},
		{Keeping{MongoDB, 1, 2}, 20*(1150+500+50) + 2*(2030+800) + 18*10},
		{Keeping{MongoDB, 1, 30}, 20 * (1150 + 500 + 2030 + 800 + 50)},
		{Keeping{SQLite, 1, 0}, 20 * (1500 + 700 + 4000 + 1000 + 100)},
	} {
		got, err := s.storage(c.Keeping, w, Wanted())
		if err != nil || math.Abs(got.Bytes-1000*c.want) > 1 || got.Shards != 1 {
			t.Errorf("%+v: %+v, want %.0f bytes (%v)", c.Keeping, got, 1000*c.want, err)
		}
	}
	for _, k := range []Keeping{{MongoDB, 10, 0}, {SQLite, 1, 1}} {
		if got, err := s.storage(k, w, Wanted()); err == nil {
			t.Errorf("%+v was not measured: %+v", k, got)
		}
	}
	if got, err := s.storage(Keeping{MongoDB, 1, 0}, w, Targets{ShardSize: 50e6}); err != nil || got.Shards < 2 || got.Bytes/float64(got.Shards)*got.Uneven > 50e6 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSimulationKnowsTheFormulas verifies the simulation with a queue whose waiting
// times have a closed form: for exponential service times, Erlang's formula is exact.
func TestSimulationKnowsTheFormulas(t *testing.T) {
	t.Parallel()
	const mean, points = 50_000.0, 2000 // µs
	exponential := Point{Operation: Approve, Records: 1, Processor: mean}
	for i := range points {
		exponential.Quantiles = append(exponential.Quantiles, -mean*math.Log(1-float64(i)/points))
	}
	p := Plan{Workload: Workload{Organizations: 1000, Records: 1}, Storage: Storage{Shards: 1}, Workers: 4, Approvals: 68, Service: mean * micro}
	s, err := Simulate(Curve{exponential}, p, 7)
	if err != nil {
		t.Fatal(err)
	}
	offered := p.Approvals * p.Service
	want := math.Log(erlang(p.Workers, offered)/0.05) * p.Service / (float64(p.Workers) - offered)
	if math.Abs(s.Wait-want) > 0.15*want {
		t.Errorf("95 of 100 wait %.4f s, want %.4f", s.Wait, want)
	}
	if v := exponential.variation(); math.Abs(v-1) > 0.02 {
		t.Errorf("the variation of an exponential distribution is %.3f, want 1", v)
	}
}

func TestErlang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		workers       int
		offered, want float64
	}{{1, 0.5, 0.5}, {2, 1, 1.0 / 3}, {1, 0, 0}, {3, 2, 4.0 / 9}} {
		if got := erlang(c.workers, c.offered); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("erlang(%d, %v) = %v, want %v", c.workers, c.offered, got, c.want)
		}
	}
	few, wait := workers(10, 0.05, 1, 0.01)
	many, _ := workers(100, 0.05, 1, 0.01)
	if few < 1 || wait > 0.01 || many < 6 || many > 10 {
		t.Errorf("%d workers for half a core (waiting %v), %d for five", few, wait, many)
	}
}

func TestReadingTakesOffWhatWaitingAsked(t *testing.T) {
	t.Parallel()
	const head = "operation\trecords\tn\tprocessor_us\tpolls\tquantiles_us\n"
	c, err := Read(strings.NewReader(head + "approve-to-visible\t10\t1\t9000\t3\t1 2 3\nresults\t10\t1\t1000\t0\t1 2 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.At(Approve, 10); err != nil || p.Processor != 6000 || p.Median() != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"list\t10\n", "list\t10\t1\tx\t0\t1 2\n", "list\t10\t1\t1\t0\t2 1\n", "list\t10\t1\t1\t0\t\n", "list\t10\t1\t1\t2\t1 2\n"} {
		if c, err := Read(strings.NewReader(head + bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, c)
		}
	}
	if _, err := c.At(List, 10); err == nil {
		t.Error("an operation that was not measured has a cost")
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{0: "0", 0.01234: "0.012", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 1234567: "1,230,000", 5: "5"} {
		if got := figure(n); got != want {
			t.Errorf("figure(%v) = %q, want %q", n, got, want)
		}
	}
}
