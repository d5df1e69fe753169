package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// libraries are those whose speed affects the figures, on either side.
var libraries = []string{
	"github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp", "github.com/hibiken/asynq", "github.com/redis/go-redis/v9",
	"go.mongodb.org/mongo-driver/v2", "modernc.org/sqlite", "github.com/tsenart/vegeta/v12",
}

// version matches the version in the output of a program.
var version = regexp.MustCompile(`\d+\.\d+[\w.+-]*`)

// provenance returns when, where and on what figures were measured, each part as "name
// version".
func provenance(t *testing.T) []string {
	t.Helper()
	root := testkit.Root(t)
	parts := []string{time.Now().UTC().Format("2006-01-02"), "program " + revision(t),
		"Go " + strings.TrimPrefix(runtime.Version(), "go"), fmt.Sprintf("%s/%s, %d processors%s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor())}
	parts = append(parts, "nginx "+or(version.FindString(said(t, "", "nginx", "-v")), "not installed"),
		"redis-server "+or(version.FindString(said(t, "", "redis-server", "--version")), "not installed, the embedded one takes its place"))
	for module := range strings.Lines(said(t, filepath.Join(root, "tests"), "go", append([]string{"list", "-m"}, libraries...)...)) {
		parts = append(parts, strings.TrimSpace(module))
	}
	return parts
}

// said returns the output of a program, or "" if it cannot be run.
func said(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// described caches the result of revision.
var described atomic.Value // of string

// revision identifies the sources of the programs as they are at its first call in this
// test. Tables stored by an earlier run do not count as changes.
func revision(t *testing.T) string {
	t.Helper()
	root := testkit.Root(t)
	now := or(said(t, root, "git", "describe", "--tags", "--always"), "of no repository")
	if said(t, root, "git", "status", "--porcelain", "--", "go.work", "libs", "services", "tests") != "" {
		now += "-dirty"
	}
	described.CompareAndSwap(nil, now)
	return described.Load().(string) //nolint:forcetypeassert // it was stored above
}

// processor returns the CPU model, if the system reports it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return " of " + strings.TrimSpace(value)
		}
	}
	return ""
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// keep writes the measurements, with their provenance and a plot of the ratios, into
// the directory ECF_BENCH_OUT.
func (s *system) keep(name string) {
	s.t.Helper()
	about := strings.Join(append(provenance(s.t), s.about...), "; ")
	s.t.Log(about)
	dir := os.Getenv("ECF_BENCH_OUT")
	if dir == "" {
		return
	}
	files := map[string]string{}
	if len(s.rows) > 0 {
		table := Table(s.rows)
		rows, err := Read(table) // rounded like the stored ones
		if err != nil {
			s.t.Fatal(err)
		}
		files[name+".tsv"], files[name+".svg"] = Remark(about)+table, Plot(Titles[name], rows)
	}
	if len(s.figures) > 0 {
		files[name+"-figures.tsv"] = Remark(about) + Figures(s.figures)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			s.t.Error(err)
		}
	}
}

// figure prints and stores a figure.
func (s *system) figure(what string, value float64, unit string, most float64) {
	s.t.Helper()
	f := Figure{what, value, unit, most}
	s.figures = append(s.figures, f)
	goal := ""
	if most > 0 {
		goal = fmt.Sprintf("   at most %g", most)
	}
	s.t.Logf("%-72s %10.4g %s%s", f.What, f.Value, f.Unit, goal)
}

// TestProvenanceNamesEverything verifies that a stored table says on what it was
// measured.
func TestProvenanceNamesEverything(t *testing.T) {
	t.Parallel()
	all := provenance(t)
	text := strings.Join(all, "\n")
	for _, part := range append([]string{"program ", "Go 1.", "nginx ", "redis-server "}, libraries...) {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	for _, module := range libraries {
		if !regexp.MustCompile(regexp.QuoteMeta(module) + ` v\d`).MatchString(text) {
			t.Errorf("%s has no version in\n%s", module, text)
		}
	}
	if _, err := time.Parse("2006-01-02", all[0]); err != nil {
		t.Error(err)
	}
}
