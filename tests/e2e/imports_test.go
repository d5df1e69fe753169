package e2e

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// importing is an event into which files are imported, with control over each step of
// the work.
type importing struct {
	*stage
	clock *movable
}

func newImporting(t *testing.T, store record.Store) *importing {
	t.Helper()
	clock := newMovable()
	if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1, CreatedAt: clock.now()}); err != nil {
		t.Fatal(err)
	}
	return &importing{stage: &stage{pair: newPair(t, store, clock), store: store, org: "org", user: "org/ann/user", manager: "org/mia/manager"}, clock: clock}
}

func (s *importing) send(query, file string, header ...string) *answer {
	s.t.Helper()
	return s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/import"+query, file, append(header, "Content-Type", "text/csv")...)
}

// sweep runs one sweep of a process with the given store.
func (s *importing) sweep(store record.Store) error {
	return imports.New(store, slog.New(slog.DiscardHandler), s.clock.now).Sweep(s.t.Context())
}

// outcome sends a file, processes it and returns the outcome.
func (s *importing) outcome(query, file string) *answer {
	s.t.Helper()
	sent := s.send(query, file).want(http.StatusAccepted)
	if err := s.sweep(s.store); err != nil {
		s.t.Fatal(err)
	}
	return s.ask(s.user, http.MethodGet, strings.TrimPrefix(sent.header.Get("Location"), "/api/v2"), "").want(http.StatusOK)
}

func (s *importing) total() string {
	s.t.Helper()
	return s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste", "").want(http.StatusOK).number("pagination", "total")
}

const (
	goodFile = "\ufeffTreatment;Weight Kg;externalReference;description\r\nlandfill;1,5;w-1;\"two\r\nlines\"\r\nlandfill;2;w-2;\r\n;;;\r\nrecycling;3;;'=x\r\n"
	badFile  = "treatment,weightKg,externalReference\nlandfill,1,a\nlandfil,-1,b\nlandfill,2,a\nlandfill,heavy,c\nlandfill,5,d\n"
)

// TestImport verifies that an import is all or nothing, or the valid rows if requested,
// and that every fault has its row and column.
func TestImport(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		done := s.outcome("?decimal=comma", goodFile)
		if done.str("status") != "completed" || done.number("rows") != "3" || done.number("imported") != "3" || done.number("failed") != "0" {
			t.Fatalf("good: %s", done.body)
		}
		list := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste", "").want(http.StatusOK)
		if s.total() != "3" || list.number("items", 2, "weightKg") != "1.5" || list.str("items", 2, "description") != "two\r\nlines" ||
			list.str("items", 0, "description") != "=x" || list.str("items", 0, "status") != "unsubmitted" || list.str("items", 0, "createdBy", "_id") != "ann" {
			t.Errorf("records: %s", list.body)
		}
		// The same file again: the references are in use, and nothing is imported.
		if refused := s.send("?decimal=comma", goodFile).wantError(http.StatusConflict, "DUPLICATE_FILE"); !strings.Contains(string(refused.body), done.str("_id")) {
			t.Errorf("the same file: %s", refused.body)
		}
		again := s.outcome("?decimal=comma&again=true", goodFile)
		if again.str("status") != "failed" || again.number("failed") != "2" || again.str("errors", 0, "column") != "externalReference" || again.str("errors", 0, "code") != "DUPLICATE" || s.total() != "3" {
			t.Errorf("again: %s", again.body)
		}
		bad := s.outcome("", badFile)
		if bad.str("status") != "failed" || bad.number("rows") != "5" || bad.number("failed") != "3" || bad.number("errorCount") != "4" || bad.number("imported") != "0" || s.total() != "3" {
			t.Errorf("bad: %s", bad.body)
		}
		for i, want := range []string{"3 treatment NOT_ALLOWED", "3 weightKg OUT_OF_RANGE", "4 externalReference DUPLICATE", "5 weightKg WRONG_TYPE"} {
			if got := fmt.Sprint(bad.number("errors", i, "row"), " ", bad.str("errors", i, "column"), " ", bad.str("errors", i, "code")); got != want {
				t.Errorf("error %d: %s, want %s", i, got, want)
			}
		}
		partial := s.outcome("?partial=true", badFile)
		if partial.str("status") != "completed" || partial.number("imported") != "2" || partial.number("failed") != "3" || partial.number("errorCount") != "4" || s.total() != "5" {
			t.Errorf("partial: %s", partial.body)
		}
		// A dry run checks the whole file and leaves nothing.
		dry := s.send("?partial=true", strings.ReplaceAll(badFile, ",a", ",z"), "X-Dry-Run", "true").want(http.StatusAccepted)
		if dry.str("status") != "completed" || dry.number("imported") != "1" || s.total() != "5" {
			t.Errorf("dry run: %s", dry.body)
		}
		left, err := s.store.OpenImports(t.Context(), "", 10)
		if err != nil || len(left) != 0 {
			t.Errorf("open: %v, %v", left, err)
		}
		// A fault of the file as a whole is reported immediately.
		for _, file := range []string{"", "a,b\n1,2\n", "type,Type,treatment\n", "\xff\xfet\x00"} {
			s.send("", file).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		for _, query := range []string{"?partial=yes", "?decimal=,"} {
			s.send(query, goodFile).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/import", "{}").wantError(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		empty := s.outcome("", "treatment,weightKg\n,\n")
		if empty.str("status") != "failed" || empty.str("errors", 0, "code") != "REQUIRED" {
			t.Errorf("empty: %s", empty.body)
		}
		torn := s.outcome("?partial=true", "treatment,weightKg\nlandfill,1\nland\"fill,1\n")
		if torn.str("status") != "completed" && torn.str("status") != "failed" || s.total() != "5" {
			t.Errorf("torn: %s", torn.body)
		}
		s.ask("other/bob/admin", http.MethodGet, "/events/"+s.event+"/imports/"+done.str("_id"), "").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
		s.ask(s.user, http.MethodGet, "/events/"+s.event+"/imports/none", "").wantError(http.StatusNotFound, "NOT_FOUND")
	})
}

