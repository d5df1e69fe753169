package neighbour

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// flooders is the number of connections with which an organization floods, strangers
// the number of those that send bodies without a token, and idle the number of those
// that send nothing.
const (
	flooders  = 24
	strangers = 1000
	idle      = 9000
)

// addresses is the number of addresses that strangers connect from. The gateway accepts
// 1,000 connections from each.
const addresses = 20

// settled is how long a flood runs before anything is measured: rounds are short, a
// flood is not.
const settled = time.Second

// unsentBytes is the send buffer of a stranger. By default it is megabytes, which here
// would be copied and kept by the machine of the server.
const unsentBytes = 64 << 10

// floodOrder is the environment variable that makes this program the flood; its value
// describes the flood as JSON.
const floodOrder = "ECF_BENCH_FLOOD"

// In production, flooding clients and waiting clients run on other machines. Here they
// share the CPUs of the server, so priorities order them: first the clients that are
// measured, then the server, then the flood, which is a separate process.
const serverPriority = "5"

// behind returns the command that starts a program with a lower priority, where
// possible.
func behind(priority string, program ...string) []string {
	if nice, err := exec.LookPath("nice"); err == nil {
		return append([]string{nice, "-n", priority}, program...)
	}
	return program
}

// idly returns the command that starts a program so that it runs only on an otherwise
// idle CPU: with the lowest priority it would still keep a CPU for milliseconds after
// another program wakes up.
func idly(program ...string) []string {
	if chrt, err := exec.LookPath("chrt"); err == nil {
		return append([]string{chrt, "--idle", "0"}, program...)
	}
	return behind("19", program...)
}

// TestMain runs the flood or the bareServer if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(bareOrder) != "" {
		fmt.Fprintln(os.Stderr, bareServer(os.Stdout))
		os.Exit(1)
	}
	if order := os.Getenv(floodOrder); order != "" {
		if err := obey(order, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// orders are the parameters of the flood. Bare is the address of a bareServer.
type orders struct {
	Base, Bare, Email, Token, Event string
	Rows                            int
}

// flood is what each connection of a flood does in a loop, counting responses.
type flood struct {
	name        string
	connections int
	do          func(ctx context.Context, answered *atomic.Int64)
	// control is the same flood against a bareServer, if any: the cost of its clients
	// and of the machine, without the work of the product.
	control string
	// standing counts open connections if the flood has started only once all are open;
	// nil otherwise.
	standing *atomic.Int64
	// lasting means that the server works on the requests long after they were made.
	// Such a flood runs last, and its rounds come after the quiet ones.
	lasting bool
}

// busy is a flood without requests: it keeps the CPUs of this machine busy, as the
// flooding process does besides its requests.
const busy = "nobody, on busy processors"

// uploads is a flood of unauthenticated clients, bareUploads the same one against a
// bareServer.
const (
	uploads     = "1,000 uploads of strangers"
	bareUploads = "1,000 uploads to a server that only refuses"
)

// floods returns the floods of the findings and of unauthenticated clients. The first
// does nothing, so it shows the noise of the machine.
func floods(p *person, file, bare string) []flood {
	of := func(name string, do func(context.Context, *atomic.Int64)) flood {
		return flood{name: name, connections: flooders, do: do}
	}
	from := func(name, base, control string) flood {
		to := &person{base: base}
		return flood{name: name, connections: strangers, control: control,
			do: func(ctx context.Context, answered *atomic.Int64) { to.upload(ctx, anyAddress(), answered) }}
	}
	var standing atomic.Int64
	return []flood{
		of("nobody", func(ctx context.Context, _ *atomic.Int64) { <-ctx.Done() }),
		{name: busy, connections: runtime.NumCPU(), do: func(ctx context.Context, _ *atomic.Int64) {
			for ctx.Err() == nil { // it only keeps a CPU busy
			}
		}},
		of("exports", p.repeat(http.MethodGet, p.event+"/export", "")),
		of("previews of the result", p.repeat(http.MethodGet, p.event+"/results/preview", "")),
		of("reports", p.repeat(http.MethodGet, p.event+"/results/report", "")),
		of("pages of 100", p.repeat(http.MethodGet, p.event+"/flights?limit=100&page=2", "")),
		of("lists that are remembered", p.repeat(http.MethodGet, "/events?limit=5", "")),
		of("rehearsed changes of the password", p.repeat(http.MethodPost, "/auth/password", `{"currentPassword":"`+password+`","newPassword":"another long enough password"}`)),
		of("rehearsed invitations", p.repeat(http.MethodPost, "/users", `{"email":"somebody@elsewhere.test","role":"user"}`)),
		of("unfinished uploads", func(ctx context.Context, answered *atomic.Int64) { p.upload(ctx, "127.0.0.1", answered) }),
		from(uploads, p.base, bareUploads),
		from(bareUploads, bare, ""),
		{name: "9,000 idle connections", connections: idle, standing: &standing, do: func(ctx context.Context, answered *atomic.Int64) {
			p.stand(ctx, &standing, answered)
		}},
		{name: "large imports", connections: flooders, lasting: true, do: p.repeat(http.MethodPost, p.event+"/waste/import?again=true", file)},
	}
}

// repeat sends the same request in a loop, without waiting for Retry-After. Compressed
// responses are accepted and not decompressed.
func (p *person) repeat(method, path, body string) func(context.Context, *atomic.Int64) {
	return func(ctx context.Context, answered *atomic.Int64) {
		response, err := p.request(ctx, method, path, body)
		if err != nil {
			return
		}
		if _, err = io.Copy(io.Discard, response.Body); err == nil {
			answered.Add(1)
		}
		_ = response.Body.Close()
	}
}

// anyAddress returns one of the addresses that strangers connect from.
func anyAddress() string { return fmt.Sprintf("127.0.%d.1", 1+rand.IntN(addresses)) } //nolint:forbidigo // which one is of no matter

// connect opens a connection from an address. It is closed when ctx is done.
func (p *person) connect(ctx context.Context, from string) (conn net.Conn, end func(), err error) {
	to := strings.TrimSuffix(strings.TrimPrefix(p.base, "http://"), "/api/v2")
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	if conn, err = dialer.DialContext(ctx, "tcp", to); err != nil {
		return nil, nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(unsentBytes)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return conn, func() { stop(); _ = conn.Close() }, nil
}

// upload announces 16 MiB without a token, sends most of them and stops sending.
func (p *person) upload(ctx context.Context, from string, answered *atomic.Int64) {
	conn, end, err := p.connect(ctx, from)
	if err != nil {
		return
	}
	defer end()
	_, err = io.WriteString(conn, "POST /api/v2/events/aaaaaaaaaaaaaaaaaaaaaaaaaa/flights/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 16776192\r\n\r\n")
	piece := bytes.Repeat([]byte("x"), 32<<10)
	for sent := 0; err == nil && sent < 16<<20-(64<<10); sent += len(piece) {
		_, err = conn.Write(piece)
	}
	if n, _ := io.Copy(io.Discard, conn); n > 0 {
		answered.Add(1)
	}
}

// stand connects and sends nothing until the server closes the connection.
func (p *person) stand(ctx context.Context, standing, answered *atomic.Int64) {
	conn, end, err := p.connect(ctx, anyAddress())
	if err != nil {
		return
	}
	defer end()
	standing.Add(1)
	defer standing.Add(-1)
	if n, _ := io.Copy(io.Discard, conn); n > 0 {
		answered.Add(1)
	}
}

// obey starts and stops floods by commands, one per line: the name of a flood starts
// it, an empty line stops it. It replies to each with the number of responses received.
func obey(order string, in io.Reader, out io.Writer) error {
	var o orders
	if err := json.Unmarshal([]byte(order), &o); err != nil {
		return err
	}
	p := &person{base: o.Base, email: o.Email, token: o.Token, event: o.Event, codings: "br, gzip",
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: flooders}}}
	var file strings.Builder
	file.WriteString("treatment,weightKg\n")
	for n := range o.Rows {
		fmt.Fprintf(&file, "landfill,%d\n", n+1)
	}
	known := floods(p, file.String(), o.Bare)
	end := func() int { return 0 }
	defer func() { end() }()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		answered := end()
		end = func() int { return 0 }
		if name := lines.Text(); name != "" {
			i := slices.IndexFunc(known, func(f flood) bool { return f.name == name })
			if i < 0 {
				return fmt.Errorf("there is no flood %q", name)
			}
			end = begin(known[i])
		}
		if _, err := fmt.Fprintln(out, answered); err != nil {
			return err
		}
	}
	return lines.Err()
}

