package web_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// spooled is an application with one streamed operation and another one.
func spooled(t *testing.T, spool *web.Spool, handler fiber.Handler) *bundle {
	t.Helper()
	b := setup(t, func(o *web.Options) { o.Spool, o.BodyLimit = spool, 1000 })
	table := api.Table{
		{ID: "import", Method: http.MethodPost, Path: "/import", Least: identity.User, Reach: api.Organization, BodyLimit: 1 << 20, Streamed: true},
		{ID: "create", Method: http.MethodPost, Path: "/create", Least: identity.User, Reach: api.Organization},
	}
	echo := func(c *fiber.Ctx) error { return web.OK(c, len(c.Request().Body())) }
	if err := web.Register(b.app, "", members(), table, []web.Route{{Operation: "import", Handler: handler}, {Operation: "create", Handler: echo}}); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFilesAreOnDisk verifies that a received file is unlinked, in a private directory, has the
// bytes that were sent, and leaves nothing behind.
func TestFilesAreOnDisk(t *testing.T) {
	t.Parallel()
	for name, parent := range map[string]string{"on disk": t.TempDir(), "in memory": filepath.Join(t.TempDir(), "there is none")} {
		spool := web.NewSpool(parent)
		b := spooled(t, spool, func(c *fiber.Ctx) error {
			f, err := web.FileAs(c, "text/csv")
			if err != nil {
				return err
			}
			twice := f.Derived()
			defer twice.Close() //nolint:errcheck // it is read below
			for range 2 {
				if _, err := io.Copy(twice, f.Reader()); err != nil {
					return err
				}
			}
			text, err := io.ReadAll(twice.Reader())
			if err != nil {
				return err
			}
			dirs, _ := filepath.Glob(filepath.Join(parent, "ecf-spool-*"))
			files, _ := filepath.Glob(filepath.Join(parent, "ecf-spool-*", "*"))
			modes := ""
			for _, d := range dirs {
				info, err := os.Stat(d)
				if err != nil {
					return err
				}
				modes += info.Mode().String()
			}
			return web.OK(c, fmt.Sprintf("%s %d %s", modes, len(files), text))
		})
		for _, size := range []int{0, 10, 9000, 100_000, 1 << 20} {
			sent := strings.Repeat("x", size)
			want := " 0 " + sent + sent
			if name == "on disk" && size > 64<<10 {
				want = "drwx------" + want
			}
			a := b.do(http.MethodPost, "/import", sent, "Authorization", "Bearer user-a", "Content-Type", "text/csv")
			a.ok(http.StatusOK)
			if !strings.Contains(a.body, want) {
				t.Errorf("%s, %d bytes: %.80s", name, size, a.body)
			}
		}
		b.do(http.MethodPost, "/import", strings.Repeat("x", 1<<20+1), "Authorization", "Bearer user-a", "Content-Type", "text/csv").fails(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
		b.do(http.MethodPost, "/import", strings.Repeat("x", 100_000), "Content-Type", "text/csv").fails(http.StatusUnauthorized, "UNAUTHENTICATED")
		b.do(http.MethodPost, "/create", strings.Repeat("x", 1001), "Authorization", "Bearer user-a").fails(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
		if a := b.do(http.MethodPost, "/create", strings.Repeat("x", 1000), "Authorization", "Bearer user-a"); !strings.Contains(a.body, "1000") {
			t.Errorf("another operation's body: %s", a.body)
		}
		if err := spool.Remove(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(parent); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
}

// TestFilesOfOneOrganization verifies that the files of an organization are limited,
// independently of others, and released when closed.
func TestFilesOfOneOrganization(t *testing.T) {
	t.Parallel()
	spool := web.NewSpool(t.TempDir())
	t.Cleanup(func() { _ = spool.Remove() })
	var kept []*web.File
	piece := make([]byte, 1<<19)
	b := spooled(t, spool, func(c *fiber.Ctx) error {
		if c.Query("keep") == "" {
			return web.OK(c, "taken")
		}
		for { // up to the limit
			f := web.FileOf(c).Derived()
			kept = append(kept, f)
			if _, err := f.Write(piece); err != nil {
				return err
			}
		}
	})
	file := strings.Repeat("x", 100_000)
	ask := func(query, who string) *answer {
		return b.do(http.MethodPost, "/import"+query, file, "Authorization", "Bearer "+who, "Content-Type", "text/csv")
	}
	ask("?keep=1", "user-a").fails(http.StatusServiceUnavailable, "UNAVAILABLE")
	file = strings.Repeat("x", 1<<20)
	ask("", "user-a").fails(http.StatusServiceUnavailable, "UNAVAILABLE")
	ask("", "admin-b").ok(http.StatusOK)
	for _, f := range kept {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 100 { // each releases its bytes
		ask("", "user-a").ok(http.StatusOK)
	}
	if n := len(kept); n < 125 || n > 128 {
		t.Errorf("%d files of half a MiB were kept", n)
	}
}

// TestADirectoryOfFilesThatHasGoneIsMadeAgain verifies that a removed directory is created
// again.
func TestADirectoryOfFilesThatHasGoneIsMadeAgain(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	spool := web.NewSpool(parent)
	text := strings.Repeat("x", 1<<20)
	for range 3 {
		f := spool.New("a")
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		dirs, err := filepath.Glob(filepath.Join(parent, "ecf-spool-*"))
		if err != nil || len(dirs) != 1 {
			t.Fatalf("directories %v, %v", dirs, err)
		}
		if err := os.RemoveAll(dirs[0]); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f.Section(1, len(text)-1)); err != nil || string(got) != text[1:] {
			t.Errorf("%d bytes were read, %v", len(got), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := spool.Remove(); err != nil {
		t.Error(err)
	}
}

// TestDirectoriesThatWereLeftAreRemoved verifies that directories of killed processes are
// removed, but none that may be in use.
func TestDirectoriesThatWereLeftAreRemoved(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for name, file := range map[string]string{"ecf-spool-left": "", "ecf-spool-full": "f", "ecf-spool-new": "", "other": ""} {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if file != "" {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if name != "ecf-spool-new" {
			if err := os.Chtimes(dir, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	spool := web.NewSpool(parent)
	f := spool.New("a")
	if _, err := f.Write(make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), spool.Remove()); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(parent, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if fmt.Sprint(left) != "[ecf-spool-full ecf-spool-new other]" {
		t.Errorf("%v is left", left)
	}
}
