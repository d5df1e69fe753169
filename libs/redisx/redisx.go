// Package redisx connects to Redis, which serves as a queue and a cache and is never the only store of any data.
package redisx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Every wait on Redis is bounded, and well below the deadline of a request:
// without Redis the service is slower, not stuck.
const (
	dialTimeout = 2 * time.Second
	ioTimeout   = 2 * time.Second
	poolTimeout = 2 * time.Second
	maxRetries  = 1
	// One dial per attempt: the client's default of five, with pauses, makes every command take a second while the
	// server rejects connections.
	dialsPerAttempt = 1
	minBackoff      = 10 * time.Millisecond
	maxBackoff      = 100 * time.Millisecond
	idleTimeout     = 5 * time.Minute
)

// Open returns a client for the server at an address such as redis://user:password@host:6379/0, rediss:// with TLS,
// redis://host:6379?addr=host2:6379 for a cluster, or redis://host:26379?master_name=m&addr=host2:26379 for a server
// monitored by Sentinels, whose own user and password are then the parameters username and password. The parameters
// tls_ca_file, tls_cert_file and tls_key_file are the PEM files of the authority and of the client's certificate. It
// does not connect: services start in any order, and the first command fails if a server is down. Commands are traced
// by name, without their arguments. Errors never contain the password.
func Open(address string) (redis.UniversalClient, error) {
	client, err := newClient(address)
	if err != nil {
		return nil, err
	}
	if err := redisotel.InstrumentMetrics(client); err != nil {
		return nil, errors.Join(fmt.Errorf("instrument redis: %w", err), client.Close())
	}
	return client, nil
}

// newClient returns a client with short timeouts, whose commands are traced.
func newClient(address string) (redis.UniversalClient, error) {
	plain, secure, err := takeTLS(address)
	if err != nil {
		return nil, err
	}
	switch kindOf(plain) {
	case cluster:
		o, err := redis.ParseClusterURL(plain)
		if err != nil {
			return nil, invalid(address)
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTimeout, ioTimeout, ioTimeout, poolTimeout
		o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff, o.DialerRetries = maxRetries, minBackoff, maxBackoff, dialsPerAttempt
		o.ConnMaxIdleTime, o.ContextTimeoutEnabled = idleTimeout, true
		o.TLSConfig = secure.eachByItsName(o.TLSConfig)
		return instrument(redis.NewClusterClient(o), "", 0), nil
	case sentinel:
		o, err := redis.ParseFailoverURL(plain)
		if err != nil || o.MasterName == "" {
			return nil, invalid(address)
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTimeout, ioTimeout, ioTimeout, poolTimeout
		o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff, o.DialerRetries = maxRetries, minBackoff, maxBackoff, dialsPerAttempt
		o.ConnMaxIdleTime, o.ContextTimeoutEnabled = idleTimeout, true
		o.TLSConfig = secure.eachByItsName(o.TLSConfig)
		return instrument(redis.NewFailoverClient(o), "", o.DB), nil
	}
	o, err := redis.ParseURL(plain)
	if err != nil {
		return nil, invalid(address)
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTimeout, ioTimeout, ioTimeout, poolTimeout
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff, o.DialerRetries = maxRetries, minBackoff, maxBackoff, dialsPerAttempt
	o.ConnMaxIdleTime, o.ContextTimeoutEnabled = idleTimeout, true
	o.TLSConfig = secure.with(o.TLSConfig)
	return instrument(redis.NewClient(o), o.Addr, o.DB), nil
}

// QueueConnection makes the connections of a queue; it is an asynq.RedisConnOpt.
type QueueConnection struct{ address string }

// AsynqOpt returns the connection of a queue at the same kind of address, with
// the same bounds.
func AsynqOpt(address string) (QueueConnection, error) {
	return QueueConnection{address}, Check(address)
}

// MakeRedisClient implements asynq.RedisConnOpt. It returns a
// redis.UniversalClient.
func (q QueueConnection) MakeRedisClient() any {
	client, err := newClient(q.address)
	if err != nil {
		return err // not reached: the address has been checked. asynq refuses it by its type
	}
	return client
}

// Check validates an address without connecting.
func Check(address string) error {
	client, err := newClient(address)
	if err != nil {
		return err
	}
	return client.Close()
}

// form contains no user and password: messages are redacted of anything that looks like them.
const form = "redis://host:port/number, or rediss:// with TLS, with user and password before the host"

// invalid never includes the library's error, which quotes the address. Only an address that can be parsed is shown,
// with the password masked.
func invalid(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || strings.Contains(u.Redacted(), "@") && u.User == nil {
		return errors.New("is not of the form " + form)
	}
	u.RawQuery = "" // may contain anything
	return fmt.Errorf("is %s, which is not of the form %s", u.Redacted(), form)
}

// LogTo sends the log of the client library, for every client of the process, to l instead of standard error.
func LogTo(l *slog.Logger) { redis.SetLogger(&libraryLog{l: l}) }

// libraryLog limits the lines of each kind: the library writes one for each failed connection.
type libraryLog struct {
	l      *slog.Logger
	seldom telemetry.LineLimiter
}

func (w *libraryLog) Printf(ctx context.Context, format string, v ...any) {
	if skipped, ok := w.seldom.Take(format); ok {
		w.l.WarnContext(ctx, "redis", "message", telemetry.Redact(fmt.Sprintf(format, v...)), "skipped", skipped)
	}
}

// DescribeURL registers the setting of the queue's address, which is also the default for the cache.
func DescribeURL(s *settings.Set, field *string) *settings.Setting {
	return s.Text(field, "ECF_REDIS_URL", "", "Redis of the queue, and of the cache when ECF_REDIS_CACHE_URL is empty", Check).Hide()
}
