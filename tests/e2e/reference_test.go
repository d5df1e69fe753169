package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// table parses a CSV response into one map per row, by column.
func table(t *testing.T, a *answer) []map[string]string {
	t.Helper()
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%s: %d %v: %s", a.what, a.status, a.header, a.body)
	}
	lines, err := csv.NewReader(bytes.NewReader(a.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// TestExportHoldsEverything verifies that the export has every record, including
// drafts, that every field reads back as it was sent, and that no cell begins a
// formula.
func TestExportHoldsEverything(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store, clock := open(), newMovable()
		for _, org := range []string{"org", "other"} {
			if err := store.InsertOrganization(t.Context(), record.Organization{ID: record.OrgID(org), Name: org, Plan: "team", Rev: 1, CreatedAt: clock.now()}); err != nil {
				t.Fatal(err)
			}
		}
		s := &stage{pair: newPair(t, store, clock), store: store, org: "org", user: "org/=ann/user", manager: "org/mia/manager"}
		s.create(0)
		empty := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/export", "")
		if rows := table(t, empty); len(rows) != 0 || !strings.HasPrefix(string(empty.body), "_id,type,status,") {
			t.Errorf("empty: %s", empty.body)
		}
		odd := []string{"=cmd|' /C calc'!A0", "+1", "-1", "@x", "'quoted", "a,b;c\"d\"\r\ne", "  spaces ", "東京 <&>", "plain"}
		for i, text := range odd {
			body, err := json.Marshal(map[string]any{"treatment": "landfill", "weightKg": i + 1, "description": text,
				"metadata": map[string]string{"k": text}, "evidence": []map[string]string{{"name": "x"}}})
			if err != nil {
				t.Fatal(err)
			}
			s.ids = append(s.ids, s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", string(body)).want(http.StatusCreated).str("_id"))
		}
		flight := s.ask(s.user, http.MethodPost, "/events/"+s.event+"/flights", `{"from":"lhr","to":"JFK","via":["KEF"],"passengers":2,"roundTrip":true}`).want(http.StatusCreated).str("_id")
		s.move(s.user, s.ids[0], "submit")
		s.ask(s.manager, http.MethodPost, "/events/"+s.event+"/waste/"+s.ids[0]+"/reject", `{"comment":"=1+1"}`).want(http.StatusOK)
		s.ask(s.user, http.MethodDelete, "/events/"+s.event+"/waste/"+s.ids[8], "").want(http.StatusOK)

		a := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/export", "")
		rows := table(t, a)
		if len(rows) != len(odd) || rows[0]["_id"] != flight || rows[0]["via"] != `["KEF"]` || rows[0]["roundTrip"] != "true" || rows[0]["from"] != "LHR" || rows[0]["weightKg"] != "" {
			t.Fatalf("%d rows: %s", len(rows), a.body)
		}
		for i, row := range rows[1:] {
			if row["_id"] != s.ids[i] || sheet.Unguard(row["description"]) != strings.ReplaceAll(odd[i], "\r\n", "\n") /* of the reader */ || row["weightKg"] != fmt.Sprint(i+1) || row["createdByName"] != "'=ann" {
				t.Errorf("%v", row)
			}
			var metadata map[string]string
			if err := json.Unmarshal([]byte(row["metadata"]), &metadata); err != nil || metadata["k"] != odd[i] {
				t.Errorf("%s: %v", row["metadata"], err)
			}
			shown := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/"+s.ids[i], "").want(http.StatusOK)
			if row["kgCO2e"] != shown.number("footprint", "kgCO2e") || row["status"] != shown.str("status") || row["createdAt"] != shown.str("createdAt") {
				t.Errorf("%v\n%s", row, shown.body)
			}
		}
		if rows[1]["status"] != "rejected" || rows[1]["reviewComment"] != "'=1+1" || rows[1]["submitted"] != "true" {
			t.Errorf("%v", rows[1])
		}
		for _, row := range rows {
			for name, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
					t.Errorf("%s begins a formula: %q", name, cell)
				}
			}
		}
		s.ask("other/bob/admin", http.MethodGet, "/events/"+s.event+"/export", "").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	})
}

