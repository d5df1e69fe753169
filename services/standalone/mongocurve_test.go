//go:build unix

package standalone_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestCurveOnMongoDB measures what requests cost the services by the size of their
// event on MongoDB: the processor time of this process, in which the services work
// with the driver and without sockets, while the database is another process. Its own
// cost is not told: the engine of the tests reads a whole collection for each command,
// which a server with its indexes does not. The smallest event is stored whole, larger
// ones as [growing.fill] says.
//
// ECF_SCALE=curve plays it in full, up to a million records, and writes the table to
// ECF_CURVE_MONGODB_OUT. [TestRoundTripsToTheStore] and [TestRoutesCostTheSameInEventsOfAnySize]
// count the commands and documents in each run.
func TestCurveOnMongoDB(t *testing.T) {
	// The segments of each size, and how many of them are stored whole.
	sizes, times := [][2]int{{2, 2}}, 1
	out := ""
	if os.Getenv("ECF_SCALE") == "curve" {
		sizes, times = [][2]int{{2, 2}, {41, 1}, {196, 1}, {1954, 1}}, 12
		out = os.Getenv("ECF_CURVE_MONGODB_OUT")
	} else {
		testkit.OnlyLong(t)
	}
	var table strings.Builder
	table.WriteString(testkit.Provenance(t) + "operation\trecords\tn\tprocessor_us\tcommands\tdocuments\n")
	// Sequentially: the engine slows down with the data of larger events.
	for _, s := range sizes {
		org, g := record.OrgID(fmt.Sprint("curve", s[0])), newGrowing(t)
		path, size := "/events/"+string(eventOf(org)), g.fill(org, s[0], s[1], 0)
		g.ask("calculation", org, http.MethodGet, path+"/results")
		approvals, submitted := 0, 0
		var created []string
		for _, operation := range []struct {
			name string
			do   func(i int)
		}{
			{"list", func(i int) {
				page := []int64{1, size / 50, size / 25}[i%3]
				g.ask("records", org, http.MethodGet, fmt.Sprint(path, "/waste?limit=25&page=", page))
			}},
			{"create", func(int) { created = append(created, g.ask("records", org, http.MethodPost, path+"/waste")) }},
			{"submit", func(int) {
				g.ask("records", org, http.MethodPost, path+"/waste/"+created[submitted]+"/submit")
				submitted++
			}},
			{"approve-to-visible", func(int) {
				approvals++
				g.ask("review", org, http.MethodPost, fmt.Sprint(path, "/waste/", idOf(org, int64(approvals)), "/approve"))
				must(t, g.worker.Recalculate(t.Context(), org, eventOf(org)))
				g.ask("calculation", org, http.MethodGet, path+"/results")
			}},
			{"results", func(int) { g.ask("calculation", org, http.MethodGet, path+"/results") }},
		} {
			// Each is done once before, to fill the caches as in a running process.
			operation.do(0)
			// A retry because of a busy machine is counted from its last attempt on: the one with the most commands
			// is complete.
			var most cost
			began := processorTime(t)
			for i := range times {
				if c := g.during(t, func() { operation.do(i) }); len(c.commands) >= len(most.commands) {
					most = c
				}
			}
			mean := (processorTime(t) - began) / time.Duration(times)
			fmt.Fprintf(&table, "%s\t%d\t%d\t%d\t%d\t%d\n", operation.name, size, times, mean.Microseconds(), len(most.commands), most.documents)
			t.Logf("%-20s %9d records: processor %6d µs, %d commands, %d documents", operation.name, size, mean.Microseconds(), len(most.commands), most.documents)
		}
		g.check(org, s[0], approvals)
	}
	if out != "" {
		must(t, os.WriteFile(out, []byte(table.String()), 0o644)) //nolint:gosec // a table for everybody
	}
}

// check compares the event's total with that of its segments and of the decisions in the first.
func (g *growing) check(org record.OrgID, segments, decisions int) {
	g.t.Helper()
	ev, err := g.records.Event(g.t.Context(), org, eventOf(org))
	must(g.t, err)
	_, one, err := record.Evaluate("waste", []byte(`{"treatment":"landfill","weightKg":1234.25}`), nil, ev.Context())
	must(g.t, err)
	whole, err := g.worker.Arithmetic.Sum(slices.Repeat([]json.RawMessage{one}, resulttree.Fanout))
	must(g.t, err)
	parts := append(slices.Repeat([]json.RawMessage{whole}, segments-1), slices.Repeat([]json.RawMessage{one}, resulttree.Fanout-waitingOf+decisions)...)
	sum, err := g.worker.Arithmetic.Sum(parts)
	must(g.t, err)
	want, err := g.worker.Arithmetic.Total(sum)
	must(g.t, err)
	r, err := g.results.Result(g.t.Context(), org, ev.ID)
	must(g.t, err)
	got, err := g.worker.Arithmetic.Total(r.Contribution)
	must(g.t, err)
	if got != want {
		g.t.Errorf("%d segments and %d decisions come to %s, want %s", segments, decisions, got, want)
	}
}

// processorTime is the CPU time of this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
