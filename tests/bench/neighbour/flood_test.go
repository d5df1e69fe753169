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

// flooders is how many connections the flood of an organization has, strangers how many
// those who send bodies without a token, and idle how many those who send nothing.
const (
	flooders  = 24
	strangers = 1000
	idle      = 9000
)

// addresses is how many addresses strangers come from. Of each the gateway takes 1,000
// connections.
const addresses = 20

// settled is how long a flood goes on before anything is measured beside it: rounds are
// short, and a flood lasts.
const settled = time.Second

// unsentBytes is what the system of a stranger keeps of what the server has not taken. By
// default it is megabytes, which here would be copied and kept by the machine of the server.
const unsentBytes = 64 << 10

// floodOrder tells this program to be the flood: whose, as JSON.
const floodOrder = "ECF_BENCH_FLOOD"

// The people who flood a server, and those who wait for its answers, are on machines of
// their own. Here they share its processors: so whoever waits goes first, then the server,
// and the flood, in a process of its own, has what those leave.
const serverPriority = "5"

// behind returns how to start a program with a lower priority than this one, where that
// can be.
func behind(priority string, program ...string) []string {
	if nice, err := exec.LookPath("nice"); err == nil {
		return append([]string{nice, "-n", priority}, program...)
	}
	return program
}

// idly returns how to start a program so that it runs only while no other wants to: of the
// lowest priority it would still keep a processor for milliseconds before another program
// that wakes has it.
func idly(program ...string) []string {
	if chrt, err := exec.LookPath("chrt"); err == nil {
		return append([]string{chrt, "--idle", "0"}, program...)
	}
	return behind("19", program...)
}

// TestMain is the flood, or the server that only refuses, where it is told to be.
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

// orders are what the flood has to know. Bare is the address of a bareServer.
type orders struct {
	Base, Bare, Email, Token, Event string
	Rows                            int
}

// flood is what each of its connections does over and over, and counts what is answered.
type flood struct {
	name        string
	connections int
	do          func(ctx context.Context, answered *atomic.Int64)
	// control is the flood that does the same to a bareServer, where there is one: what its
	// clients and the machine take, without what the product does.
	control string
	// standing counts connections that are open, where a flood has begun only when all of
	// them are; nil otherwise.
	standing *atomic.Int64
	// lasting: the server works on what was asked for long after it was asked: it is the last
	// flood, and its rounds come after the quiet ones.
	lasting bool
}

// busy is a flood that asks for nothing: it keeps the processors of this machine busy, as
// the process that floods does beside what it asks for.
const busy = "nobody, on busy processors"

// uploads is a flood of strangers, and bareUploads the same one to a bareServer.
const (
	uploads     = "1,000 uploads of strangers"
	bareUploads = "1,000 uploads to a server that only refuses"
)

// floods are those of the findings, and of strangers. The first is none at all: what the
// machine itself makes of the comparison.
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
			for ctx.Err() == nil { // to be busy is all it does
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

// repeat asks for the same over and over; whoever is told to wait asks again at once.
// Compressed answers are taken, and not unpacked.
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

// anyAddress returns one of those that strangers come from.
func anyAddress() string { return fmt.Sprintf("127.0.%d.1", 1+rand.IntN(addresses)) } //nolint:forbidigo // which one is of no matter

// connect opens a connection from an address, which ends with ctx.
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

// upload announces 16 MiB without a token, sends most of them and falls silent.
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

// stand connects and sends nothing, until the server has had enough of it.
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

// obey starts and stops floods as it is told, line by line: the name of a flood begins
// it, and an empty line ends it. It answers each when that is so, with a number: of
// requests that were answered.
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

// begin starts a flood, and returns when all of it has begun what ends it.
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

// flooder is the process that floods.
type flooder struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// startFlood starts the process in which an organization is greedy. It ends with its input.
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

// tell gives an order and returns the answer.
func (f *flooder) tell(order string) (answered int) {
	f.t.Helper()
	if _, err := fmt.Fprintln(f.in, order); err != nil {
		f.t.Fatal(err)
	}
	if _, err := fmt.Fscanln(f.out, &answered); err != nil {
		f.t.Fatalf("the flood has ended: %v", err)
	}
	return answered
}

// controls start and stop one flood; stop returns how many of its requests were answered.
type controls struct {
	start func()
	stop  func() (answered int)
}

func (f *flooder) of(name string) controls {
	return controls{start: func() { f.tell(name) }, stop: func() int { return f.tell("") }}
}
