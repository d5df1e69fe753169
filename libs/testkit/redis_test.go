package testkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// servers runs a test on the real server, if installed, and on the imitation.
func servers(t *testing.T, test func(t *testing.T, path string)) {
	t.Helper()
	if path, err := exec.LookPath("redis-server"); err != nil {
		t.Log("redis-server is not installed")
	} else {
		t.Run("real", func(t *testing.T) { t.Parallel(); test(t, path) })
	}
	t.Run("embedded", func(t *testing.T) { t.Parallel(); test(t, "") })
}

func client(t *testing.T, s *RedisServer) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestRedisServersAreApart(t *testing.T) {
	t.Parallel()
	servers(t, func(t *testing.T, path string) {
		a, b := newRedis(t, path), newRedis(t, path)
		if a.Real() != (path != "") {
			t.Errorf("real: %v", a.Real())
		}
		if err := client(t, a).Set(t.Context(), "k", "v", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if err := client(t, b).Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
			t.Errorf("the other server: %v, want nothing", err)
		}
		a.Flush()
		if err := client(t, a).Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
			t.Errorf("after a flush: %v, want nothing", err)
		}
	})
}

func TestRedisExpires(t *testing.T) {
	t.Parallel()
	servers(t, func(t *testing.T, path string) {
		c := client(t, newRedis(t, path))
		if err := c.Set(t.Context(), "k", "v", 30*time.Millisecond).Err(); err != nil {
			t.Fatal(err)
		}
		Eventually(t, 10*time.Second, func() error {
			if err := c.Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
				return fmt.Errorf("%w, want nothing", err)
			}
			return nil
		})
	})
}

func TestRedisEndsAndComesBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		with []RedisOption
		end  func(*RedisServer)
		kept bool
	}{
		"stopped":          {nil, (*RedisServer).Stop, false},
		"killed":           {nil, (*RedisServer).Kill, false},
		"stopped with AOF": {[]RedisOption{RedisAOF()}, (*RedisServer).Stop, true},
		"killed with AOF":  {[]RedisOption{RedisAOF()}, (*RedisServer).Kill, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers(t, func(t *testing.T, path string) {
				s := newRedis(t, path, test.with...)
				if err := client(t, s).Set(t.Context(), "k", "v", 0).Err(); err != nil {
					t.Fatal(err)
				}
				addr := s.Addr()
				test.end(s)
				test.end(s)
				if conn, err := net.Dial("tcp", addr); err == nil {
					_ = conn.Close()
					t.Error("a stopped server answers")
				}
				s.Start()
				s.Start()
				if s.Addr() != addr {
					t.Errorf("restarted at %s, was at %s", s.Addr(), addr)
				}
				err := client(t, s).Get(t.Context(), "k").Err()
				if test.kept && err != nil {
					t.Errorf("acknowledged data after a restart: %v", err)
				}
				if !test.kept && !errors.Is(err, redis.Nil) {
					t.Errorf("data that must not be kept: %v", err)
				}
			})
		})
	}
}

// TestRedisComesBackWhileProcessesStart: a process that another test is just starting has the sockets of this one until
// it executes its program, and must not keep the port of a server that was stopped.
func TestRedisComesBackWhileProcessesStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				_ = exec.CommandContext(ctx, "true").Run() // that there is none matters as little as its end
			}
		})
	}
	s := newRedis(t, "")
	for range 50 {
		s.Stop()
		s.Start()
	}
}

func TestRedisHangs(t *testing.T) {
	t.Parallel()
	_, s := Redis(t)
	c := client(t, s)
	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := c.Ping(ctx).Err(); err == nil {
		t.Error("a paused server answers")
	}
	s.Resume()
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Errorf("after Resume: %v", err)
	}
}

// TestRedisFills verifies that a server without memory refuses writes and nothing else
// until Room.
func TestRedisFills(t *testing.T) {
	t.Parallel()
	_, server := Redis(t)
	c, ctx := client(t, server), t.Context()
	set := func() error { return c.Set(ctx, "k", "v", 0).Err() }
	if err := set(); err != nil {
		t.Fatal(err)
	}
	server.Fill()
	if err := set(); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("a full server accepts a write: %v", err)
	}
	if v, err := c.Get(ctx, "k").Result(); err != nil || v != "v" {
		t.Errorf("a full server does not answer a read: %q %v", v, err)
	}
	server.Room()
	if err := set(); err != nil {
		t.Errorf("after Room: %v", err)
	}
}

func TestRedisArgs(t *testing.T) {
	t.Parallel()
	_, s := Redis(t, RedisArgs("--maxmemory", "3mb"))
	got, err := client(t, s).ConfigGet(t.Context(), "maxmemory").Result()
	if err != nil || got["maxmemory"] != "3145728" {
		t.Errorf("maxmemory: %v, %v", got, err)
	}
}

func TestRedisDiskIsFilled(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed")
	}
	s := newRedis(t, path, RedisDisk(8<<20))
	if !s.HasDisk() {
		t.Skip("this machine does not let a test mount a disk")
	}
	c := client(t, s)
	if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	s.FillDisk()
	if err := c.Set(t.Context(), "k", "w", 0).Err(); err == nil || !strings.Contains(err.Error(), "MISCONF") {
		t.Errorf("a write on a full disk is answered with %v", err)
	}
	if got, err := c.Get(t.Context(), "k").Result(); err != nil || got != "v" {
		t.Errorf("a read on a full disk is answered with %q, %v", got, err)
	}
	s.RoomOnDisk()
	if err := c.Set(t.Context(), "k", "w", 0).Err(); err != nil {
		t.Errorf("after RoomOnDisk: %v", err)
	}
}
