package records_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/records"
)

// TestExportEndsWithTheTeam: an export ends when its reader is removed from the event's team, before another record
// is sent.
func TestExportEndsWithTheTeam(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	began := h.send(ada, http.MethodPost, event+"/waste/import", "treatment,weightKg\n"+strings.Repeat("landfill,1\n", 300), "Content-Type", "text/csv").want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+began.text("_id"), "completed")
	read := func(between func()) (string, error) {
		var ctx fasthttp.RequestCtx
		ctx.Request.SetRequestURI("/api/v2" + event + "/export")
		ctx.Request.Header.SetHost("records")
		ctx.Request.Header.Set("Authorization", "Bearer "+ada)
		h.app.Handler()(&ctx)
		if got := ctx.Response.StatusCode(); got != http.StatusOK {
			t.Fatalf("export: %d %s", got, ctx.Response.Body())
		}
		stream := ctx.Response.BodyStream()
		defer func() { _ = ctx.Response.CloseBodyStream() }()
		var text strings.Builder
		piece := make([]byte, 8<<10)
		for first := true; ; first = false {
			n, err := stream.Read(piece)
			text.Write(piece[:n])
			if err != nil {
				return text.String(), err
			}
			if first {
				between()
			}
		}
	}
	if text, err := read(func() {}); err.Error() != "EOF" || strings.Count(text, "\n") != 301 {
		t.Fatalf("a reader who stays: %v, %d lines", err, strings.Count(text, "\n"))
	}
	text, err := read(func() {
		h.send(planck, http.MethodPatch, event, `{"team":{"members":[{"userId":"max","role":"reviewer"}]}}`).want(http.StatusOK, "")
	})
	if err.Error() == "EOF" || strings.Count(text, "\n") > 1 {
		t.Errorf("a reader who was taken out: %v, %d lines", err, strings.Count(text, "\n"))
	}
}

// TestMovesOfImportsEndWithTheRight: submitting, approving and undoing an import end when the session of the caller ends,
// or the caller's role in the event's team, before many more records have moved.
func TestMovesOfImportsEndWithTheRight(t *testing.T) {
	t.Parallel()
	const rows = 200
	const team = `{"team":{"members":[{"userId":"eva","role":"reviewer"},{"userId":"max","role":%q}%s]}}`
	const withAda = `,{"userId":"ada","role":"contributor"}`
	for name, c := range map[string]struct {
		as, move string
		revoke   func(change func(team string), a *webtest.Sessions)
		status   int
		code     string
	}{
		"approval, session": {planck, "approve", func(_ func(string), a *webtest.Sessions) { a.End() }, http.StatusUnauthorized, "UNAUTHENTICATED"},
		"approval, team":    {planck, "approve", func(change func(string), _ *webtest.Sessions) { change(fmt.Sprintf(team, "contributor", withAda)) }, http.StatusForbidden, "FORBIDDEN"},
		"approval, an administrator who leaves the team": {root, "approve", func(change func(string), _ *webtest.Sessions) { change(fmt.Sprintf(team, "reviewer", withAda)) }, http.StatusForbidden, "FORBIDDEN"},
		"submission, team":               {ada, "submit", func(change func(string), _ *webtest.Sessions) { change(fmt.Sprintf(team, "reviewer", "")) }, http.StatusNotFound, "EVENT_NOT_FOUND"},
		"undo of another's import, team": {planck, "undo", func(change func(string), _ *webtest.Sessions) { change(fmt.Sprintf(team, "contributor", withAda)) }, http.StatusForbidden, "FORBIDDEN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			event := h.event()
			h.send(planck, http.MethodPatch, event, fmt.Sprintf(team, "reviewer", withAda+`,{"userId":"root","role":"reviewer"}`)).want(http.StatusOK, "")
			began := h.send(ada, http.MethodPost, event+"/waste/import", "treatment,weightKg\n"+strings.Repeat("landfill,1\n", rows), "Content-Type", "text/csv").want(http.StatusAccepted, "")
			at := event + "/imports/" + began.text("_id")
			h.imported(at, "completed")
			if c.move == "approve" {
				h.send(ada, http.MethodPost, at+"/submit", "").want(http.StatusOK, "")
			}
			quotas, err := settings.ParseQuotas("free=3,team=50,enterprise=unlimited")
			if err != nil {
				t.Fatal(err)
			}
			var verifier webtest.Sessions
			var moved atomic.Int64
			own := h.app
			change := func(team string) {
				if a := webtest.Send(t, own, root, http.MethodPatch, "/api/v2"+event, team); a.Status != http.StatusOK {
					t.Errorf("the team: %d %s", a.Status, a.Body)
				}
			}
			store := recordtest.Replaced{Store: h.store, After: func() {
				if moved.Add(1) == 20 {
					c.revoke(change, &verifier)
				}
			}}
			h.app, err = records.New(records.Deps{Store: store, Notifier: h, Members: members(), Verifier: &verifier, Quotas: quotas, Logger: slog.New(slog.DiscardHandler), Now: h.now})
			if err != nil {
				t.Fatal(err)
			}
			h.send(c.as, http.MethodPost, at+"/"+c.move, "").want(c.status, c.code)
			// Those that move concurrently with the revocation end.
			if n := moved.Load(); n < 20 || n > 60 {
				t.Errorf("%d of %d were moved", n, rows)
			}
		})
	}
}

