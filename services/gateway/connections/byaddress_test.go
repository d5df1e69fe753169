package connections

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestCrowdEqualsARecount compares crowd with a recount after each random change.
func TestCrowdEqualsARecount(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	addresses := make([]netip.Addr, 12)
	for n := range addresses {
		addresses[n] = netip.AddrFrom4([4]byte{192, 0, 2, byte(n)})
	}
	trusted := addresses[0]
	c, open := &crowd{}, map[netip.Addr][]*countedConn{}
	for step := range 20_000 {
		address := addresses[random.IntN(1+random.IntN(len(addresses)))]
		if conns := open[address]; len(conns) > 0 && random.IntN(100) < 45+step%20 {
			at := random.IntN(len(conns))
			c.remove(address, conns[at])
			open[address] = append(conns[:at], conns[at+1:]...)
		} else {
			inner := &lingeringConn{}
			inner.waits.Store(true)
			conn := &countedConn{Conn: inner, trusted: address == trusted}
			c.add(address, conn)
			open[address] = append(conns, conn)
		}
		all, most := 0, 0
		for of, conns := range open {
			all += len(conns)
			if of != trusted {
				most = max(most, len(conns))
			}
			if c.of(of) != len(conns) {
				t.Fatalf("seed %d, step %d: %s has %d connections, want %d", seed, step, of, c.of(of), len(conns))
			}
		}
		if c.all != all || c.most != most {
			t.Fatalf("seed %d, step %d: %d connections, %d at most, want %d, %d", seed, step, c.all, c.most, all, most)
		}
		newcomer := addresses[random.IntN(len(addresses))]
		victim := c.waiting(newcomer)
		if (victim != nil) != (most > len(open[newcomer])+1) {
			t.Fatalf("seed %d, step %d: a place for one more beside %d: %t, the most have %d", seed, step, len(open[newcomer]), victim != nil, most)
		}
		if victim == nil {
			continue
		}
		found := false
		for of, conns := range open {
			for _, conn := range conns {
				found = found || conn == victim && len(conns) == most && of != trusted
			}
		}
		if !found {
			t.Fatalf("seed %d, step %d: the place is not one of those with the most", seed, step)
		}
	}
}