// begin starts a flood and, once all of it has started, returns the function that ends
// it.
func begin(f flood) (end func() (answered int)) {
	ctx, stop := context.WithCancel(context.Background())
	var answered atomic.Int64
	var begun, running sync.WaitGroup
	for range f.connections {
		begun.Add(1)
		running.Go(func() {
			begun.Done()
			for ctx.Err() == nil {
				f.do(ctx, &answered)
			}
		})
	}
	begun.Wait()
	<-time.After(settled)
	for deadline := time.Now().Add(time.Minute); f.standing != nil && f.standing.Load() < int64(f.connections) && time.Now().Before(deadline); {
		<-time.After(10 * time.Millisecond)
	}
	return func() int {
		stop()
		running.Wait()
		return int(answered.Load())
	}
}

// flooder is the flooding process.
type flooder struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// startFlood starts the process that floods on behalf of an organization. It exits at
// the end of its input.
func startFlood(t *testing.T, greedy *person, rows int) *flooder {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	order, err := json.Marshal(orders{greedy.base, startBare(t), greedy.email, greedy.token, greedy.event, rows})
	if err != nil {
		t.Fatal(err)
	}
	program := idly(self)
	command := exec.Command(program[0], program[1:]...)
	command.Env, command.Stderr = append(os.Environ(), floodOrder+"="+string(order)), os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), command.Wait()); err != nil {
			t.Errorf("the flood: %v", err)
		}
	})
	return &flooder{t: t, in: in, out: bufio.NewReader(out)}
}

// tell sends a command and returns the reply.
func (f *flooder) tell(order string) (answered int) {
	f.t.Helper()
	if _, err := fmt.Fprintln(f.in, order); err != nil {
		f.t.Fatal(err)
	}
	if _, err := fmt.Fscanln(f.out, &answered); err != nil {
		f.t.Fatalf("the flood has exited: %v", err)
	}
	return answered
}

// controls start and stop one flood; stop returns the number of its responses.
type controls struct {
	start func()
	stop  func() (answered int)
}

func (f *flooder) of(name string) controls {
	return controls{start: func() { f.tell(name) }, stop: func() int { return f.tell("") }}
}