// TestDeletionsAreNamed: a bulk deletion and the undo of an import name each deleted record in the notes for the
// audit log.
func TestDeletionsAreNamed(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	bring := func() (at string, ids []string) {
		began := h.send(ada, http.MethodPost, event+"/waste/import?again=true", "treatment,weightKg\n"+strings.Repeat("landfill,1\n", 100), "Content-Type", "text/csv").want(http.StatusAccepted, "")
		at = event + "/imports/" + began.text("_id")
		h.imported(at, "completed")
		for _, r := range h.send(ada, http.MethodGet, event+"/waste?limit=100", "").want(http.StatusOK, "").data["items"].([]any) {
			ids = append(ids, r.(map[string]any)["_id"].(string))
		}
		return at, ids
	}
	check := func(what string, a answer, ids []string) {
		t.Helper()
		var notes string
		for _, value := range a.header.Values("X-Ecf-Audit") {
			note, _ := base64.RawURLEncoding.DecodeString(value)
			if len(note) > 1200 {
				t.Errorf("%s: a note of %d bytes", what, len(note))
			}
			notes += string(note)
		}
		if len(ids) != 100 || !strings.Contains(notes, `"record.delete"`) {
			t.Fatalf("%s: %d records, notes %s", what, len(ids), notes)
		}
		for _, id := range ids {
			if !strings.Contains(notes, id) {
				t.Errorf("%s: %s is not named", what, id)
			}
		}
	}
	_, ids := bring()
	check("bulk", h.send(ada, http.MethodPost, event+"/waste/delete", `{"ids":["`+strings.Join(ids, `","`)+`"]}`).want(http.StatusOK, ""), ids)
	at, ids := bring()
	if a := h.send(ada, http.MethodPost, at+"/undo", "", "X-Dry-Run", "true").want(http.StatusOK, ""); a.header.Get("X-Ecf-Audit") != "" {
		t.Error("a rehearsal is in the audit log")
	}
	check("undo", h.send(ada, http.MethodPost, at+"/undo", "").want(http.StatusOK, ""), ids)
}

