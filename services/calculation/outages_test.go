package calculation_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestResultsWhileMongoDBFails lets each command that reads a result fail: transiently, then together with all later
// ones, and by a broken connection while four requests share two. The response is the result, or 503 with
// Retry-After: never an internal error.
func TestResultsWhileMongoDBFails(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	client, err := mongox.Connect(testkit.LongLimits(through)+"&maxPoolSize=2", mongox.Options{AppName: "test"})
	must(err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	records, err := recordmongo.New(t.Context(), client.Database(database))
	must(err)
	results, err := mongostore.New(t.Context(), client.Database(database))
	must(err)
	s := start(t)
	_, err = records.InsertEvent(t.Context(), org, s.event, record.Unlimited)
	must(err)
	_, err = records.InsertRecord(t.Context(), org, s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved))
	must(err)
	must(resulttree.NewRecalculator(records, results, s.now).Recalculate(t.Context(), org, s.event.ID))
	// A new service has no caches.
	read := func(n int) []webtest.Answer {
		app, err := calculation.New(calculation.Deps{Records: records, Results: results, Notifier: s, Verifier: tokens{}, Logger: slog.New(slog.DiscardHandler), Now: s.now})
		must(err)
		answers := make([]webtest.Answer, n)
		var together sync.WaitGroup
		for i := range answers {
			together.Go(func() {
				answers[i] = webtest.Send(t, app, "org1.user", http.MethodGet, "/api/v2/events/e1/results", "")
			})
		}
		together.Wait()
		return answers
	}
	cut := make(chan struct{})
	close(cut)
	for _, c := range []struct {
		name  string
		fault testkit.Fault
		most  int // commands in the short form: the driver monitors the server half a second later
	}{
		{"a conflict", testkit.Fault{Code: 112}, 99}, {"a deadlock, and all that is asked after it", testkit.Fault{Code: 1, Lasts: true}, 99},
		{"a broken connection", testkit.Fault{Cut: cut}, 2},
	} {
		for nth, met := 1, true; met && (nth <= c.most || testkit.Long(t)); nth++ {
			between.Fail("any", nth, c.fault)
			for _, a := range read(4) {
				if a.Status != http.StatusOK && (a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "") {
					t.Errorf("%s at command %d: %d %s", c.name, nth, a.Status, a.Body)
				}
			}
			met = between.Met()
			between.Fail("", 0, testkit.Fault{})
			if !met && nth == 1 {
				t.Errorf("%s: nothing was asked", c.name)
			}
		}
	}
	if a := read(1)[0]; a.Status != http.StatusOK {
		t.Errorf("afterwards: %d %s", a.Status, a.Body)
	}
}
