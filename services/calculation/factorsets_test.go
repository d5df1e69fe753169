package calculation_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func TestFactorSets(t *testing.T) {
	t.Parallel()
	s := start(t)
	sets := factors.Sets()
	a := s.get("/factor-sets").want(http.StatusOK)
	if a.data("pagination", "total") != fmt.Sprint(len(sets)) || a.count("items") != len(sets) {
		t.Fatalf("list: %.500s", a.body)
	}
	for i, set := range sets {
		if a.data("items", i, "id") != set.ID || a.data("items", i, "version") != set.Checksum || a.data("items", i, "year") != fmt.Sprint(set.Year) ||
			a.data("items", i, "factors") != fmt.Sprint(len(set.Factors())) {
			t.Errorf("set %s: %.500s", set.ID, a.body)
		}
		sum := 0
		for k := range a.count("items", i, "sources") {
			var n int
			if _, err := fmt.Sscan(a.data("items", i, "sources", k, "factors"), &n); err != nil || a.data("items", i, "sources", k, "licence") == "" {
				t.Errorf("source %d of %s", k, set.ID)
			}
			sum += n
		}
		if sum != len(set.Factors()) {
			t.Errorf("the sources of %s have %d of %d factors", set.ID, sum, len(set.Factors()))
		}
		lines := a.at("data", "items", i, "attributions").([]any)
		if !slices.Contains(lines, any("Contains public sector information licensed under the Open Government Licence v3.0.")) {
			t.Errorf("attributions of %s: %v", set.ID, lines)
		}
	}
	// All pages of a set are all its rows.
	set := sets[0]
	var ids []string
	notUsed := 0
	for page := 1; ; page++ {
		a := s.get(fmt.Sprintf("/factor-sets/%s?limit=100&page=%d", set.ID, page)).want(http.StatusOK)
		if a.data("id") != set.ID || a.data("pagination", "total") != fmt.Sprint(len(set.Factors())) {
			t.Fatalf("set: %.500s", a.body)
		}
		if a.count("items") == 0 {
			break
		}
		for i := range a.count("items") {
			ids = append(ids, a.data("items", i, "id"))
			// A row that no record uses is served with the reason, and no other is.
			reason := footprint.NotUsed(set, a.data("items", i, "series"))
			if reason != "" {
				notUsed++
			} else {
				reason = "<nil>"
			}
			if got := a.data("items", i, "notUsed"); got != reason {
				t.Errorf("%s: %q, want %q", a.data("items", i, "id"), got, reason)
			}
		}
	}
	for i, f := range set.Factors() {
		if len(ids) != len(set.Factors()) || ids[i] != f.ID {
			t.Fatalf("%d rows listed, %d held", len(ids), len(set.Factors()))
		}
	}
	if notUsed == 0 {
		t.Error("no row says that it is not used")
	}
	s.get("/factor-sets/desnz-1926").wantError(http.StatusNotFound, "NOT_FOUND")
	s.get("/factor-sets?page=x").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	s.call(http.MethodGet, "/api/v2/factor-sets", "nobody", nil).wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
}