// TestUndoSurvivesAPanic: in the undo of an import, a record that causes a panic is reported as INTERNAL; the others
// are removed, and the process continues.
func TestUndoSurvivesAPanic(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	began := h.send(ada, http.MethodPost, event+"/waste/import", "treatment,weightKg\n"+strings.Repeat("landfill,1\n", 20), "Content-Type", "text/csv").want(http.StatusAccepted, "")
	at := event + "/imports/" + began.text("_id")
	h.imported(at, "completed")
	first := h.send(ada, http.MethodGet, event+"/waste?limit=1", "").want(http.StatusOK, "").data["items"].([]any)[0].(map[string]any)["_id"].(string)
	quotas, err := settings.ParseQuotas("free=3,team=50,enterprise=unlimited")
	if err != nil {
		t.Fatal(err)
	}
	h.app, err = records.New(records.Deps{Store: brittle{h.store, record.ID(first)}, Notifier: h, Members: members(), Verifier: webtest.Tokens{}, Quotas: quotas,
		Logger: slog.New(slog.DiscardHandler), Now: h.now})
	if err != nil {
		t.Fatal(err)
	}
	undone := h.send(ada, http.MethodPost, at+"/undo", "").want(http.StatusOK, "")
	if undone.data["removed"] != 19.0 || undone.data["refused"] != 1.0 || !strings.Contains(undone.body, `"INTERNAL"`) {
		t.Errorf("undo: %.600s", undone.body)
	}
}

// brittle panics where one record is deleted.
type brittle struct {
	record.Store
	id record.ID
}

func (b brittle) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	if r.ID == b.id {
		panic("a fault of ours")
	}
	return b.Store.ReplaceRecord(ctx, org, r, prevRev)
}

// TestManyEndWithTheRight: what is done to up to 100 records in one request ends when the session of the caller ends,
// however long each takes, and the audit log names those that were deleted until then.
func TestManyEndWithTheRight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path string
		ids          bool
	}{
		{http.MethodPost, "/waste/submit", true},
		{http.MethodPost, "/waste/delete", true},
		{http.MethodPost, "/waste/batch", false},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			event := h.event()
			var made, bodies []string
			for i := range 100 {
				bodies = append(bodies, fmt.Sprintf(`{"treatment":"landfill","weightKg":1,"externalReference":"r%d"}`, i))
			}
			h.send(ada, http.MethodPost, event+"/waste/batch", `{"items":[`+strings.Join(bodies, ",")+`]}`).want(http.StatusOK, "")
			for _, r := range h.send(ada, http.MethodGet, event+"/waste?limit=100", "").want(http.StatusOK, "").data["items"].([]any) {
				made = append(made, r.(map[string]any)["_id"].(string))
			}
			body := `{"ids":["` + strings.Join(made, `","`) + `"]}`
			if !c.ids {
				body = strings.ReplaceAll(`{"onDuplicate":"update","items":[`+strings.Join(bodies, ",")+`]}`, `"weightKg":1`, `"weightKg":2`)
			}
			quotas, err := settings.ParseQuotas("free=3,team=50,enterprise=unlimited")
			if err != nil {
				t.Fatal(err)
			}
			var verifier webtest.Sessions
			var done, late atomic.Int64
			store := recordtest.Replaced{Store: h.store, After: func() {
				late.Add(int64(time.Second)) // each takes a second
				if done.Add(1) == 20 {
					verifier.End()
				}
			}}
			h.app, err = records.New(records.Deps{Store: store, Notifier: h, Members: members(), Verifier: &verifier, Quotas: quotas, Logger: slog.New(slog.DiscardHandler),
				Now: func() time.Time { return h.now().Add(time.Duration(late.Load())) }})
			if err != nil {
				t.Fatal(err)
			}
			a := h.send(ada, c.method, event+c.path, body).want(http.StatusUnauthorized, "UNAUTHENTICATED")
			// Those that are done concurrently with the revocation end.
			n := done.Load()
			if n < 20 || n > 40 {
				t.Errorf("%d of 100 were done", n)
			}
			named := 0
			for _, value := range a.header.Values("X-Ecf-Audit") {
				note, err := base64.RawURLEncoding.DecodeString(value)
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range made {
					named += strings.Count(string(note), id)
				}
			}
			if want := int(n); strings.HasSuffix(c.path, "/delete") && named != want {
				t.Errorf("the audit log names %d records, and %d were deleted", named, want)
			}
		})
	}
}
