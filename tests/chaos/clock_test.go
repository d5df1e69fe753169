package chaos

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// jumpyClock is a wall clock that jumps. It has no monotonic reading, so durations
// measured with it across a jump are wrong.
type jumpyClock struct{ ahead atomic.Int64 }

func (c *jumpyClock) now() time.Time {
	return time.Now().Round(0).Add(time.Duration(c.ahead.Load()))
}

func (c *jumpyClock) set(ahead time.Duration) { c.ahead.Store(int64(ahead)) }

// inside runs everything in this process, with a clock of the test.
func inside(t *testing.T, env map[string]string, now func() time.Time) *deployment {
	t.Helper()
	all := map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_DEMO": "true", "ECF_DEMO_PASSWORD": password}
	for _, one := range append(limits(), "ECF_ISSUER=http://127.0.0.1:8080") {
		name, value, _ := strings.Cut(one, "=")
		all[name] = value
	}
	maps.Copy(all, env)
	config, err := standalone.Load(nil, func(name string) string { return all[name] })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- standalone.Serve(ctx, standalone.Options{
			Config: config, Logger: slog.New(slog.DiscardHandler), Version: "test", Now: now,
			Ready: func(address string) { ready <- address },
		})
	}()
	stop := sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("server: %v", err)
			}
		case <-time.After(limit):
			t.Error("the server did not stop")
		}
	})
	t.Cleanup(stop)
	d := &deployment{t: t, user: "user@demo.test", manager: "manager@demo.test"}
	for name, value := range all {
		d.admin = append(d.admin, name+"="+value)
	}
	select {
	case address := <-ready:
		d.bases = []string{"http://" + address}
	case err := <-done:
		done <- nil
		t.Fatalf("server: %v", err)
	case <-time.After(limit):
		t.Fatal("the server did not start")
	}
	d.learnOrg()
	return d
}

// TestClockJumps verifies that a clock that jumps an hour forward and back changes
// recorded times and nothing else. Tokens that it makes expired or not yet valid are
// rejected as such; no wait that uses it gets longer.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	played, long := rounds(t)
	random := testkit.Rand(t)
	engines := map[string]func(t *testing.T) (map[string]string, *testkit.RedisServer){
		"embedded": func(*testing.T) (map[string]string, *testkit.RedisServer) { return nil, nil },
	}
	if long {
		engines["mongodb"] = func(t *testing.T) (map[string]string, *testkit.RedisServer) {
			uri, database := testkit.MongoDB(t)
			url, server := testkit.Redis(t)
			return map[string]string{"ECF_MONGODB_URI": named(t, uri, database, ""), "ECF_MONGODB_AUTH_URI": named(t, uri, database+"_auth", ""), "ECF_REDIS_URL": url}, server
		}
	}
	for name, prepare := range engines {
		t.Run(name, func(t *testing.T) {
			env, redis := prepare(t)
			var clock jumpyClock
			d := inside(t, env, clock.now)
			d.redis = redis
			people := d.team(random, 3)
			d.measure(people)
			for round := range min(played, atOnce) {
				t.Logf("round %d", round+1)
				d.play(random, people, func() []act { return jumps(random, &clock, redis) })
				if t.Failed() {
					return
				}
			}
		})
	}
}

// jumps plans some jumps between an hour behind and an hour ahead, the last one back to
// the right time. If there is a separate Redis, it is down during one of them: a pause
// of a moment must not become one of an hour.
func jumps(random *rand.Rand, clock *jumpyClock, redis *testkit.RedisServer) []act {
	var acts []act
	at := time.Duration(0)
	add := func(what string, do func()) {
		at += time.Duration(300+random.IntN(500)) * time.Millisecond
		acts = append(acts, act{at: at, what: what, do: do})
	}
	to := func(ahead time.Duration) {
		add(fmt.Sprintf("the clock jumps to %+d minutes", int(ahead.Minutes())), func() { clock.set(ahead) })
	}
	to(time.Hour)
	if redis != nil {
		add("stop Redis", redis.Stop)
	}
	to([]time.Duration{-time.Hour, 0}[random.IntN(2)])
	if redis != nil {
		add("start Redis", redis.Start)
	}
	to(time.Duration(random.IntN(121)-60) * time.Minute)
	to(0)
	return acts
}
