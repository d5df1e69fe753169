package standalone_test

import (
	"runtime"
	"testing"
)

// TestGoRunsBesideCommitsOnOneProcessor: a server on the embedded store sets GOMAXPROCS to at least two, unless it is
// configured.
func TestGoRunsBesideCommitsOnOneProcessor(t *testing.T) {
	for _, c := range []struct {
		setting      string // of GOMAXPROCS
		before, want int
	}{{"", 1, 2}, {"1", 1, 1}, {"", 3, 3}} {
		t.Setenv("GOMAXPROCS", c.setting)
		before := runtime.GOMAXPROCS(c.before)
		t.Cleanup(func() { runtime.GOMAXPROCS(before) })
		(&commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir()}}).serve()
		if n := runtime.GOMAXPROCS(0); n != c.want {
			t.Errorf("GOMAXPROCS=%q, where Go runs %d: a server runs %d at a time, want %d", c.setting, c.before, n, c.want)
		}
	}
}
