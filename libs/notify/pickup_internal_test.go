package notify

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAWaitIsForEveryQueue verifies that a wait includes a queue whose last poll failed.
func TestAWaitIsForEveryQueue(t *testing.T) {
	t.Parallel()
	url, _ := testkit.Redis(t)
	opt, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client, stop := redis.NewClient(opt), make(chan struct{})
	p := newPickup(client, stop, time.Hour)
	t.Cleanup(func() { close(stop); _ = p.Close() })
	ctx := t.Context()
	look := func(queue, script string) error {
		key := func(name string) string { return "asynq:{" + queue + "}:" + name }
		sha, err := client.ScriptLoad(ctx, script).Result()
		if err != nil {
			t.Error(err)
		}
		return p.EvalSha(ctx, sha, []string{key("pending"), key("paused"), key("active"), key("lease")}).Err()
	}
	const none, failing = "return nil", "return redis.error_reply('busy')"
	if err := look("failing", failing); err == nil || errors.Is(err, redis.Nil) {
		t.Fatalf("a look that was to fail: %v", err)
	}
	if err := look("quiet", none); !errors.Is(err, redis.Nil) {
		t.Fatalf("a look into an empty queue: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- look("quiet", none) }()
	if err := client.LPush(ctx, "asynq:{failing}:pending", "task").Err(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, redis.Nil) {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the queue into which no look succeeded is not waited for")
	}
}
