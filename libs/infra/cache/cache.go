// Package cache opens the cache of sessions and rate limits of a process.
package cache

import (
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/settings"
)

// Config is where the cache is.
type Config struct {
	URL string
	// Optional permits a process without a cache.
	Optional bool

	queue string
}

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) {
	s.Text(&c.URL, "ECF_REDIS_CACHE_URL", "", "Redis of the session cache and rate limits; ECF_REDIS_URL when empty", redisx.Check).Hide()
	redisx.DescribeURL(s, &c.queue)
	s.After(func() error {
		if c.URL == "" {
			c.URL = c.queue
		}
		if c.URL == "" && !c.Optional {
			return errors.New("ECF_REDIS_CACHE_URL or ECF_REDIS_URL is required: Redis of the cache, which all replicas share")
		}
		return nil
	})
}

// Open returns a client of the cache and closes it with the process. It does
// not connect.
func Open(p *app.Process, url string) (redis.UniversalClient, error) {
	client, err := redisx.Open(url)
	if err != nil {
		return nil, err
	}
	p.OnClose(client.Close)
	return client, nil
}
