package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestTheErrorsOfAnImport verifies that all errors are listed, and that the faulty rows
// can be downloaded as a file that imports once it is corrected.
func TestTheErrorsOfAnImport(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		file := "Treatment;Weight Kg;externalReference;mine\n"
		const bad = 130
		for n := range bad {
			file += fmt.Sprintf("landfil;-1;r-%d;\"=cell; %d\"\n", n, n)
		}
		file += "landfill;5;good;x\n"
		done := s.outcome("?partial=true", file)
		if done.number("imported") != "1" || done.number("failed") != "130" || done.number("errorCount") != "260" {
			t.Fatalf("%s", done.body)
		}
		at := "/events/" + s.event + "/imports/" + done.str("_id")
		page := s.ask(s.user, http.MethodGet, at+"/errors?page=3&limit=100", "").want(http.StatusOK)
		if page.number("pagination", "total") != "260" || page.number("items", 59, "row") != "131" || page.str("items", 59, "column") != "Weight Kg" {
			t.Errorf("the last page: %s", page.body)
		}
		rows := s.ask(s.user, http.MethodGet, at+"/bad-rows", "")
		lines := strings.Split(strings.TrimSpace(string(rows.body)), "\r\n")
		if rows.status != http.StatusOK || len(lines) != bad+1 || lines[0] != "Treatment,Weight Kg,externalReference,mine,importErrors" || !strings.HasPrefix(lines[1], `landfil,'-1,r-0,"'=cell; 0","row 2: Treatment: `) {
			t.Fatalf("%d lines, %q, %q", len(lines), lines[0], lines[1])
		}
		mended := s.outcome("", strings.ReplaceAll(strings.ReplaceAll(string(rows.body), "landfil,", "landfill,"), "'-1", "1"))
		if mended.str("status") != "completed" || mended.number("imported") != "130" || strings.Contains(string(mended.body), "importErrors") {
			t.Errorf("corrected: %s", mended.body)
		}
		s.ask(s.user, http.MethodGet, "/events/"+s.event+"/imports/"+mended.str("_id")+"/bad-rows", "").wantError(http.StatusNotFound, "NOT_FOUND")
		list := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/imports", "").want(http.StatusOK)
		if list.number("pagination", "total") != "2" || len(list.str("items", 0, "_id")) == 0 {
			t.Errorf("imports: %s", list.body)
		}
		s.ask("other/bob/admin", http.MethodGet, at+"/errors", "").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	})
}

// TestAnImportOfKnownReferences verifies skip and update, and that a locked record
// makes its row faulty.
func TestAnImportOfKnownReferences(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		const head = "treatment,weightKg,externalReference\n"
		first := head + "landfill,1,a\nlandfill,1,b\nlandfill,1,c\n"
		s.outcome("", first)
		if same := s.outcome("?onDuplicate=update", first); same.number("unchanged") != "3" || same.str("status") != "completed" {
			t.Errorf("the same file as an update: %s", same.body)
		}
		ofC := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/by-reference/c", "").want(http.StatusOK).str("_id")
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/"+ofC+"/submit", "").want(http.StatusOK)
		file := head + "landfill,1,a\nlandfill,2,b\nlandfill,2,c\nlandfill,1,d\n"
		counts := func(a *answer) string {
			return fmt.Sprint(a.str("status"), " ", a.number("imported"), a.number("updated"), a.number("unchanged"), a.number("skipped"), a.number("failed"))
		}
		if dry := s.send("?onDuplicate=update&partial=true", file, "X-Dry-Run", "true").want(http.StatusAccepted); counts(dry) != "completed 11101" {
			t.Errorf("dry run: %s", dry.body)
		}
		if whole := s.outcome("?onDuplicate=update", file); counts(whole) != "failed 00001" || whole.str("errors", 0, "code") != "RECORD_LOCKED" || whole.str("errors", 0, "recordId") != ofC {
			t.Errorf("a locked record: %s", whole.body)
		}
		if part := s.outcome("?onDuplicate=update&partial=true", file); counts(part) != "completed 11101" {
			t.Errorf("partial: %s", part.body)
		}
		if skip := s.outcome("?onDuplicate=skip", head+"landfill,9,a\nlandfill,9,c\nlandfill,1,e\n"); counts(skip) != "completed 10020" {
			t.Errorf("skip: %s", skip.body)
		}
		if b := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/by-reference/b", "").want(http.StatusOK); b.number("weightKg") != "2" || b.number("revision") != "2" {
			t.Errorf("b: %s", b.body)
		}
	})
}

