package neighbour

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// flooders is how many connections a flood has.
const flooders = 24

// floodOrder tells this program to be the flood: whose, as JSON.
const floodOrder = "ECF_BENCH_FLOOD"

// The people who flood a server, and those who wait for its answers, are on machines of
// their own. Here they share its processors: so whoever waits goes first, then the server,
// and the flood, in a process of its own, has what those leave.
const (
	serverPriority = "5"
	floodPriority  = "19"
)

// behind returns how to start a program with a lower priority than this one, where that
// can be.
func behind(priority string, program ...string) []string {
	if nice, err := exec.LookPath("nice"); err == nil {
		return append([]string{nice, "-n", priority}, program...)
	}
	return program
}

// TestMain is the flood where it is told to be.
func TestMain(m *testing.M) {
	if order := os.Getenv(floodOrder); order != "" {
		if err := obey(order, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// orders are what the flood has to know.
type orders struct {
	Base, Email, Token, Event string
	Rows                      int
}

// flood is what one of the connections does over and over, and counts what is answered.
type flood struct {
	name string
	do   func(ctx context.Context, answered *atomic.Int64)
}

// floods are those of the findings. The first is none at all: what the machine itself
// makes of the comparison.
func floods(p *person, file string) []flood {
	return []flood{
		{"nobody", func(ctx context.Context, _ *atomic.Int64) { <-ctx.Done() }},
		{"exports", p.repeat(http.MethodGet, p.event+"/export", "")},
		{"previews of the result", p.repeat(http.MethodGet, p.event+"/results/preview", "")},
		{"reports", p.repeat(http.MethodGet, p.event+"/results/report", "")},
		{"pages of 100", p.repeat(http.MethodGet, p.event+"/flights?limit=100&page=2", "")},
		{"large imports", p.repeat(http.MethodPost, p.event+"/waste/import?again=true", file)},
		{"rehearsed changes of the password", p.repeat(http.MethodPost, "/auth/password", `{"currentPassword":"`+password+`","newPassword":"another long enough password"}`)},
		{"rehearsed invitations", p.repeat(http.MethodPost, "/users", `{"email":"somebody@elsewhere.test","role":"user"}`)},
		{"unfinished uploads", p.uploads},
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

// uploads announces 16 MiB without a token, sends most of them and falls silent.
func (p *person) uploads(ctx context.Context, answered *atomic.Int64) {
	address := strings.TrimSuffix(strings.TrimPrefix(p.base, "http://"), "/api/v2")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // nothing was promised
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_, err = io.WriteString(conn, "POST /api/v2/events/aaaaaaaaaaaaaaaaaaaaaaaaaa/flights/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 16776192\r\n\r\n")
	for sent := 0; err == nil && sent < 16<<20-(64<<10); sent += 32 << 10 {
		_, err = conn.Write(bytes.Repeat([]byte("x"), 32<<10))
	}
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
	known := floods(p, file.String())
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
	for range flooders {
		begun.Add(1)
		running.Go(func() {
			begun.Done()
			for ctx.Err() == nil {
				f.do(ctx, &answered)
			}
		})
	}
	begun.Wait()
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
	order, err := json.Marshal(orders{greedy.base, greedy.email, greedy.token, greedy.event, rows})
	if err != nil {
		t.Fatal(err)
	}
	program := behind(floodPriority, self)
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