func TestRecordTypesAndLocations(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		p := newPair(t, open(), newMovable())
		const user = "org/ann/user"
		list := p.ask(user, http.MethodGet, "/record-types?limit=100", "").want(http.StatusOK)
		types := footprint.Types()
		if list.number("pagination", "total") != fmt.Sprint(len(types)) {
			t.Errorf("types: %s", list.body)
		}
		for i, typ := range types {
			one := p.ask(user, http.MethodGet, "/record-types/"+typ, "").want(http.StatusOK)
			if list.str("items", i, "type") != typ || one.str("type") != typ || one.str("description") == "" || one.str("formula") == "" ||
				one.str("schema", "type") != "object" || one.header.Get("ETag") == "" {
				t.Errorf("%s: %s", typ, one.body)
			}
			template := p.ask(user, http.MethodGet, "/record-types/"+typ+"/template", "")
			// The template of attendee-travel is that of its origins: a header and no
			// rows.
			origins := typ == "attendee-travel" && strings.HasPrefix(string(template.body), "place,")
			if rows := table(t, template); len(rows) != len(footprint.Examples(typ)) && !origins {
				t.Errorf("template of %s: %s", typ, template.body)
			}
			if again := p.ask(user, http.MethodGet, "/record-types/"+typ+"/template", "", "If-None-Match", template.header.Get("ETag")); again.status != http.StatusNotModified {
				t.Errorf("template of %s again: %d", typ, again.status)
			}
		}
		p.ask(user, http.MethodGet, "/record-types/Flights", "").wantError(http.StatusNotFound, "TYPE_NOT_FOUND")
		p.ask(user, http.MethodGet, "/record-types/flights/schema", "").wantError(http.StatusNotFound, "NOT_FOUND")
		for path, want := range map[string]string{
			"/event": "GET /events", "/record-type/flights": "GET /record-types/{type}", "/organisation": "GET /organization",
			"/events/7n2k/report":   "GET /events/{eventId}/results/report", // of another service than the records of types
			"/events/7n2k/nonsense": "", "/nonsense": "",
		} {
			var e struct {
				Error struct {
					Details []struct {
						Code        string
						Suggestions []string
					}
				}
			}
			a := p.ask(user, http.MethodGet, path, "")
			if err := json.Unmarshal(a.body, &e); err != nil || a.status != http.StatusNotFound {
				t.Fatalf("%s: %d %s", path, a.status, a.body)
			}
			got := ""
			for _, d := range e.Error.Details {
				if d.Code == "UNKNOWN_ROUTE" {
					got = d.Suggestions[0]
				}
			}
			if got != want {
				t.Errorf("%s: suggests %q, want %q", path, got, want)
			}
		}

		plain := p.ask(user, http.MethodGet, "/locations/index", "").want(http.StatusOK)
		packed := p.ask(user, http.MethodGet, "/locations/index", "", "Accept-Encoding", "gzip")
		unpacker, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(unpacker)
		if err != nil || !bytes.Equal(unpacked, plain.body) || packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("ETag") == plain.header.Get("ETag") {
			t.Errorf("packed: %v, %v", err, packed.header)
		}
		if n := len(plain.data("items").([]any)); n != len(locations.Entries()) {
			t.Errorf("%d places", n)
		}
		for _, a := range []*answer{plain, packed} {
			again := p.ask(user, http.MethodGet, "/locations/index", "", "Accept-Encoding", a.header.Get("Content-Encoding"), "If-None-Match", a.header.Get("ETag"))
			if again.status != http.StatusNotModified || len(again.body) != 0 {
				t.Errorf("again: %d, %d bytes", again.status, len(again.body))
			}
		}
		lhr := p.ask(user, http.MethodGet, "/locations/lhr", "").want(http.StatusOK)
		if lhr.str("code") != "LHR" || lhr.str("country") != "GB" || !strings.HasPrefix(lhr.number("latitude"), "51.4") {
			t.Errorf("LHR: %s", lhr.body)
		}
		p.ask(user, http.MethodGet, "/locations/EGLL", "").want(http.StatusOK)
		p.ask(user, http.MethodGet, "/locations/LON", "").want(http.StatusOK)
		unknown := p.ask(user, http.MethodGet, "/locations/JFX", "").wantError(http.StatusNotFound, "NOT_FOUND")
		suggestions, _ := unknown.at("error", "details", 0, "suggestions").([]any)
		if !slices.Contains(suggestions, any("JFK")) {
			t.Errorf("JFX: %s", unknown.body)
		}
	})
}

