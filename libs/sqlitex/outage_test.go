package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// TestWrapTranslatesOutagesOnly wraps errors that the engine gave.
func TestWrapTranslatesOutagesOnly(t *testing.T) {
	t.Parallel()
	open := func(path string) *sql.DB {
		pool, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = pool.Close() })
		return pool
	}
	ask := func(pool *sql.DB, query string) error {
		_, err := pool.ExecContext(t.Context(), query)
		return err
	}
	path := filepath.Join(t.TempDir(), "held.db")
	holder, err := open(path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Close() }()
	if _, err := holder.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	closed, full := open(path), open(filepath.Join(t.TempDir(), "full.db?_pragma=max_page_count(1)"))
	_ = closed.Close()
	for name, c := range map[string]struct {
		err  error
		want apperr.Code
	}{
		"no error":          {nil, ""},
		"held by another":   {ask(open(path), "SELECT * FROM sqlite_schema"), apperr.Unavailable},
		"not to be opened":  {ask(open(t.TempDir()), "SELECT * FROM sqlite_schema"), apperr.Unavailable},
		"full":              {ask(full, "CREATE TABLE t (a); CREATE TABLE u (a)"), apperr.Unavailable},
		"a closed pool":     {ask(closed, "SELECT 1"), apperr.Unavailable},
		"a closed file":     {ErrClosed, apperr.Unavailable},
		"told already":      {apperr.New(apperr.EventSigned, "It is signed."), apperr.EventSigned},
		"a wrong statement": {ask(open(":memory:"), "SELECT nothing"), apperr.Internal},
		"given up":          {context.Canceled, apperr.Internal},
	} {
		got := Wrap("read event", c.err)
		if apperr.CodeOf(got) != c.want {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
		if c.err != nil && (!errors.Is(got, c.err) || !strings.Contains(got.Error(), "read event: "+c.err.Error())) {
			t.Errorf("%s: %v does not name its cause", name, got)
		}
	}
}