// TestASetThatCannotBeReadIsAnOutage: if the store of packs is unavailable, it is unknown whether a set exists, so
// the error is not that it does not.
func TestASetThatCannotBeReadIsAnOutage(t *testing.T) {
	t.Parallel()
	t.Cleanup(factors.Follow(func(_ context.Context, id string) (*factors.Set, error) {
		if id == "store-away-v1" {
			return nil, apperr.New(apperr.Unavailable, "The database cannot be reached right now.")
		}
		return nil, factors.ErrNotHeld
	}))
	s := start(t)
	s.get("/factor-sets/store-away-v1").wantError(http.StatusServiceUnavailable, "UNAVAILABLE")
	s.get("/factor-sets/nobody-has-it-v1").wantError(http.StatusNotFound, "NOT_FOUND")
	for _, path := range []string{"/api/v2/events/e1/factor-set", "/api/v2/events/e1/results/rehearsal"} {
		s.call(http.MethodPost, path, "org1.manager", map[string]any{"factorSet": "store-away-v1"}).wantError(http.StatusServiceUnavailable, "UNAVAILABLE")
		s.call(http.MethodPost, path, "org1.manager", map[string]any{"factorSet": "nobody-has-it-v1"}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	}
}

// newest and the one before it.
func twoSets(t *testing.T) (newest, older string) {
	t.Helper()
	sets := factors.Sets()
	if len(sets) < 2 {
		t.Fatal("one factor set alone cannot be left for another")
	}
	return sets[0].ID, sets[1].ID
}

func TestAdoptAnotherFactorSet(t *testing.T) {
	t.Parallel()
	s := start(t)
	newest, older := twoSets(t)
	conference(s)
	before := s.of("").want(http.StatusOK)
	if before.data("factorSet", "id") != newest {
		t.Fatalf("the event has the set %s", before.data("factorSet", "id"))
	}
	path := "/api/v2/events/e1/factor-set"
	adopt := func(set string, header ...string) reply {
		return s.call(http.MethodPost, path, "org1.manager", map[string]any{"factorSet": set}, header...)
	}
	rehearsed := adopt(older, "X-Dry-Run", "true").want(http.StatusOK)
	if rehearsed.data("from", "id") != newest || rehearsed.data("to", "id") != older ||
		rehearsed.data("before", "kgCO2e") != before.data("total", "kgCO2e") || rehearsed.header.Get("X-Dry-Run") != "true" {
		t.Fatalf("rehearsal: %.800s", rehearsed.body)
	}
	if now := s.of(""); now.data("factorSet", "id") != newest || now.data("status") != "current" || now.data("revision") != "1" || s.bulk.notified.Load() != 0 {
		t.Fatalf("a rehearsal changed something: %.400s", now.body)
	}
	// Only a manager of this organization may.
	s.call(http.MethodPost, path, "org1.user", map[string]any{"factorSet": older}).wantError(http.StatusForbidden, "FORBIDDEN")
	s.call(http.MethodPost, path, "org2.admin", map[string]any{"factorSet": older}).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	unknown := adopt("desnz-1926").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	if unknown.text("error", "details", 0, "code") != "UNKNOWN_FACTOR_SET" || unknown.text("error", "details", 0, "suggestions", 0) != newest {
		t.Errorf("unknown set: %s", unknown.body)
	}
	s.call(http.MethodPost, path, "org1.manager", nil).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	adopt(older, "If-Match", `"7.e1"`).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")

	adopted := adopt(older, "If-Match", `"1.e1"`).want(http.StatusOK)
	if adopted.header.Get("ETag") != s.eventNow().ETag() {
		t.Errorf("the entity tag is %s, and the event has %s", adopted.header.Get("ETag"), s.eventNow().ETag())
	}
	if string(adopted.body) != string(rehearsed.body) || adopted.header.Get("X-Dry-Run") != "" || s.bulk.notified.Load() != 1 {
		t.Fatalf("adopted: %.800s", adopted.body)
	}
	if now := s.of(""); now.data("status") != "recalculating" {
		t.Errorf("status %s", now.data("status"))
	}
	s.settle()
	now := s.of("").want(http.StatusOK)
	if now.data("factorSet", "id") != older || now.data("status") != "current" || now.data("revision") != "2" {
		t.Fatalf("after: %.400s", now.body)
	}
	// The result equals the dry run, to the last digit.
	if now.data("total", "kgCO2e") != rehearsed.data("after", "total", "kgCO2e") || now.data("byType") != rehearsed.data("after", "byType") {
		t.Errorf("rehearsed %s, came %s", rehearsed.data("after", "total", "kgCO2e"), now.data("total", "kgCO2e"))
	}
	// A repeated request with one key is answered as the first was.
	key := []string{"Idempotency-Key", "adopt-1"}
	first := adopt(newest, key...).want(http.StatusOK)
	repeated := adopt(newest, key...).want(http.StatusOK)
	if string(first.body) != string(repeated.body) || repeated.header.Get("Idempotent-Replayed") != "true" || s.bulk.notified.Load() != 2 {
		t.Errorf("repeated: %.300s", repeated.body)
	}
	adopt(older).want(http.StatusOK)
	s.settle()
	// The old revision is unchanged.
	if old := s.of("/1").want(http.StatusOK); old.data("total", "kgCO2e") != before.data("total", "kgCO2e") || old.data("factorSet", "id") != newest {
		t.Errorf("the first revision: %.400s", old.body)
	}
	// What the event has already changes nothing, nor does a dry run, which has nothing for the audit log.
	settled := s.eventNow().ETag()
	for set, header := range map[string][]string{older: nil, newest: {"X-Dry-Run", "true"}} {
		again := adopt(set, header...).want(http.StatusOK)
		if (again.data("differenceKgCO2e") == "0.000000") != (set == older) || s.bulk.notified.Load() != 3 || s.eventNow().ETag() != settled ||
			set == newest && again.header.Get("X-Ecf-Audit") != "" {
			t.Errorf("adopting %s %v: %v %.400s", set, header, again.header, again.body)
		}
	}
}

func TestAdoptBeforeAnythingIsApproved(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, older := twoSets(t)
	a := s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"factorSet": older}).want(http.StatusOK)
	if a.data("before") != "<nil>" || a.data("after") != "<nil>" {
		t.Fatalf("%s", a.body)
	}
	ev, err := s.records.Event(t.Context(), org, "e1")
	if err != nil || ev.FactorSet != older || ev.Rev != 2 || ev.ContextRev != 2 || ev.Mark == "" {
		t.Fatalf("%v %+v", err, ev)
	}
}

