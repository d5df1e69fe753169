package redisx

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

func TestErrorsHideThePassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "hunter2", "http://u:hunter2@h", "redis://u:hunter2@h:port", "redis://u:hunter2@h/notanumber", "redis://u:hunter2@h?wat=1",
		"redis://u:hunter2 @h", "redis://u:hunter2%zz@h", "//u:hunter2@h", "redis://h?password=hunter2", "redis://h?addr=x&y=hunter2", "u:hunter2@h",
		"postgres://u:hunter2@h",
	} {
		_, errOpen := Open(address)
		_, errOpt := AsynqOpt(address)
		for _, err := range []error{errOpen, errOpt, Check(address)} {
			if err == nil {
				t.Errorf("%q is taken", address)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q: the error shows the password: %v", address, err)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	client, err := Open("rediss://ecf:secret@redis.test:6380/3")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	o := client.(*redis.Client).Options()
	if o.Addr != "redis.test:6380" || o.Username != "ecf" || o.Password != "secret" || o.DB != 3 || o.TLSConfig == nil {
		t.Errorf("options %+v", o)
	}
	if o.DialTimeout <= 0 || o.ReadTimeout <= 0 || o.WriteTimeout <= 0 || o.PoolTimeout <= 0 || !o.ContextTimeoutEnabled {
		t.Errorf("a wait is not bounded: %+v", o)
	}
	opt, err := AsynqOpt("rediss://ecf:secret@redis.test:6380/3")
	if err != nil {
		t.Fatal(err)
	}
	var connection asynq.RedisConnOpt = opt
	queue := connection.MakeRedisClient().(*redis.Client)
	defer func() { _ = queue.Close() }()
	q := queue.Options()
	if q.Addr != "redis.test:6380" || q.Username != "ecf" || q.Password != "secret" || q.DB != 3 || q.TLSConfig == nil || q.ReadTimeout <= 0 || q.DialTimeout <= 0 || q.WriteTimeout <= 0 {
		t.Errorf("queue options %+v", q)
	}
	cluster, err := Open("redis://:secret@a:6379?addr=b:6379")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cluster.Close() }()
	co := cluster.(*redis.ClusterClient).Options()
	if len(co.Addrs) != 2 || co.Password != "secret" || co.ReadTimeout <= 0 || co.DialTimeout <= 0 {
		t.Errorf("cluster options %+v", co)
	}
	if opt, err = AsynqOpt("redis://:secret@a:6379?addr=b:6379"); err != nil {
		t.Fatal(err)
	}
	clusterQueue := opt.MakeRedisClient().(*redis.ClusterClient)
	defer func() { _ = clusterQueue.Close() }()
	if c := clusterQueue.Options(); len(c.Addrs) != 2 || c.Password != "secret" {
		t.Errorf("cluster queue options %+v", c)
	}
}

// TestServerIsDown: opening succeeds, using fails soon.
func TestServerIsDown(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = ln.Close()
	client, err := Open("redis://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	var dials dialCounter
	client.AddHook(&dials)
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Error("a closed port answers")
	}
	if n := dials.n.Load(); n != 1+maxRetries {
		t.Errorf("%d dials for a command, want %d", n, 1+maxRetries)
	}
}

// dialCounter counts connections that are tried.
type dialCounter struct{ n atomic.Int64 }

func (d *dialCounter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		d.n.Add(1)
		return next(ctx, network, addr)
	}
}

func (d *dialCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (d *dialCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// TestServerIsStuck: a server that takes connections and says nothing does not
// hold a caller longer than the caller's own deadline.
func TestServerIsStuck(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	client, err := Open("redis://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := client.Get(ctx, "x").Err(); err == nil {
		t.Error("a silent server answers")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the caller was held for %s", took)
	}
}