// TestAKilledImportIsWholeOrNothing kills the process that works on an import at every
// write: before the commit point nothing of it is visible, and another process
// completes it, once.
func TestAKilledImportIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store := open()
		s := newImporting(t, store)
		deaths := []death{before, halfway, after}
		if slowEngine(store) {
			deaths = deaths[1:2]
		}
		for _, how := range deaths {
			for fatal := 0; ; fatal++ {
				s.create(0)
				sent := s.send("?decimal=comma", goodFile).want(http.StatusAccepted)
				path := strings.TrimPrefix(sent.header.Get("Location"), "/api/v2")
				process := &mortal{Store: store, left: fatal, how: how}
				if err := s.sweep(process); process.dead && !errors.Is(err, errDead) {
					t.Fatalf("the dying process: %v", err)
				}
				status := s.ask(s.user, http.MethodGet, path, "").want(http.StatusOK).str("status")
				if status == "validating" && s.total() != "0" {
					t.Fatalf("%s %s write %d: records before the commit point", status, deathName(how), fatal)
				}
				// While the lease lasts no other process takes it over; afterwards one
				// does.
				if err := s.sweep(store); err != nil {
					t.Fatal(err)
				}
				s.clock.ms.Add(time.Minute.Milliseconds())
				if err := s.sweep(store); err != nil {
					t.Fatal(err)
				}
				done := s.ask(s.user, http.MethodGet, path, "").want(http.StatusOK)
				if done.str("status") != "completed" || done.number("imported") != "3" || done.number("failed") != "0" || s.total() != "3" {
					t.Fatalf("dying %s write %d, %s records: %s", deathName(how), fatal, s.total(), done.body)
				}
				if left, err := store.OpenImports(t.Context(), "", 9); err != nil || len(left) != 0 {
					t.Fatalf("left: %v, %v", left, err)
				}
				if _, err := store.ImportPart(t.Context(), "org", done.str("_id"), 0); !errors.Is(err, record.ErrNotFound) {
					t.Fatalf("the file still exists: %v", err)
				}
				if !process.dead {
					if fatal < 5 {
						t.Errorf("only %d writes", fatal)
					}
					break
				}
			}
		}
	})
}

