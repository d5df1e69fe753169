package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// readyLimit is how long a process may take to become ready. It is long because
	// test machines are busy; a wait that succeeds costs nothing.
	readyLimit = 60 * time.Second
	// stopLimit is how long a process may take to exit after SIGTERM: more than the
	// longest grace period of a service.
	stopLimit = 45 * time.Second
	// shownOutput limits, in bytes, the output of a process that a failed test shows.
	shownOutput = 16 << 10
)

// Proc is a process started by a test.
type Proc struct {
	t      testing.TB
	name   string
	cmd    *exec.Cmd
	output output
	done   chan struct{}
	err    error // of the process; read only after done is closed
}

// Process starts a program. Its environment is that of the test, without the variables
// that configure the product (ECF_…, OTEL_…), followed by env, each "NAME=value". At
// the end of the test the process is killed if it still runs, and if the test has
// failed, the end of its output is shown.
func Process(t testing.TB, path string, args, env []string) *Proc {
	t.Helper()
	p := &Proc{t: t, name: filepath.Base(path), cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.output.added = make(chan struct{})
	p.cmd.Env = append(cleanEnvironment(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	// Wait must not block on a grandchild that keeps the output open.
	p.cmd.WaitDelay = 5 * time.Second
	if err := spawn(p.cmd); err != nil {
		t.Fatalf("start %s: %v", p.name, err)
	}
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			out := p.Output()
			if len(out) > shownOutput {
				out = "…" + out[len(out)-shownOutput:]
			}
			t.Logf("output of %s:\n%s", p.name, out)
		}
	})
	return p
}

// cleanEnvironment returns the environment of this process without variables that would
// configure a service.
func cleanEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ECF_") && !strings.HasPrefix(v, "OTEL_") {
			env = append(env, v)
		}
	}
	return env
}

// PID returns the process id.
func (p *Proc) PID() int { return p.cmd.Process.Pid }

// ProcessorTime returns the CPU time of the process, in ticks of 10 ms; 0 without
// /proc.
func (p *Proc) ProcessorTime() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0
	}
	// The name may contain spaces; after it come the state and the numbers from the
	// fourth on.
	words := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	var ticks int64
	for _, word := range words[11:13] {
		n, err := strconv.ParseInt(string(word), 10, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// WaitIdle waits until the process uses less than a twentieth of a CPU for half a
// second, for at most limit.
func (p *Proc) WaitIdle(limit time.Duration) {
	p.t.Helper()
	const look = 500 * time.Millisecond
	since, before := time.Now(), p.ProcessorTime()
	Eventually(p.t, limit, func() error {
		if time.Since(since) < look {
			return errors.New("not looked at for long enough")
		}
		now := p.ProcessorTime()
		took := now - before
		since, before = time.Now(), now
		if took > look/20 {
			return fmt.Errorf("process %d used %v of CPU time within %v", p.PID(), took, look)
		}
		return nil
	})
}

// Output returns what the process has written so far to standard output and standard
// error.
func (p *Proc) Output() string { return p.output.String() }

// Exited returns a channel that is closed when the process has exited.
func (p *Proc) Exited() <-chan struct{} { return p.done }

// WaitLine waits for a line of output that contains text and returns it. It fails the
// test if the process exits first or takes too long.
func (p *Proc) WaitLine(text string) string {
	p.t.Helper()
	limit := time.NewTimer(readyLimit)
	defer limit.Stop()
	for {
		ended := false
		select {
		case <-p.done:
			ended = true
		default:
		}
		line, found, added := p.output.find(text)
		if found {
			return line
		}
		if ended {
			p.t.Fatalf("%s exited (%v) before it wrote %q", p.name, p.err, text)
		}
		select {
		case <-added:
		case <-p.done:
		case <-limit.C:
			p.t.Fatalf("%s has not written %q for %v", p.name, text, readyLimit)
		}
	}
}

// WaitHTTP waits until a GET of url is answered with 200. It fails the test if the
// process exits first or takes too long.
func (p *Proc) WaitHTTP(url string) {
	p.t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	err := poll(readyLimit, func() error {
		select {
		case <-p.done:
			p.t.Fatalf("%s exited (%v) before %s answered", p.name, p.err, url)
		default:
		}
		res, err := client.Get(url)
		if err != nil {
			return err
		}
		defer res.Body.Close() //nolint:errcheck // only its status counts
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", url, res.Status)
		}
		return nil
	})
	if err != nil {
		p.t.Fatalf("%s is not ready after %v: %v", p.name, readyLimit, err)
	}
}

// Kill kills the process as a crash would (SIGKILL) and waits for it to exit. It does
// nothing if the process has exited.
func (p *Proc) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Signal sends a signal to the process.
func (p *Proc) Signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Errorf("send %v to %s: %v", s, p.name, err)
	}
}

// Stop sends SIGTERM and returns what Wait returns. It fails the test if the process
// does not exit.
func (p *Proc) Stop() error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("stop %s: %v", p.name, err)
	}
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
		p.Kill()
		p.t.Errorf("%s did not exit within %v of SIGTERM", p.name, stopLimit)
	}
	return p.err
}

// Wait waits for the process to exit. It returns nil for exit code 0, and an
// *exec.ExitError otherwise.
func (p *Proc) Wait() error {
	<-p.done
	return p.err
}

// output collects what a process writes and notifies readers of each write.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	added chan struct{} // closed, and replaced, at each write
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.added)
	o.added = make(chan struct{})
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// find looks for a complete line that contains text; added is closed at the next write.
func (o *output) find(text string) (line string, found bool, added <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for l := range strings.Lines(o.text.String()) {
		if strings.HasSuffix(l, "\n") && strings.Contains(l, text) {
			return strings.TrimRight(l, "\r\n"), true, nil
		}
	}
	return "", false, o.added
}
