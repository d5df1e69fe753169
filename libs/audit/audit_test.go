package audit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestEveryActionIsReportable: a service may report what is done to events and factors of suppliers, and nothing that
// only auth does. An action that is not reportable would be missing from the log.
func TestEveryActionIsReportable(t *testing.T) {
	t.Parallel()
	for _, action := range []record.EventAction{record.EventCreated, record.EventChanged, record.FactorsAdopted, record.EventDeleted, record.ChangeProposed,
		record.ChangeAssessed, record.ChangeApproved, record.ChangeRejected, record.SignOffBegun, record.SignOffFailed, record.SignedOff, record.SignOffWithdrawn} {
		if !audit.Reportable(audit.Event + string(action)) {
			t.Errorf("%s of an event is not reportable", action)
		}
	}
	for _, action := range []record.SupplierAction{record.SupplierCreate, record.SupplierEdit, record.SupplierDelete, record.SupplierApprove,
		record.SupplierReject, record.SupplierWithdraw} {
		if !audit.Reportable(audit.SupplierFactor + string(action)) {
			t.Errorf("%s of a supplier's factor is not reportable", action)
		}
	}
	for _, action := range []string{audit.Forbidden, audit.Limited, audit.Organization, audit.RecordDeleted} {
		if !audit.Reportable(action) {
			t.Errorf("%s is not reportable", action)
		}
	}
	for _, action := range []string{"", "login", "create", "event.", "event.login", "event.event.create", "event.approve", "supplier-factor.sign-off", "user.delete"} {
		if audit.Reportable(action) {
			t.Errorf("%q is reportable", action)
		}
	}
}

// TestNamingNamesEachID: the notes of many ids name each one once, in order, in texts that the log does not truncate,
// and as few of them as possible.
func TestNamingNamesEachID(t *testing.T) {
	t.Parallel()
	list := func(n int, format string) (ids []string) {
		for i := range n {
			ids = append(ids, fmt.Sprintf(format, i))
		}
		return ids
	}
	const short, long = "record%04d", "record%020d" // 91 and 37 of them, with spaces, are 1000 and 998 bytes
	for _, c := range []struct {
		ids   []string
		notes int
	}{
		{nil, 0}, {list(1, short), 1}, {list(2, short), 1}, {list(91, short), 1}, {list(92, short), 2}, {list(182, short), 2}, {list(183, short), 3},
		{list(37, long), 1}, {list(38, long), 2}, {list(1000, long), 28}, {append(list(90, short), "record-long"), 2},
	} {
		n, ids, notes := len(c.ids), c.ids, c.notes
		got := audit.Naming(audit.Note{Action: audit.RecordDeleted, Subject: "/events/e1/waste"}, ids)
		var named []string
		for i, note := range got {
			named = append(named, strings.Fields(note.Before)...)
			part := fmt.Sprintf("part %d of %d", i+1, notes)
			if notes == 1 {
				part = ""
			}
			if note.After != part || len(note.Before) > audit.MaxText || note.Action != audit.RecordDeleted || note.Subject != "/events/e1/waste" {
				t.Errorf("%d ids, note %d: %+v, of %d bytes", n, i, note, len(note.Before))
			}
		}
		if len(got) != notes || !slices.Equal(named, ids) {
			t.Errorf("%d ids: %d notes with %d names", n, len(got), len(named))
		}
	}
}

// TestNotesOfARepeatedAnswer: the notes of a response are the same when it is given again, each with an id of its own.
func TestNotesOfARepeatedAnswer(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	context := func() *fiber.Ctx { return app.AcquireCtx(&fasthttp.RequestCtx{}) }
	attached := func(c *fiber.Ctx) []audit.Note {
		notes, err := audit.Attached(c.Response())
		if err != nil {
			t.Fatal(err)
		}
		return notes
	}
	first := context()
	if err := audit.Attach(first, audit.Note{Action: "replaced"}); err != nil {
		t.Fatal(err)
	}
	if err := audit.Attach(first, audit.Note{Action: "a", Subject: "ü|"}, audit.Note{Action: "b", ID: "e1/2"}, audit.Note{Action: "c"}); err != nil {
		t.Fatal(err)
	}
	held, err := audit.Hold(first, "once")
	want := []audit.Note{{Action: "a", Subject: "ü|", ID: "once"}, {Action: "b", ID: "e1/2"}, {Action: "c", ID: "once-2"}}
	if got := attached(first); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("held as %+v, %v", got, err)
	}
	again := context()
	audit.Reattach(again, held)
	if got := attached(again); !reflect.DeepEqual(got, want) {
		t.Errorf("given again as %+v", got)
	}
	none := context()
	if held, err := audit.Hold(none, "once"); held != "" || err != nil {
		t.Errorf("of no notes %q, %v", held, err)
	}
	audit.Reattach(none, "")
	if got := attached(none); got != nil {
		t.Errorf("no notes are given again as %+v", got)
	}
	audit.Reattach(none, "!")
	if notes, err := audit.Attached(none.Response()); err == nil {
		t.Errorf("what is no note is read as %+v", notes)
	}
}

// TestRemoteIsToldOfEachFailure: a report is stored only if auth says so. It has the token of who acted, if any.
func TestRemoteIsToldOfEachFailure(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	var tokens, paths []string
	var got audit.Report
	auth := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens, paths = append(tokens, r.Header.Get("Authorization")), append(paths, r.Method+" "+r.URL.Path)
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v, %v", err, r.Header)
		}
		w.WriteHeader(status)
	}))
	log := audit.NewRemote(auth.URL+"/", nil)
	report := audit.Report{Note: audit.Note{Action: audit.Limited, Refused: "RATE_LIMITED"}, Address: "192.0.2.1", RequestID: "r1"}
	for _, token := range []string{"token", ""} {
		if err := log.Record(t.Context(), token, report); err != nil || got != report {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if !slices.Equal(tokens, []string{"Bearer token", ""}) || !slices.Equal(paths, []string{"POST " + audit.Path, "POST " + audit.Path}) {
		t.Errorf("%q, %q", tokens, paths)
	}
	for _, status = range []int{http.StatusAccepted, http.StatusUnauthorized, http.StatusServiceUnavailable} {
		if err := log.Record(t.Context(), "token", report); err == nil {
			t.Errorf("%d is taken for success", status)
		}
	}
	auth.Close()
	if err := log.Record(t.Context(), "token", report); err == nil {
		t.Error("nobody there is taken for success")
	}
}