// TestAnImportWithAKeyIsOne verifies that a file whose receipt dies at any write, and
// which is sent again with its key, is one import.
func TestAnImportWithAKeyIsOne(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store := open()
		s := newImporting(t, store)
		for fatal, given := 0, true; ; {
			given = !given // every death twice: the second time, what was begun is given up in between
			s.create(0)
			process := &mortal{Store: store, left: fatal, how: before}
			dying := newPair(t, process, s.clock)
			path := "/events/" + s.event + "/waste/import?decimal=comma"
			dying.ask(s.user, http.MethodPost, path, goodFile, "Content-Type", "text/csv", "Idempotency-Key", "k")
			s.clock.ms.Add((20 * time.Second).Milliseconds())
			if given {
				s.clock.ms.Add((2 * time.Minute).Milliseconds())
				if err := s.sweep(store); err != nil {
					t.Fatal(err)
				}
			}
			second := s.send("?decimal=comma", goodFile, "Idempotency-Key", "k").want(http.StatusAccepted)
			third := s.send("?decimal=comma", goodFile, "Idempotency-Key", "k").want(http.StatusAccepted)
			if string(second.body) != string(third.body) || third.header.Get("Location") != second.header.Get("Location") {
				t.Errorf("%s\n%s", second.body, third.body)
			}
			s.clock.ms.Add(time.Minute.Milliseconds())
			if err := s.sweep(store); err != nil {
				t.Fatal(err)
			}
			if s.total() != "3" {
				t.Fatalf("dying before write %d, given up %t: %s records of %s", fatal, given, s.total(), second.body)
			}
			if !process.dead && given {
				break
			}
			if given {
				fatal++
			}
		}
		// One that is never sent again is abandoned, and leaves nothing.
		s.create(0)
		process := &mortal{Store: store, left: 2, how: before}
		newPair(t, process, s.clock).ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/import?decimal=comma", goodFile, "Content-Type", "text/csv")
		s.clock.ms.Add((2 * time.Minute).Milliseconds())
		if err := s.sweep(store); err != nil {
			t.Fatal(err)
		}
		if left, err := store.OpenImports(t.Context(), "", 9); err != nil || len(left) != 0 || s.total() != "0" {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// TestTwoImportersMakeEachRecordOnce verifies that a process that was suspended neither
// blocks the one that took over nor changes anything when it resumes.
func TestTwoImportersMakeEachRecordOnce(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store := open()
		s := newImporting(t, store)
		s.create(0)
		s.send("?decimal=comma", goodFile).want(http.StatusAccepted)
		sleeper := &sleeping{Store: store, asleep: make(chan struct{}), wake: make(chan struct{})}
		woken := make(chan error, 1)
		go func() { woken <- s.sweep(sleeper) }()
		<-sleeper.asleep
		s.clock.ms.Add(time.Minute.Milliseconds())
		if err := s.sweep(store); err != nil {
			t.Fatal(err)
		}
		close(sleeper.wake)
		if err := <-woken; err != nil {
			t.Errorf("the sleeper: %v", err)
		}
		if s.total() != "3" {
			t.Errorf("%s records", s.total())
		}
	})
}

// TestALargeFileThroughTheGateway imports a large file through the gateway, in the
// background, in the order of its rows. The test engine cannot hold as many records in
// an event.
func TestALargeFileThroughTheGateway(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		rows := 3000
		if s.redis != nil {
			rows = 40
		}
		user, manager := s.user(t), s.manager(t)
		event := "/events/" + manager.post("/events", map[string]any{"title": "Large", "country": "GB"}).want(http.StatusCreated).str("_id")
		var file strings.Builder
		file.WriteString("treatment,weightKg,description\n")
		for i := range rows {
			fmt.Fprintf(&file, "landfill,%d,\"%s\"\n", i+1, strings.Repeat("x", 400))
		}
		csv := map[string]string{"Content-Type": "text/csv"}
		sent := user.do(http.MethodPost, event+"/waste/import", file.String(), csv).want(http.StatusAccepted)
		path := strings.TrimPrefix(sent.header.Get("Location"), "/api/v2")
		testkit.Eventually(t, 60*time.Second, func() error {
			if a := user.get(path).want(http.StatusOK); a.str("status") != "completed" {
				return fmt.Errorf("not yet: %s", a.body)
			}
			return nil
		})
		list := user.get(event + "/waste?limit=1").want(http.StatusOK)
		if list.number("pagination", "total") != fmt.Sprint(rows) || list.number("items", 0, "weightKg") != fmt.Sprint(rows) {
			t.Errorf("list: %s", list.body)
		}
		user.do(http.MethodPost, event+"/waste/import", strings.Repeat("x", 17<<20), csv).wantError(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
		if got := len(table(t, user.get(event+"/export"))); got != rows {
			t.Errorf("%d rows exported", got)
		}
		// An exported file can be imported again.
		exported := user.get(event + "/export")
		more := user.do(http.MethodPost, event+"/waste/import", string(exported.body), csv).want(http.StatusAccepted)
		testkit.Eventually(t, 60*time.Second, func() error {
			a := user.get(strings.TrimPrefix(more.header.Get("Location"), "/api/v2")).want(http.StatusOK)
			if a.str("status") != "completed" || a.number("imported") != fmt.Sprint(rows) || len(a.data("ignoredColumns").([]any)) != 0 {
				return fmt.Errorf("not yet: %s", a.body)
			}
			return nil
		})
	})
}

