package capacity

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func opened(t *testing.T, table string) io.Reader {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, table))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

func kept(t *testing.T) Curve {
	t.Helper()
	c, err := Read(opened(t, Table))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPageIsThatOfTheTable: the page and its drawing are what the kept table comes to.
func TestPageIsThatOfTheTable(t *testing.T) {
	t.Parallel()
	files, err := Files(opened(t, Table), opened(t, TableMongoDB))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what the table comes to (%v): go run ./tests/cmd/capacity", name, err)
		}
	}
}

// TestSimulationAgrees: with the measured distributions, what the arithmetic says comes
// about, or is on the safe side.
func TestSimulationAgrees(t *testing.T) {
	t.Parallel()
	c := kept(t)
	p, err := Work(c, Assumed(), Wanted())
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		s, err := Simulate(c, p, seed)
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
			t.Errorf("seed %d: 95 of 100 are visible within %.3f s, the arithmetic says %.3f at most", seed, s.Visible, most)
		}
		if s.Uneven > p.Uneven {
			t.Errorf("seed %d: the largest shard has %.3f of the mean one, the arithmetic says %.3f at most", seed, s.Uneven, p.Uneven)
		}
	}
}

// TestSimulationKnowsTheFormulas holds it against a queue whose waiting is known in
// closed form: with exponential times, Erlang's formula is exact.
func TestSimulationKnowsTheFormulas(t *testing.T) {
	t.Parallel()
	const mean, points = 50_000.0, 2000 // µs
	exponential := Point{Operation: Approve, Records: 1, Processor: mean}
	for i := range points {
		exponential.Quantiles = append(exponential.Quantiles, -mean*math.Log(1-float64(i)/points))
	}
	p := Plan{Workload: Workload{Organizations: 1000, Records: 1}, Shards: 1, Workers: 4, Approvals: 68, Service: mean * micro}
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
	const head = "operation\trecords\tn\tprocessor_us\tpolls\tbytes_per_record\tquantiles_us\n"
	c, err := Read(strings.NewReader(head + "approve-to-visible\t10\t1\t9000\t3\t2000\t1 2 3\nresults\t10\t1\t1000\t0\t2000\t1 2 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.At(Approve, 10); err != nil || p.Processor != 6000 || p.Bytes != 2000 || p.Median() != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"list\t10\n", "list\t10\t1\tx\t0\t1\t1 2\n", "list\t10\t1\t1\t0\t1\t2 1\n", "list\t10\t1\t1\t0\t1\t\n", "list\t10\t1\t1\t2\t1\t1 2\n"} {
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
