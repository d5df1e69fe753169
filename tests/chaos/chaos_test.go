// Package chaos injects faults into a running system under load, and then verifies its
// guarantees: nothing acknowledged is lost, nothing happened twice, the histories are
// intact, and the result equals a full recalculation soon after the last fault has
// ended. The processes, the kills and the broken connections are real.
//
// `go test` plays a few short rounds; ECF_CHAOS_ROUNDS=N plays N long ones. The seed is
// printed: ECF_TEST_SEED repeats the plan of faults, though not the timing of the
// processes.
package chaos

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// limit is how long anything may take before the test fails, however slow the machine;
// see allowance.
const limit = time.Minute

// rounds returns how many rounds to play, and whether they are long ones.
func rounds(t *testing.T) (n int, long bool) {
	t.Helper()
	text := os.Getenv("ECF_CHAOS_ROUNDS")
	if text == "" {
		return 2, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("ECF_CHAOS_ROUNDS=%q is not a number of rounds", text)
	}
	return n, true
}

// client logs in.
func (d *deployment) client(seed uint64, email string) *client {
	d.t.Helper()
	c := &client{
		email: email, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}},
		bases: d.bases, random: rand.New(rand.NewPCG(seed, seed)), seen: &d.seen,
	}
	d.t.Cleanup(c.http.CloseIdleConnections)
	if err := c.login(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	return c
}

// team is the set of clients that work with the system during a round.
type team struct {
	users, managers []*client
}

func (d *deployment) team(random *rand.Rand, size int) team {
	var t team
	for range size {
		t.users = append(t.users, d.client(random.Uint64(), d.user))
		t.managers = append(t.managers, d.client(random.Uint64(), d.manager))
	}
	return t
}

// play plays one round: clients work, faults begin and end, clients stop. Then
// everything must be right.
func (d *deployment) play(random *rand.Rand, people team, acts func() []act) {
	t := d.t
	t.Helper()
	boss := people.managers[0]
	created, err := boss.post(t.Context(), "/events", map[string]any{"title": "Chaos", "country": "GB", "attendees": 100})
	var event struct {
		ID string `json:"_id"`
	}
	if err := errors.Join(err, created.into(&event)); err != nil {
		t.Fatal(err)
	}
	l := &ledger{event: event.ID}
	stop := make(chan struct{})
	var working sync.WaitGroup
	for i := range people.users {
		w := &worker{user: people.users[i], manager: people.managers[i], random: rand.New(rand.NewPCG(random.Uint64(), 1)), ledger: l}
		working.Go(func() { w.run(t.Context(), stop) })
	}
	// Clients stop at any moment, even during a fault, so that no later move repairs
	// what the last one lost.
	everybody := sync.OnceFunc(func() { close(stop) })
	defer everybody()
	plan := acts()
	home := time.Duration(float64(plan[len(plan)-1].at) * (0.4 + 0.7*random.Float64()))
	plan = append(plan, act{home, "everybody stops", everybody, false})
	slices.SortStableFunc(plan, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	carryOut(t, plan)
	ended := time.Now()
	working.Wait()
	// A fault ends when its target works again.
	d.awaitReady()
	quiet := time.Now()
	records, moves := l.acknowledged()
	forgotten := slices.ContainsFunc(plan, func(a act) bool { return a.forgets })
	took, err := l.check(t.Context(), boss, d.org, quiet, limit)
	if err == nil {
		err = d.inTime(took, forgotten)
	}
	if err := errors.Join(append(l.wrong, d.seen.verdict(), err)...); err != nil {
		t.Errorf("event %s: %v", event.ID, err)
	}
	testkit.Eventually(t, limit, d.settled)
	d.audit()
	t.Logf("%d records and %d moves acknowledged; everything worked %.1fs after the last fault, the result was right %.1fs later (allowed %.0fs); other answers so far: %s",
		records, moves, quiet.Sub(ended).Seconds(), took.Seconds(), d.allowance(forgotten).Seconds(), &d.seen)
	d.moves += moves
}

// atOnce is how many rounds one deployment plays: the test engine gets slower with
// every record.
const atOnce = 5

// playAll plays the rounds on deployments that deploy starts.
func playAll(t *testing.T, faults int, deploy func(t *testing.T) *deployment) {
	n, long := rounds(t)
	random := testkit.Rand(t)
	within := 3 * time.Second
	if long {
		within = 8 * time.Second
	}
	for first := 1; first <= n; first += atOnce {
		last := min(n, first+atOnce-1)
		t.Run(fmt.Sprintf("rounds %d to %d", first, last), func(t *testing.T) {
			d := deploy(t)
			people := d.team(random, 3)
			d.measure(people)
			for round := first; round <= last && !t.Failed(); round++ {
				t.Logf("round %d", round)
				d.play(random, people, func() []act { return d.plan(random, faults, within, long) })
			}
			// Some rounds break everything before much is done; all of them together
			// must have done something.
			if played := last - first + 1; d.moves < 5*played {
				t.Errorf("%d moves in %d rounds", d.moves, played)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// TestStandalone plays rounds with everything in one process, on the embedded engines.
func TestStandalone(t *testing.T) {
	t.Parallel()
	playAll(t, 2, func(t *testing.T) *deployment { return single(t, t.TempDir()) })
}

// TestSeparateProcesses plays rounds with eight processes, two of them gateways and two
// of them workers, on a database and a Redis that fail as well.
func TestSeparateProcesses(t *testing.T) {
	t.Parallel()
	playAll(t, 3, func(t *testing.T) *deployment { return separate(t) })
}
