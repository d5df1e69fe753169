package records

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
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

// TestAllFaultsOfThousandsOfBadRows: each fault of each row is in a page of the list, each
// row in the file of bad rows, once and in order; no document that is stored grows with them.
func TestAllFaultsOfThousandsOfBadRows(t *testing.T) {
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
	if err := NewImporter(s, logger, time.Now).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Import(t.Context(), "a", i.Event, i.ID)
	if err != nil || !stored.Finished() || stored.Faults != bad*perRow {
		t.Fatalf("%s: %d faults, want %d; %v", stored.Status, stored.Faults, bad*perRow, err)
	}
	if stored.BadParts < 2 || s.part > 2*badPart || len(stored.Errors) > maxRowErrors || s.state > 1<<20 {
		t.Errorf("%d parts, the largest of %d bytes; %d errors in an import of %d bytes", stored.BadParts, s.part, len(stored.Errors), s.state)
	}

	app, err := New(Deps{Store: s, Verifier: anyToken{}, Logger: logger, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) []byte {
		t.Helper()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v2/events/"+string(i.Event)+"/imports/"+i.ID+path, nil)
		request.Header.Set("Authorization", "Bearer a")
		answer, err := app.Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v: %.300s", path, answer.StatusCode, err, body)
		}
		return body
	}
	seen := map[string]bool{}
	last := int64(0)
	for page := 1; ; page++ {
		var list struct {
			Data web.List[record.RowError] `json:"data"`
		}
		if err := json.Unmarshal(get(fmt.Sprintf("/errors?limit=100&page=%d", page)), &list); err != nil {
			t.Fatal(err)
		}
		if list.Data.Pagination.Total != bad*perRow {
			t.Fatalf("page %d is of %d faults, want %d", page, list.Data.Pagination.Total, bad*perRow)
		}
		if len(list.Data.Items) == 0 {
			break
		}
		for _, f := range list.Data.Items {
			key := fmt.Sprint(f.Row, " ", f.Column)
			if seen[key] || f.Row < last {
				t.Fatalf("page %d repeats %s, or goes back from row %d", page, key, last)
			}
			seen[key], last = true, f.Row
		}
	}
	if len(seen) != bad*perRow {
		t.Errorf("the pages have %d faults, want %d", len(seen), bad*perRow)
	}

	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(get("/bad-rows")), "\uFEFF"))).ReadAll()
	if err != nil || len(rows) != 1+bad || rows[0][len(rows[0])-1] != faultsColumn {
		t.Fatalf("the file of bad rows has %d rows, want the head and %d: %v", len(rows), bad, err)
	}
	sent := strings.Split(strings.TrimSpace(file), "\n")[2:]
	for n, row := range rows[1:] {
		if strings.TrimPrefix(strings.Join(row[:3], ","), "'") != sent[n] && !strings.HasSuffix(sent[n], ","+row[2]) || !strings.Contains(row[3], "weightKg") || !strings.Contains(row[3], "treatment") {
			t.Fatalf("row %d is %v, and was sent as %s", n, row, sent[n])
		}
	}
}