// TestImportOfPaper imports files as offices have them: a workbook, a legacy encoding,
// units in cells, declared date formats.
func TestImportOfPaper(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		last := func() *answer {
			return s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste", "").want(http.StatusOK)
		}
		done := s.outcome("?encoding=windows-1252&dateOrder=dmy&numberFormat=1.234%2C5", "treatment;Weight (t);date;description\nlandfill;1,25;12/05/2026;M\xfcll\n")
		if list := last(); done.str("status") != "completed" || list.number("items", 0, "weightKg") != "1250" || list.str("items", 0, "stated", "weightKg") != "1,25 t" ||
			list.str("items", 0, "date") != "2026-05-12" || list.str("items", 0, "description") != "Müll" {
			t.Errorf("old encoding: %s %s", done.body, last().body)
		}
		f := excelize.NewFile()
		if _, err := f.NewSheet("Bins"); err != nil {
			t.Fatal(err)
		}
		for at, value := range map[string]any{"A1": "treatment", "B1": "weightKg", "A2": "landfill", "B2": "94 lb"} {
			if err := f.SetCellValue("Bins", at, value); err != nil {
				t.Fatal(err)
			}
		}
		book, err := f.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		sent := s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/import?sheet=Bins", book.String(), "Content-Type", workbook.MediaType).want(http.StatusAccepted)
		if err := s.sweep(s.store); err != nil {
			t.Fatal(err)
		}
		if list := last(); list.number("items", 0, "weightKg") != "42.63768278" {
			t.Errorf("workbook: %s %s", sent.body, list.body)
		}
		// A decimal separator that other numbers determine, and numeric cells.
		settled := s.outcome("", "treatment,weightKg\nlandfill,\"12,5\"\nlandfill,1.250\n")
		if list := last(); settled.str("status") != "completed" || list.number("items", 0, "weightKg") != "1250" || list.number("items", 1, "weightKg") != "12.5" {
			t.Errorf("settled: %s %s", settled.body, list.body)
		}
		for at, value := range map[string]any{"A2": "landfill", "B2": 1.125, "A3": "landfill", "B3": "1.200", "A4": "landfill", "B4": "0,5"} {
			if err := f.SetCellValue("Bins", at, value); err != nil {
				t.Fatal(err)
			}
		}
		if book, err = f.WriteToBuffer(); err != nil {
			t.Fatal(err)
		}
		sent = s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/import?sheet=Bins", book.String(), "Content-Type", workbook.MediaType).want(http.StatusAccepted)
		if err := s.sweep(s.store); err != nil {
			t.Fatal(err)
		}
		if list := last(); list.number("items", 0, "weightKg") != "0.5" || list.number("items", 1, "weightKg") != "1200" || list.number("items", 2, "weightKg") != "1.125" {
			t.Errorf("numbers and texts: %s %s", sent.body, list.body)
		}
		for query, file := range map[string]string{"?sheet=Bins": "treatment,weightKg\nlandfill,1\n", "?encoding=latin9": "treatment\n", "?dateOrder=y": "treatment\n", "?decimal=point&numberFormat=1.234%2C5": "treatment\n"} {
			s.send(query, file).want(http.StatusBadRequest)
		}
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/import", "PK\x03\x04", "Content-Type", workbook.MediaType).want(http.StatusBadRequest)
		total := s.outcome("", "treatment,weightKg\nlandfill,1\nTotal,1\n")
		if total.str("status") != "failed" || total.str("errors", 0, "code") != "TOTALS_ROW" || s.total() != "7" {
			t.Errorf("a totals row: %s", total.body)
		}
	})
}
