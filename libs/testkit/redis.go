package testkit

import (
	"bufio"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// redisLimit is how long a Redis server may take to start or stop.
const redisLimit = 20 * time.Second

// RedisOption changes how a test's Redis runs.
type RedisOption func(*RedisServer)

// RedisAOF makes the server durable over Stop and Kill: an append-only file, synced at
// every command.
func RedisAOF() RedisOption { return func(s *RedisServer) { s.durable = true } }

// RedisArgs passes arguments to redis-server, such as "--maxmemory", "2mb". The test
// needs the real server and is skipped without it.
func RedisArgs(args ...string) RedisOption {
	return func(s *RedisServer) { s.args = append(s.args, args...) }
}

// RedisServer is the Redis server of one test, which can be stopped, killed, filled and
// paused.
type RedisServer struct {
	t        testing.TB
	addr     string
	durable  bool
	disk     int // size in bytes of its own disk; 0 for none
	args     []string
	path     string // of redis-server
	dir      string
	proc     *Proc // nil while it does not run
	embedded *embeddedRedis
}

// Redis starts an empty Redis server for this test and returns its URL. Its contents do
// not survive a restart unless an option says so. If redis-server is not installed, an
// embedded imitation (miniredis) is used and the test logs it.
func Redis(t testing.TB, with ...RedisOption) (url string, server *RedisServer) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		path = ""
		t.Log("redis-server is not installed: this test runs on an embedded imitation (miniredis)")
	}
	server = newRedis(t, path, with...)
	return server.URL(), server
}

// newRedis starts the server at path or, if path is empty, the embedded one.
func newRedis(t testing.TB, path string, with ...RedisOption) *RedisServer {
	t.Helper()
	s := &RedisServer{t: t, path: path}
	for _, option := range with {
		option(s)
	}
	if path == "" {
		s.startEmbedded()
	} else {
		s.dir = t.TempDir()
		s.checkDisk()
		s.startReal()
	}
	s.waitReady()
	return s
}

// URL returns the server's URL, redis://127.0.0.1:PORT/0.
func (s *RedisServer) URL() string { return "redis://" + s.addr + "/0" }

// Addr returns the server's host and port, which restarts do not change.
func (s *RedisServer) Addr() string { return s.addr }

// Real reports whether the server is redis-server, not the embedded imitation.
func (s *RedisServer) Real() bool { return s.path != "" }

// Stop stops the server with SIGTERM and waits for it to exit.
func (s *RedisServer) Stop() {
	s.t.Helper()
	if s.embedded != nil {
		s.embedded.stop(s.durable)
		return
	}
	if s.proc == nil {
		return
	}
	if err := s.proc.Stop(); err != nil {
		s.t.Errorf("redis-server: %v", err)
	}
	s.proc = nil
}

// Kill kills the server as a crash would (SIGKILL) and waits for it to exit.
func (s *RedisServer) Kill() {
	if s.embedded != nil {
		s.embedded.stop(s.durable)
		return
	}
	if s.proc != nil {
		s.proc.Kill()
		s.proc = nil
	}
}

// Start restarts the server at the same address and waits until it answers. It does
// nothing if the server runs.
func (s *RedisServer) Start() {
	s.t.Helper()
	switch {
	case s.embedded != nil:
		if err := s.embedded.start(s.addr); err != nil {
			s.t.Fatalf("restart the embedded Redis: %v", err)
		}
	case s.proc == nil:
		s.proc = s.launch()
	}
	s.waitReady()
}

// Flush deletes all contents of the server.
func (s *RedisServer) Flush() {
	s.t.Helper()
	if err := s.command("FLUSHALL", "+OK"); err != nil {
		s.t.Fatalf("flush Redis: %v", err)
	}
}

// Fill exhausts the server's memory: until Room, it refuses every write that needs
// memory (OOM) and answers reads. The test needs the real server and is skipped without
// it.
func (s *RedisServer) Fill() {
	s.t.Helper()
	s.needReal("filling Redis")
	if err := s.command("CONFIG SET maxmemory 1", "+OK"); err != nil {
		s.t.Fatalf("fill Redis: %v", err)
	}
}

// Room undoes Fill.
func (s *RedisServer) Room() {
	s.t.Helper()
	if err := s.command("CONFIG SET maxmemory 0", "+OK"); err != nil {
		s.t.Fatalf("make room in Redis: %v", err)
	}
}

// Pause suspends the server until Resume: connections stay open and nothing is
// answered. The test needs the real server and is skipped without it.
func (s *RedisServer) Pause() {
	s.t.Helper()
	s.needReal("pausing Redis")
	if s.proc == nil {
		s.t.Fatal("paused a Redis server that does not run")
	}
	s.proc.Signal(syscall.SIGSTOP)
}

// Resume undoes Pause.
func (s *RedisServer) Resume() {
	s.t.Helper()
	s.proc.Signal(syscall.SIGCONT)
}

func (s *RedisServer) needReal(what string) {
	s.t.Helper()
	if !s.Real() {
		s.t.Skipf("%s needs redis-server, which is not installed", what)
	}
}

// startReal starts redis-server on a free port.
func (s *RedisServer) startReal() {
	s.t.Helper()
	s.addr = localAddr(FreePort(s.t))
	s.proc = s.launch()
}

func (s *RedisServer) launch() *Proc {
	s.t.Helper()
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	args := []string{
		"--port", port, "--bind", "127.0.0.1", "--dir", s.dir, "--save", "", "--loglevel", "warning",
		"--maxmemory-policy", "noeviction",
	}
	if s.durable {
		args = append(args, "--appendonly", "yes", "--appendfsync", "always")
	}
	args = append(args, s.args...)
	if s.disk > 0 {
		return s.launchOnDisk(args)
	}
	return Process(s.t, s.path, args, nil)
}

func (s *RedisServer) waitReady() {
	s.t.Helper()
	err := poll(redisLimit, func() error {
		if s.proc != nil {
			select {
			case <-s.proc.Exited():
				s.t.Fatalf("redis-server ended: %v", s.proc.Wait())
			default:
			}
		}
		return s.command("PING", "+PONG")
	})
	if err != nil {
		s.t.Fatalf("Redis does not answer: %v", err)
	}
}

// command sends one command, its words separated by spaces, on a new connection. It
// uses no client library, whose pool would remember that the server was down.
func (s *RedisServer) command(command, want string) error {
	conn, err := net.DialTimeout("tcp", s.addr, redisLimit)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // everything has been read
	if err := conn.SetDeadline(time.Now().Add(redisLimit)); err != nil {
		return err
	}
	// As an array, the only form that the imitation reads too.
	words := strings.Fields(command)
	request := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := conn.Write(request); err != nil {
		return err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err
	}
	if answer = strings.TrimSpace(answer); answer != want {
		return fmt.Errorf("%s is answered with %q", command, answer)
	}
	return nil
}
