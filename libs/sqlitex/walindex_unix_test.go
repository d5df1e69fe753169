//go:build linux || darwin

package sqlitex

import (
	"path/filepath"
	"testing"
)

// TestAVersionIsReadWithoutAskingTheEngine: asking it allocates, and takes locks of the file.
func TestAVersionIsReadWithoutAskingTheEngine(t *testing.T) {
	db := openAt(t, filepath.Join(t.TempDir(), "test.db"))
	mustWrite(t, db, put("a"))
	if n := testing.AllocsPerRun(100, func() {
		if v, err := db.Version(t.Context()); err != nil || v.Epoch != 0 {
			t.Errorf("%v, %v", v, err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestOneVersionHasOneContent reads beside a process that writes, until it is killed in
// the middle of its work, and for as long again. What is read between two readings of the
// same version is of that version.
func TestOneVersionHasOneContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db := openAt(t, path)
	cmd, lines := startChild(t, path, "append")
	contents, counts, met := map[Version]int{}, map[int]bool{}, 0
	look := func() {
		before, err := db.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := rows(t, db)
		if after, err := db.Version(t.Context()); err != nil {
			t.Fatal(err)
		} else if after != before {
			return
		}
		if first, ok := contents[before]; ok && first != n {
			t.Errorf("version %v is of %d rows, and of %d", before, first, n)
		}
		contents[before], counts[n] = n, true
		met++
	}
	for i := 0; lines.Scan(); i++ {
		look()
		if i == 200 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	for i := range 50 {
		look()
		mustWrite(t, db, put(string(rune('a'+i))))
		look()
	}
	if met < 100 || len(counts) < 51 {
		t.Errorf("%d readings were of one version, of %d contents: too few to tell anything", met, len(counts))
	}
}

// TestAHandleThatIsClosedTakesNoLocksOfAnother closes the first of two handles. By a
// descriptor closed with it this process would lose the locks that the second one has of
// the shared memory, and the next process to open the file would make it anew.
func TestAHandleThatIsClosedTakesNoLocksOfAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	first, err := Open(t.Context(), path, testTable)
	if err != nil {
		t.Fatal(err)
	}
	second := openAt(t, path)
	mustWrite(t, second, put("a"))
	last, err := second.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	cmd, lines := startChild(t, path, "append")
	for n := 0; lines.Scan(); n++ {
		v, err := second.Version(t.Context())
		if err != nil || n == 0 && v == last {
			t.Fatalf("after a commit of another process: %v, before it %v (%v)", v, last, err)
		}
		if n == 20 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	before := rows(t, second)
	mustWrite(t, second, put("b"))
	var verdict string
	if err := second.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" || rows(t, second) != before+1 || before < 40 {
		t.Errorf("%d rows, then %d, %s (%v)", before, rows(t, second), verdict, err)
	}
}