// TestUndoOfAnImport verifies that unchanged records are removed and the others named,
// that a dry run predicts this, and that the file is the same as long as some of them are left.
func TestUndoOfAnImport(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		rows := 60
		if testkit.Long(t) {
			rows = 10_000
		}
		var file strings.Builder
		file.WriteString("treatment,weightKg,externalReference\n")
		for n := range rows {
			fmt.Fprintf(&file, "landfill,%d,r-%d\n", n+1, n)
		}
		done := s.outcome("", file.String())
		at := "/events/" + s.event + "/imports/" + done.str("_id")
		id := func(ref string) string {
			return s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/by-reference/"+ref, "").want(http.StatusOK).str("_id")
		}
		edited, waiting, decided := id("r-1"), id("r-2"), id("r-3")
		s.ask(s.user, http.MethodPatch, "/events/"+s.event+"/waste/"+edited, `{"weightKg":77}`).want(http.StatusOK)
		for _, r := range []string{waiting, decided} {
			s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/"+r+"/submit", "").want(http.StatusOK)
		}
		s.ask(s.manager, http.MethodPost, "/events/"+s.event+"/waste/"+decided+"/approve", "").want(http.StatusOK)
		s.ask("org/eve/user", http.MethodPost, at+"/undo", "").wantError(http.StatusForbidden, "FORBIDDEN")
		want := fmt.Sprint(rows-3, 2, 1)
		counts := func(a *answer) string {
			return fmt.Sprint(a.number("removed"), " ", a.number("kept"), " ", a.number("refused"))
		}
		if dry := s.ask(s.user, http.MethodPost, at+"/undo", "", "X-Dry-Run", "true").want(http.StatusOK); counts(dry) != want || s.total() != fmt.Sprint(rows) {
			t.Fatalf("dry run: %s, want %s, of %s records", counts(dry), want, s.total())
		}
		undone := s.ask(s.user, http.MethodPost, at+"/undo", "").want(http.StatusOK)
		if counts(undone) != want || s.total() != "3" || undone.str("items", 1, "outcome") != "kept" || undone.str("items", 3, "outcome") != "refused" ||
			undone.str("items", 0, "outcome") != "removed" || undone.str("import", "undone", "by", "_id") != "ann" {
			t.Errorf("undone: %s, %s left", counts(undone), s.total())
		}
		if again := s.ask(s.manager, http.MethodPost, at+"/undo", "").want(http.StatusOK); counts(again) != "0 2 1" {
			t.Errorf("once more: %s", again.body)
		}
		s.send("", file.String()).wantError(http.StatusConflict, "DUPLICATE_FILE") // three of its records are left
		s.send("?again=true", file.String()).want(http.StatusAccepted)
		s.send("?onDuplicate=skip", file.String()).want(http.StatusAccepted)
	})
}

// TestAnImportIsSubmittedAndApproved verifies that one request each submits and
// approves an import, and that decisions on many records share one comment.
func TestAnImportIsSubmittedAndApproved(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		done := s.outcome("", "treatment,weightKg,externalReference\nlandfill,1,a\nlandfill,2,b\nlandfill,3,c\n")
		at := "/events/" + s.event + "/imports/" + done.str("_id")
		counts := func(a *answer) string {
			return fmt.Sprint(a.number("moved"), " ", a.number("unchanged"), " ", a.number("refused"))
		}
		move := func(as, name, want string, header ...string) *answer {
			t.Helper()
			a := s.ask(as, http.MethodPost, at+"/"+name, "", header...).want(http.StatusOK)
			if counts(a) != want {
				t.Errorf("%s: %s, want %s: %s", name, counts(a), want, a.body)
			}
			return a
		}
		move(s.manager, "approve", "0 0 3")
		move(s.user, "submit", "3 0 0", "X-Dry-Run", "true")
		submitted := move(s.user, "submit", "3 0 0")
		move(s.user, "submit", "0 3 0")
		var ids []string
		for n := range 3 {
			ids = append(ids, fmt.Sprintf("%q", submitted.str("items", n, "_id")))
		}
		all := "[" + strings.Join(ids, ",") + "]"
		many := func(as, path, body, want string) *answer {
			t.Helper()
			a := s.ask(as, http.MethodPost, "/events/"+s.event+path, body).want(http.StatusOK)
			if got := a.number("succeeded") + " " + a.number("failed"); got != want {
				t.Errorf("%s: %s, want %s: %s", path, got, want, a.body)
			}
			return a
		}
		why := `{"ids":` + all + `,"comment":"Which bin?"}`
		s.ask(s.manager, http.MethodPost, "/events/"+s.event+"/review/request-changes", `{"ids":`+all+`}`).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/review/reject", why).wantError(http.StatusForbidden, "FORBIDDEN")
		sent := many(s.manager, "/review/request-changes", why, "3 0")
		if sent.str("items", 1, "record", "reviewComment") != "Which bin?" || sent.str("items", 2, "record", "status") != "changes_requested" {
			t.Errorf("not every record has the comment: %s", sent.body)
		}
		many(s.manager, "/review/reject", why, "0 3")
		move(s.user, "submit", "3 0 0")
		many(s.user, "/waste/withdraw", `{"ids":`+all+`}`, "3 0")
		move(s.user, "submit", "3 0 0")
		many(s.manager, "/review/reject", why, "3 0")
		many(s.manager, "/review/reopen", why, "3 0")
		move(s.user, "submit", "3 0 0")
		move(s.manager, "approve", "3 0 0")
		many(s.user, "/waste/delete", `{"ids":`+all+`}`, "0 3")
		many(s.manager, "/review/reopen", why, "3 0")
		many(s.user, "/waste/delete", `{"ids":`+all+`}`, "3 0")
		if s.total() != "0" {
			t.Errorf("%s records left", s.total())
		}
	})
}