// TestAdoptAnotherEngine: a dry run shows the interval by the new engine, the adoption produces exactly that, and the
// difference attributes the change of interval and categories to the method, with an unchanged total.
func TestAdoptAnotherEngine(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	// Business travel by engine 1.2.0, optional by 2.0.0.
	s.add("flights", `{"from":"LHR","to":"CDG","passengers":1,"group":"other"}`, record.Approved)
	s.settle()
	before := s.of("").want(http.StatusOK)
	path := "/api/v2/events/e1/factor-set"
	adopt := func(body map[string]any, header ...string) reply {
		return s.call(http.MethodPost, path, "org1.manager", body, header...)
	}
	rehearsed := adopt(map[string]any{"engine": "2.0.0"}, "X-Dry-Run", "true").want(http.StatusOK)
	if rehearsed.data("fromEngine") != "1.2.0" || rehearsed.data("toEngine") != "2.0.0" || rehearsed.data("from", "id") != rehearsed.data("to", "id") ||
		rehearsed.data("differenceKgCO2e") != "0.000000" || rehearsed.data("after", "total", "low") == before.data("total", "low") {
		t.Fatalf("rehearsal: %.800s", rehearsed.body)
	}
	if now := s.of(""); now.data("engineVersion") != "1.2.0" || now.data("revision") != before.data("revision") {
		t.Fatalf("a rehearsal changed something: %.400s", now.body)
	}
	adopt(map[string]any{"engine": "9.0.0"}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	adopt(map[string]any{}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	adopted := adopt(map[string]any{"engine": "2.0.0", "comment": "intervals"}).want(http.StatusOK)
	if last := s.eventNow().Last; last.Action != record.FactorsAdopted || last.Comment != "intervals" || last.By.ID != someManager.ID {
		t.Errorf("the last entry of the event is %+v", last)
	}
	s.settle()
	now := s.of("").want(http.StatusOK)
	if now.data("engineVersion") != "2.0.0" || now.data("total", "low") != adopted.data("after", "total", "low") || now.data("total", "kgCO2e") != before.data("total", "kgCO2e") {
		t.Fatalf("adopted %.400s, came %.400s", adopted.body, now.body)
	}
	d := s.of("/" + before.data("revision") + "/diff/" + now.data("revision")).want(http.StatusOK)
	if d.count("parts") == 0 || d.data("parts", 0, "kind") != "method_changed" || d.data("parts", 0, "kgCO2e") != "0.000000" {
		t.Errorf("parts: %.600s", d.body)
	}
	for i, end := range []string{"low", "high"} {
		if d.data("intervals", i, "figure") != end || d.data("intervals", i, "from") != before.data("total", end) || d.data("intervals", i, "to") != now.data("total", end) ||
			d.data("intervals", i, "parts", 0, "kind") != "method_changed" || d.data("intervals", i, "parts", 0, "kgCO2e") != d.data("intervals", i, "difference") {
			t.Errorf("interval: %.900s", d.body)
		}
	}
	if d.count("categories") == 0 {
		t.Errorf("no category moved: %.900s", d.body)
	}
}

// TestAllocationsOfFactorSets: the description of a set is derived from thousands of rows, but must cost no more than
// a short request.
func TestAllocationsOfFactorSets(t *testing.T) {
	testkit.WithoutRace(t)
	s := start(t)
	rows := 0
	for _, set := range factors.Sets() {
		rows += len(set.Factors())
	}
	for _, path := range []string{"/factor-sets", "/factor-sets/" + factors.Sets()[0].ID + "?limit=25"} {
		took := testing.AllocsPerRun(5, func() { s.get(path).want(http.StatusOK) })
		t.Logf("%s: %.0f allocations, of %d rows", path, took, rows)
		if took > float64(rows)/2 {
			t.Errorf("%s allocates %.0f times, as if it read all %d rows", path, took, rows)
		}
	}
}
