package testkit

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const sample = "libs/testkit/internal/sample"

func TestBinaryIsBuiltOnce(t *testing.T) {
	t.Parallel()
	first := Binary(t, sample)
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	if second := Binary(t, sample); second != first {
		t.Errorf("built %s and %s", first, second)
	}
	// A later process finds the build up to date.
	if _, err := buildBinary(sample, raceEnabled); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) {
		t.Errorf("rebuilt although up to date (%v)", err)
	}
	if failure := failureOf(t, func(t testing.TB) { Binary(t, "no/such/package") }); failure == "" {
		t.Error("a package that does not exist was built")
	}
}

func TestSourcesSumFollowsTheSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		sum, err := sourcesSum(dir)
		if err != nil && name == "go.sum" {
			t.Fatal(err)
		}
		return sum
	}
	write("main.go", "package main")
	write("go.mod", "module m")
	first := write("go.sum", "")
	if again := write("main_test.go", "package main"); again != first {
		t.Error("a change of a test changes the sum of the program")
	}
	if changed := write("main.go", "package  main"); changed == first {
		t.Error("a change of the program does not change its sum")
	}
	if changed := write("go.sum", "x"); changed == first {
		t.Error("a change of the dependencies does not change the sum")
	}
}

func TestProcess(t *testing.T) {
	t.Setenv("ECF_LEAKED", "leaked")
	addr := fmt.Sprintf("127.0.0.1:%d", FreePort(t))
	env := []string{"SAMPLE_ADDR=" + addr, "SAMPLE_OWN=own"}
	p := Process(t, Binary(t, sample), nil, env)
	if line := p.WaitLine("listens on"); line != "sample listens on "+addr {
		t.Errorf("line %q", line)
	}
	p.WaitHTTP("http://" + addr)
	if line := p.WaitLine("environment:"); strings.Contains(line, "leaked") || !strings.Contains(line, "own") {
		t.Errorf("%s; want the given variable and none of the product's", line)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if !strings.Contains(p.Output(), "sample ends") {
		t.Errorf("output %q lacks the last line written", p.Output())
	}
	if err := p.Stop(); err != nil {
		t.Errorf("second stop: %v", err)
	}

	// Restart at the same address immediately, as after a crash.
	p = Process(t, Binary(t, sample), []string{"4"}, env)
	p.WaitLine("listens on")
	var exit *exec.ExitError
	if err := p.Stop(); !errors.As(err, &exit) || exit.ExitCode() != 4 {
		t.Errorf("stop of a program that exits with 4: %v", err)
	}

	p = Process(t, Binary(t, sample), nil, env)
	p.WaitLine("listens on")
	p.Kill()
	p.Kill()
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Errorf("killed: %v", err)
	}
	if strings.Contains(p.Output(), "sample ends") {
		t.Error("a killed program exited without an error")
	}
}

func TestWaitsEndWithTheProcess(t *testing.T) {
	t.Parallel()
	env := []string{"SAMPLE_ADDR=no address"}
	for name, wait := range map[string]func(*Proc){
		"line": func(p *Proc) { p.WaitLine("listens on") },
		"HTTP": func(p *Proc) { p.WaitHTTP(fmt.Sprintf("http://127.0.0.1:%d", FreePort(t))) },
	} {
		failure := failureOf(t, func(tb testing.TB) { wait(Process(tb, Binary(t, sample), nil, env)) })
		if !strings.Contains(failure, "exit status 3") {
			t.Errorf("%s: failed with %q, want how the process exited", name, failure)
		}
	}
}

// holdsChildren, if set, makes this test binary a process that holds children.
const holdsChildren = "TESTKIT_HOLDS_CHILDREN"

// TestHoldChildren is run by TestChildrenDieWithTheTest in a separate process.
func TestHoldChildren(t *testing.T) {
	if os.Getenv(holdsChildren) == "" {
		return
	}
	addr := fmt.Sprintf("127.0.0.1:%d", FreePort(t))
	Process(t, Binary(t, sample), nil, []string{"SAMPLE_ADDR=" + addr}).WaitLine("listens on")
	uri, _ := MongoDB(t)
	mongo, _, _ := strings.Cut(strings.TrimPrefix(uri, "mongodb://"), "/")
	fmt.Printf("children: %s %s\n", addr, mongo)
	<-make(chan int)
}

func TestChildrenDieWithTheTest(t *testing.T) {
	t.Parallel()
	holder := Process(t, os.Args[0], []string{"-test.run=^TestHoldChildren$", "-test.timeout=5m"}, []string{holdsChildren + "=1"})
	children := strings.Fields(holder.WaitLine("children:"))[1:]
	for _, addr := range children {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatalf("no child at %s: %v", addr, err)
		}
		_ = conn.Close()
	}
	holder.Kill()
	for _, addr := range children {
		Eventually(t, 30*time.Second, func() error {
			if conn, err := net.Dial("tcp", addr); err == nil {
				_ = conn.Close()
				return fmt.Errorf("%s still answers", addr)
			}
			return nil
		})
	}
}
