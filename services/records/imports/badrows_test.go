package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// sizedImports notes the largest of what is stored in one document.
type sizedImports struct {
	*watchedImports
	part, state int
}

func (s *sizedImports) PutImportPart(ctx context.Context, org record.OrgID, id string, n int64, data []byte) error {
	s.part = max(s.part, len(data))
	return s.watchedImports.PutImportPart(ctx, org, id, n, data)
}

func (s *sizedImports) ReplaceImport(ctx context.Context, org record.OrgID, i record.Import, prev int64) error {
	state, err := json.Marshal(i)
	if err != nil {
		return err
	}
	s.state = max(s.state, len(state))
	return s.watchedImports.ReplaceImport(ctx, org, i, prev)
}

// manyBadRows returns a file in which rows of two are bad, with a cell that is long and
// does not compress, and one row is good.
func manyBadRows(t *testing.T, bad int) string {
	t.Helper()
	random := testkit.Rand(t)
	var file strings.Builder
	file.WriteString("treatment,weightKg,notes\nlandfill,1000,good\n")
	for n := range bad {
		noise := make([]byte, 400)
		for i := range noise {
			noise[i] = byte('a' + random.IntN(26))
		}
		fmt.Fprintf(&file, "nowhere,-%d,%s\n", n+1, noise)
	}
	return file.String()
}

// TestThousandsOfBadRowsAreStoredInParts: no document that is stored grows with them.
func TestThousandsOfBadRowsAreStoredInParts(t *testing.T) {
	t.Parallel()
	const bad, perRow = 1500, 2
	s := &sizedImports{watchedImports: openWatched(t)}
	i := s.addImport(t, "a", "many", 1)
	file := manyBadRows(t, bad)
	if err := errors.Join(s.DropImportParts(t.Context(), "a", i.ID), s.PutImportPart(t.Context(), "a", i.ID, 0, []byte(file))); err != nil {
		t.Fatal(err)
	}
	s.part = 0
	logger := slog.New(slog.DiscardHandler)
	if err := New(s, logger, time.Now).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Import(t.Context(), "a", i.Event, i.ID)
	if err != nil || !stored.Finished() || stored.Faults != bad*perRow {
		t.Fatalf("%s: %d faults, want %d; %v", stored.Status, stored.Faults, bad*perRow, err)
	}
	if stored.BadParts < 2 || s.part > 2*badPart || len(stored.Errors) > maxRowErrors || s.state > 1<<20 {
		t.Errorf("%d parts, the largest of %d bytes; %d errors in an import of %d bytes", stored.BadParts, s.part, len(stored.Errors), s.state)
	}
}
