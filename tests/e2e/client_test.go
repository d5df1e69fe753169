package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

// client logs in with the API client; every request and response is checked against the
// document.
func (s *system) client(t *testing.T, email string) *client.Client {
	t.Helper()
	c, err := client.New(s.url, client.Options{HTTP: &http.Client{Transport: &validating{t: t}}, PollInterval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Login(t.Context(), email, password); err != nil {
		t.Fatal(err)
	}
	return c
}

// got stops the test at an error.
func got[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestClient plays the main flow with the Go client on both engines.
func TestClient(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		ctx := t.Context()
		user, manager := s.client(t, "user@example.test"), s.client(t, "manager@example.test")
		if me := got[*client.Me](t)(user.Me(ctx)); me.Email != "user@example.test" || me.Role != client.RoleUser {
			t.Errorf("me: %+v", me)
		}
		_, err := user.CreateEvent(ctx, client.EventInput{Title: "No"})
		if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Code != client.CodeForbidden || refused.Status != http.StatusForbidden || refused.RequestID == "" {
			t.Errorf("a user creates an event: %v", err)
		}

		// The same key creates one event, however often it is sent.
		var first, again client.Meta
		in := client.EventInput{Title: "Conference", Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: new(10)}
		event := got[*client.Event](t)(manager.CreateEvent(ctx, in, client.IdempotencyKey("conference"), client.WithMeta(&first)))
		twice := got[*client.Event](t)(manager.CreateEvent(ctx, in, client.IdempotencyKey("conference"), client.WithMeta(&again)))
		if event.ID != twice.ID || first.Replayed || !again.Replayed || *event.Attendees != 10 {
			t.Errorf("%+v, %+v, replayed %v", event, twice, again.Replayed)
		}

		// A dry run leaves nothing behind.
		flight := client.Flight{From: "lhr", To: "JFK", Class: "Economy", Passengers: 1}
		rehearsed := got[*client.Record](t)(user.CreateRecord(ctx, event.ID, flight, client.DryRun()))
		if n := got[*client.Page[client.Record]](t)(user.ListRecords(event.ID, "flights").Page(ctx, 1, 0)).Pagination.Total; n != 0 {
			t.Errorf("%d records after a dry run", n)
		}
		record := got[*client.Record](t)(user.CreateRecord(ctx, event.ID, flight))
		var read client.Flight
		if err := record.Input(&read); err != nil || read.From != "LHR" || record.Footprint.KgCO2e != rehearsed.Footprint.KgCO2e || record.Footprint.KgCO2e != 784_717_344 {
			t.Errorf("%+v, %v, dry run %+v", record, err, rehearsed.Footprint)
		}
		_, err = user.CreateRecord(ctx, event.ID, client.Flight{From: "LHR", To: "JKF", Passengers: 0})
		if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Code != client.CodeValidationError || len(refused.Details) != 2 || refused.Details[0].Suggestions[0] != "JFK" {
			t.Errorf("two faults: %v", err)
		}

		// A change since the read prevents an approval.
		var seen client.Meta
		got[*client.Record](t)(manager.GetRecord(ctx, record.Ref(), client.WithMeta(&seen)))
		if _, err := manager.GetRecord(ctx, record.Ref(), client.IfNoneMatch(seen.ETag)); !errors.Is(err, client.ErrNotModified) {
			t.Errorf("read again: %v", err)
		}
		got[*client.Record](t)(user.UpdateRecord(ctx, record.Ref(), client.RecordPatch{"passengers": 2, "class": "economy"}, client.IfMatch(seen.ETag)))
		got[*client.Record](t)(user.SubmitRecord(ctx, record.Ref()))
		if _, err := manager.ApproveRecord(ctx, record.Ref(), "", client.IfMatch(seen.ETag)); client.CodeOf(err) != client.CodePreconditionFailed {
			t.Errorf("approved an outdated revision: %v", err)
		}

		// Many records at once: a batch and a file.
		batch := got[*client.Outcomes](t)(user.CreateRecords(ctx, event.ID, []client.RecordInput{
			client.Waste{Treatment: "landfill", WeightKg: new(50.0), Common: client.Common{ExternalReference: "W-1"}},
			client.Waste{Treatment: "landfill", WeightKg: new(-1.0)},
		}))
		if batch.Succeeded != 1 || batch.Failed != 1 || batch.Items[1].Error.Code != client.CodeValidationError || batch.Items[0].Record.ExternalReference != "W-1" {
			t.Errorf("batch: %+v", batch)
		}
		file := strings.NewReader("nights,rooms,city\n" + strings.Repeat("2,10,London\n", 3))
		begun := got[*client.Import](t)(user.ImportRecords(ctx, event.ID, "accommodation", file, client.ImportOptions{}))
		looks := 0
		if done := got[*client.Import](t)(user.WaitForImport(ctx, event.ID, begun.ID, func(*client.Import) { looks++ })); done.Status != "completed" || done.Imported != 3 || looks == 0 {
			t.Errorf("import: %+v after %d looks", done, looks)
		}
		var ids []string
		for r, err := range user.ListRecords(event.ID, "accommodation").All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, r.ID)
		}
		got[*client.Outcomes](t)(user.SubmitRecords(ctx, event.ID, "accommodation", ids))
		got[*client.Outcomes](t)(user.SubmitRecords(ctx, event.ID, "waste", []string{batch.Items[0].Record.ID}))

		preview := got[*client.Preview](t)(manager.PreviewResult(ctx, event.ID))
		var queued []string
		for item, err := range manager.ListEventReviewQueue(event.ID).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if item.Review.KgCO2e == nil || item.Status != client.StatusSubmitted {
				t.Errorf("queue: %+v", item)
			}
			queued = append(queued, item.ID)
		}
		if approved := got[*client.Outcomes](t)(manager.ApproveRecords(ctx, event.ID, queued)); approved.Succeeded != 5 {
			t.Errorf("approved: %+v", approved)
		}

		// 2 × 784.717344 + 3 × 2 × 10 × 11.5 + 0.05 × 520.58023
		const want = 1569_434_689 + 690_000_000 + 26_029_012
		result := got[*client.Result](t)(user.WaitForResult(ctx, event.ID))
		if k := result.Total.KgCO2e; k != want || k != preview.Total.KgCO2e || result.Counts.Approved != 5 {
			t.Errorf("total %s, preview %s, want %s", k, preview.Total.KgCO2e, client.Kilograms(want))
		}
		var explained client.Kilograms
		for r, err := range user.ExplainResult(event.ID).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range r.Lines {
				explained += line.KgCO2e
			}
		}
		if explained != want {
			t.Errorf("the lines add up to %s", explained)
		}
		report := got[io.ReadCloser](t)(user.GetReport(ctx, event.ID, client.Bundle))
		text, err := io.ReadAll(report)
		if err := errors.Join(err, report.Close()); err != nil || !strings.Contains(string(text), fmt.Sprintf(`"kgCO2e":%s`, client.Kilograms(want))) {
			t.Errorf("report: %v", err)
		}

		// A client that has logged out is refused without a retry.
		if err := user.Logout(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := user.Me(ctx); client.CodeOf(err) != client.CodeUnauthenticated {
			t.Errorf("after the logout: %v", err)
		}
	})
}