// TestTheOrganizationIsChanged verifies that administrators change names and policy of
// the organization, and that the policy applies from the next decision on.
func TestTheOrganizationIsChanged(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store, clock := open(), newMovable()
		if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1, CreatedAt: clock.now()}); err != nil {
			t.Fatal(err)
		}
		s := &stage{pair: newPair(t, store, clock), store: store, org: "org", user: "org/ann/user", manager: "org/mia/manager"}
		const admin = "org/ada/admin"
		patch := func(as, body string) *answer { return s.ask(as, http.MethodPatch, "/organization", body) }
		patch(s.manager, `{"name":"Mine"}`).wantError(http.StatusForbidden, "FORBIDDEN")
		for _, bad := range []string{`{"name":""}`, `{"name":null}`, `{"name":5}`, `{"policy":{"fourEyes":"yes"}}`, `{"policy":[]}`, `{"name":"a","name":"b"}`, `[]`} {
			patch(admin, bad).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		changed := patch(admin, `{"name":"New name","plan":"enterprise","_id":"x","eventQuota":{"limit":9}}`).want(http.StatusOK)
		if changed.str("name") != "New name" || changed.str("plan") != "team" || changed.str("_id") != "org" || changed.number("eventQuota", "limit") != "50" {
			t.Errorf("changed: %s", changed.body)
		}
		s.create(0)
		id := s.ask(s.manager, http.MethodPost, "/events/"+s.event+"/waste", `{"treatment":"landfill","weightKg":1}`).want(http.StatusCreated).str("_id")
		s.move(s.manager, id, "submit")
		patch(admin, `{"policy":{"fourEyes":true}}`).want(http.StatusOK)
		s.ask(s.manager, http.MethodPost, "/events/"+s.event+"/waste/"+id+"/approve", "").wantError(http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN")
		many := s.ask(s.manager, http.MethodPost, "/events/"+s.event+"/review/approve", `{"ids":["`+id+`"]}`).want(http.StatusOK)
		if many.str("items", 0, "error", "code") != "SELF_APPROVAL_FORBIDDEN" {
			t.Errorf("many: %s", many.body)
		}
		patch(admin, `{}`).want(http.StatusOK)
		if still := s.ask(s.user, http.MethodGet, "/organization", "").want(http.StatusOK); still.data("policy", "fourEyes") != true || still.str("name") != "New name" {
			t.Errorf("still: %s", still.body)
		}
		patch(admin, `{"policy":null}`).want(http.StatusAccepted) // switching four eyes off takes a second administrator
	})
}

// TestManyAtOnceAreBounded verifies the limits on requests for many records.
func TestManyAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		store, clock := open(), newMovable()
		if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1, CreatedAt: clock.now()}); err != nil {
			t.Fatal(err)
		}
		s := &stage{pair: newPair(t, store, clock), store: store, org: "org", user: "org/ann/user", manager: "org/mia/manager"}
		s.create(1)
		batch, submit, approve := "/events/"+s.event+"/waste/batch", "/events/"+s.event+"/waste/submit", "/events/"+s.event+"/review/approve"
		many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
		for _, bad := range []string{``, `{}`, `[]`, `{"items":{}}`, `{"items":[]}`, `{"items":null}`, `{"items":[` + many(101, `{}`) + `]}`,
			`{"items":[{}],"items":[{}]}`, `{"items":[{}`} {
			s.ask(s.user, http.MethodPost, batch, bad).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		for _, path := range []string{submit, approve} {
			for _, bad := range []string{``, `{}`, `{"ids":[]}`, `{"ids":"x"}`, `{"ids":[5]}`, `{"ids":["a","b","a"]}`, `{"ids":[` + many(101, `"x"`) + `]}`, `{"ids":["` + strings.Repeat("x", 65) + `"]}`} {
				s.ask(s.manager, http.MethodPost, path, bad).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
			}
		}
		s.ask(s.user, http.MethodPost, approve, `{"ids":["x"]}`).wantError(http.StatusForbidden, "FORBIDDEN")
		s.ask(s.user, http.MethodPost, "/events/none/waste/batch", `{"items":[{"treatment":"landfil"}]}`).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		s.ask(s.user, http.MethodPost, "/events/none/waste/batch", `{"items":[{"treatment":"landfill","weightKg":1}]}`).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
		s.ask(s.user, http.MethodPost, "/events/none/waste/submit", `{"ids":["x"]}`).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/bins/batch", `{}`).wantError(http.StatusNotFound, "TYPE_NOT_FOUND")
		// Each entry is judged separately, whatever it is.
		a := s.ask(s.user, http.MethodPost, batch, `{"items":[5,null,[],"x",{"treatment":"landfill","weightKg":1,"weightKg":2},{"treatment":"landfill","weightKg":3}]}`).want(http.StatusOK)
		if a.number("succeeded") != "1" || a.str("items", 0, "error", "details", 0, "field") != "items[0]" ||
			a.str("items", 4, "error", "details", 0, "field") != "items[4].weightKg" || a.number("items", 5, "record", "weightKg") != "3" {
			t.Errorf("batch: %s", a.body)
		}
		// A record of another type is not found here.
		flight := s.ask(s.user, http.MethodPost, "/events/"+s.event+"/flights", `{"from":"LHR","to":"JFK","passengers":1}`).want(http.StatusCreated).str("_id")
		a = s.ask(s.user, http.MethodPost, submit, `{"ids":["`+flight+`","`+s.ids[0]+`"]}`).want(http.StatusOK)
		if a.str("items", 0, "error", "code") != "RECORD_NOT_FOUND" || a.str("items", 1, "record", "status") != "submitted" {
			t.Errorf("submit: %s", a.body)
		}
	})
}
