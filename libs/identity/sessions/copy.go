package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// copyLife is the lifetime of a fact in Redis. Changes are written at once; it bounds the
// effect of a lost write (failover to a replica that lags).
const copyLife = 30 * time.Second

const (
	sessionPrefix = "ecf:session:"
	userPrefix    = "ecf:session-user:"
)

// putNewer writes a fact unless a newer one is there already. Without it a slow refill, which
// read the store before a session was ended, would make the session valid again.
var putNewer = redis.NewScript(`
local current = redis.call('GET', KEYS[1])
if current then
  local rev = tonumber(string.match(current, '^(%d+):'))
  if rev and rev > tonumber(ARGV[1]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PX', ARGV[3])
return 1`)

// Copy is the copy of the facts in Redis.
type Copy struct{ client redis.UniversalClient }

// NewCopy returns a Copy that uses client, whose timeouts bound each call.
func NewCopy(client redis.UniversalClient) *Copy { return &Copy{client} }

// PutSession writes the facts of a session.
func (c *Copy) PutSession(ctx context.Context, s Session) error {
	return c.put(ctx, sessionPrefix+s.ID, s.Rev, s)
}

// PutUser writes the facts of a user.
func (c *Copy) PutUser(ctx context.Context, u User) error {
	return c.put(ctx, userPrefix+u.ID, u.Rev, u)
}

func (c *Copy) put(ctx context.Context, key string, rev int64, fact any) error {
	text, err := json.Marshal(fact)
	if err != nil {
		return fmt.Errorf("copy session: %w", err)
	}
	if err := putNewer.Run(ctx, c.client, []string{key}, rev, text, copyLife.Milliseconds()).Err(); err != nil {
		return fmt.Errorf("copy session: %w", err)
	}
	return nil
}

// Facts reads the copy; ok is false if a part of it is absent.
func (c *Copy) Facts(ctx context.Context, sid string) (f Facts, ok bool, err error) {
	if ok, err = c.get(ctx, sessionPrefix+sid, &f.Session); !ok || err != nil {
		return f, false, err
	}
	ok, err = c.get(ctx, userPrefix+f.Session.User, &f.User)
	return f, ok && err == nil, err
}

func (c *Copy) get(ctx context.Context, key string, fact any) (bool, error) {
	text, err := c.client.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read session copy: %w", err)
	}
	// What another version of this program wrote and this one cannot parse counts as absent.
	rev, body, _ := strings.Cut(text, ":")
	_, notRev := strconv.ParseInt(rev, 10, 64)
	return notRev == nil && json.Unmarshal([]byte(body), fact) == nil, nil
}
