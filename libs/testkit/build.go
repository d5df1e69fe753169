package testkit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// engineModule is the source of the MongoDB-compatible engine. It is a module outside
// the workspace, because it requires old versions of shared dependencies.
const engineModule = "tests/mongoengine"

// builds caches what this process has built, by package path. It outlives a test
// because a build takes seconds.
var builds sync.Map // of func() (string, error)

// raceFlags build a program with the race detector, but for SQLite and its C library,
// which work on memory that the detector does not look at (RACE_FLAGS in the Makefile
// are the same).
var raceFlags = []string{"-race", "-gcflags=modernc.org/sqlite/lib=-race=false", "-gcflags=modernc.org/libc=-race=false"}

// Binary builds a main package of the workspace, such as
// "services/gateway/cmd/gateway", once per process, and returns the path of the
// program. The program has the race detector if the test has it, and otherwise is built
// without cgo, as released programs are. It has no debug information, which takes half
// of the time to link.
//
// The go command cannot see that a test depends on such a program: tests that use it
// must run with -count=1, or a cached result for an older program is reused.
func Binary(t testing.TB, pkg string) string {
	t.Helper()
	return binary(t, pkg, raceEnabled)
}

// BinaryWithoutRace is like Binary, but never builds with the race detector, which
// multiplies the memory of a program. It is for tests that measure memory.
func BinaryWithoutRace(t testing.TB, pkg string) string {
	t.Helper()
	return binary(t, pkg, false)
}

func binary(t testing.TB, pkg string, race bool) string {
	t.Helper()
	build, _ := builds.LoadOrStore(fmt.Sprint(pkg, race), sync.OnceValues(func() (string, error) { return buildBinary(pkg, race) }))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatalf("build %s: %v", pkg, err)
	}
	return path
}

func buildBinary(pkg string, race bool) (string, error) {
	root, err := findRoot()
	if err != nil {
		return "", err
	}
	dir, args, env := "bin", []string{"build", "-buildvcs=false", "-ldflags=-w"}, []string{"CGO_ENABLED=0"}
	if race {
		dir, args, env = "bin-race", append(args, raceFlags...), nil
	}
	cache, unlock, err := lockedCache(root)
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(cache, dir, strings.ReplaceAll(filepath.ToSlash(pkg), "/", "-"))
	// The go command leaves the file alone when it is up to date.
	return path, goCommand(filepath.Join(root, pkg), env, append(args, "-o", path, ".")...)
}

// buildEngine builds the engine, unless this machine has built it from the same
// sources, and returns its path.
func buildEngine() (string, error) {
	root, err := findRoot()
	if err != nil {
		return "", err
	}
	module := filepath.Join(root, engineModule)
	sum, err := sourcesSum(module)
	if err != nil {
		return "", err
	}
	cache, unlock, err := lockedCache(root)
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(cache, "mongoengine-"+sum)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	removeOld(cache, "mongoengine-*")
	partial := path + ".partial"
	// The caller's GOFLAGS (-race, -mod) are meant for other modules; these are those of
	// the Makefile, which tests the engine itself.
	env := []string{"GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-trimpath -tags=grpcnotrace"}
	if err := goCommand(module, env, "build", "-buildvcs=false", "-o", partial, "."); err != nil {
		return "", err
	}
	return path, os.Rename(partial, path)
}

// removeOld deletes old builds, but no recent one, which another process may be about
// to start.
func removeOld(dir, pattern string) {
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(name)
		}
	}
}

// lockedCache returns the build cache shared by all test processes, locked for the
// caller.
func lockedCache(root string) (dir string, unlock func(), err error) {
	dir = filepath.Join(root, ".cache", "testkit")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", nil, err
	}
	for {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = lock.Close()
		return "", nil, fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	return dir, func() { _ = lock.Close() }, nil
}

// sourcesSum returns a short hash of the sources of a module's program.
func sourcesSum(module string) (string, error) {
	names, err := filepath.Glob(filepath.Join(module, "*.go"))
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(names) == 0 {
		return "", fmt.Errorf("no Go files in %s", module)
	}
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range append(names, filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum")) {
		content, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(name), len(content), content)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

// goCommand runs the go command in a directory.
func goCommand(dir string, env []string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}
