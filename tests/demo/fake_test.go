package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/tests/expected"
)

// fault is what goes wrong with a request.
type fault int

const (
	fine       fault = iota
	lostBefore       // the server dies before executing the request
	lostAfter        // the server dies after executing it, before it answers
	expired          // 401
	limited          // 429 with Retry-After
	away             // 503 with Retry-After
)

// fakeAPI implements in memory the part of the API that the demo uses, with faults.
type fakeAPI struct {
	t  *testing.T
	ex *Example
	// faultOf chooses the fault of a request; n counts all requests from 1.
	faultOf func(r *http.Request, n int) fault
	// adjust changes the total in responses.
	adjust expected.Milligrams
	// never means that the result never becomes current.
	never bool

	mu       sync.Mutex
	requests int
	logins   int
	renewals int
	valid    map[string]bool                       // the Authorization of each client whose token has not expired
	keys     map[string]*httptest.ResponseRecorder // responses by idempotency key
	events   int
	records  []*fakeRecord // in order of creation
	looks    int           // reads of the result
}

// tally counts what a fake has received.
type tally struct{ requests, logins, renewals, events, records int }

func (f *fakeAPI) tally() tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return tally{f.requests, f.logins, f.renewals, f.events, len(f.records)}
}

type fakeRecord struct {
	id, kind, reference, status string
	fields                      map[string]any
}

func startFake(t *testing.T, ex *Example, faultOf func(*http.Request, int) fault) (*fakeAPI, string) {
	t.Helper()
	f := &fakeAPI{t: t, ex: ex, faultOf: faultOf, valid: map[string]bool{}, keys: map[string]*httptest.ResponseRecorder{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	problem := fine
	if f.faultOf != nil {
		problem = f.faultOf(r, f.requests)
	}
	switch problem {
	case lostBefore:
		f.hangUp(w)
		return
	case lostAfter:
		f.once(httptest.NewRecorder(), r)
		f.hangUp(w)
		return
	case expired:
		if !strings.Contains(r.URL.Path, "/auth/") {
			delete(f.valid, r.Header.Get("Authorization")) // the token of this client, until it is renewed
		}
	case limited:
		w.Header().Set("Retry-After", "7")
		refuse(w, 429, "RATE_LIMITED")
		return
	case away:
		w.Header().Set("Retry-After", "1")
		refuse(w, 503, "UNAVAILABLE")
		return
	}
	f.once(w, r)
}

// once serves a request, or repeats the response stored for its key.
func (f *fakeAPI) once(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		if r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/auth/") {
			f.t.Errorf("%s %s has no key", r.Method, r.URL.Path)
		}
		f.serve(w, r)
		return
	}
	key += " " + r.URL.Path
	if f.keys[key] == nil {
		answer := httptest.NewRecorder()
		f.serve(answer, r)
		f.keys[key] = answer
		if answer.Code == http.StatusUnauthorized { // it is not stored
			defer delete(f.keys, key)
		}
	}
	w.WriteHeader(f.keys[key].Code)
	_, _ = w.Write(f.keys[key].Body.Bytes())
}

func (f *fakeAPI) hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		f.t.Errorf("hijack: %v", err)
		return
	}
	_ = conn.Close()
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"success":false,"error":{"code":%q,"message":"refused","requestId":"r-1","details":[{"field":"f","code":"C","message":"m"}]}}`, code)
}

func (f *fakeAPI) answer(w http.ResponseWriter, status int, data any) {
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(map[string]any{"success": true, "data": data}); err != nil {
		f.t.Error(err)
	}
}

func (f *fakeAPI) newToken() string {
	token := "token-" + strconv.Itoa(f.logins+f.renewals)
	f.valid["Bearer "+token] = true
	return token
}

func (f *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v2/")
	if !ok {
		refuse(w, 404, "NOT_FOUND")
		return
	}
	switch path {
	case "auth/login":
		f.logins++
		f.answer(w, 200, map[string]any{"accessToken": f.newToken(), "refreshToken": "again", "expiresIn": 60, "tokenType": "Bearer"})
		return
	case "auth/refresh":
		f.renewals++
		f.answer(w, 200, map[string]any{"accessToken": f.newToken()})
		return
	}
	if !f.valid[r.Header.Get("Authorization")] {
		refuse(w, 401, "UNAUTHENTICATED")
		return
	}
	parts := strings.Split(path, "/")
	switch {
	case r.Method == "POST" && path == "events":
		f.events++
		f.answer(w, 201, map[string]any{"_id": "event-" + strconv.Itoa(f.events)})
	case len(parts) == 3 && parts[2] == "results":
		f.result(w)
	case len(parts) == 3 && r.Method == "POST":
		f.create(w, r, parts[2])
	case len(parts) == 3:
		f.list(w, r, parts[2])
	default:
		f.record(w, parts[3:])
	}
}

func (f *fakeAPI) create(w http.ResponseWriter, r *http.Request, kind string) {
	var fields map[string]any
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
		f.t.Error(err)
	}
	reference, _ := fields["externalReference"].(string)
	for _, known := range f.records {
		if known.kind == kind && known.reference == reference {
			refuse(w, 409, "DUPLICATE_REFERENCE")
			return
		}
	}
	record := &fakeRecord{id: "rec-" + strconv.Itoa(len(f.records)+1), kind: kind, reference: reference, status: "unsubmitted", fields: fields}
	f.records = append(f.records, record)
	f.answer(w, 201, f.view(record))
}

func (f *fakeAPI) view(r *fakeRecord) map[string]any {
	kg := f.ex.Expected.By(func(row expected.Row) string { return row.Record })[r.reference]
	return map[string]any{"_id": r.id, "eventId": "event-1", "type": r.kind, "externalReference": r.reference, "status": r.status,
		"footprint": map[string]any{"kgCO2e": json.Number(kg.String()), "factorSet": "desnz-2026"}}
}

// list returns pages of three, so that tests read several.
func (f *fakeAPI) list(w http.ResponseWriter, r *http.Request, kind string) {
	items := []any{}
	for _, record := range slices.Backward(f.records) {
		if record.kind == kind {
			items = append(items, f.view(record))
		}
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || r.URL.Query().Get("limit") != "100" {
		f.t.Errorf("query %s", r.URL.RawQuery)
	}
	total := len(items)
	items = items[min(total, 3*(page-1)):min(total, 3*page)]
	f.answer(w, 200, map[string]any{"items": items, "pagination": map[string]any{"page": page, "limit": 3, "total": total, "totalPages": (total + 2) / 3}})
}

// record serves a record and its two moves.
func (f *fakeAPI) record(w http.ResponseWriter, path []string) {
	i := slices.IndexFunc(f.records, func(r *fakeRecord) bool { return r.id == path[0] })
	if i < 0 {
		refuse(w, 404, "RECORD_NOT_FOUND")
		return
	}
	record := f.records[i]
	if len(path) == 2 {
		moves := map[string][2]string{"submit": {"unsubmitted", "submitted"}, "approve": {"submitted", "approved"}}
		m, ok := moves[path[1]]
		if !ok || record.status != m[0] {
			refuse(w, 409, "INVALID_TRANSITION")
			return
		}
		record.status = m[1]
	}
	f.answer(w, 200, f.view(record))
}

// result is late: it counts all records from the third read on.
func (f *fakeAPI) result(w http.ResponseWriter) {
	f.looks++
	approved := 0
	for _, r := range f.records {
		if r.status == "approved" {
			approved++
		}
	}
	if f.looks == 1 {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"success":false,"error":{"code":"RESULT_NOT_FOUND","message":"m","requestId":"r","docs":"d","details":[{"code":"CALCULATION_PENDING","message":"m"}]}}`))
		return
	}
	status := "current"
	if f.looks == 2 || f.never {
		status = "recalculating"
	}
	kg := func(m expected.Milligrams) any { return json.Number(m.String()) }
	byType := []any{}
	for kind, sum := range f.ex.Expected.By(func(row expected.Row) string { return row.Type }) {
		byType = append(byType, map[string]any{"type": kind, "kgCO2e": kg(sum)})
	}
	stage := f.ex.Expected.By(func(row expected.Row) string { return row.Stage })
	scope := f.ex.Expected.By(func(row expected.Row) string { return row.Scope })
	f.answer(w, 200, map[string]any{
		"status": status, "revision": f.looks, "counts": map[string]any{"approved": approved},
		"total":  map[string]any{"kgCO2e": kg(f.ex.Expected.Total() + f.adjust), "low": 1, "high": 2},
		"byType": byType, "perAttendeeKg": nil,
		"byStage": map[string]any{"direct": kg(stage["direct"]), "upstream": kg(stage["upstream"]), "combined": kg(stage["combined"])},
		"byScope": map[string]any{"scope1": kg(scope["1"]), "scope2": kg(scope["2"]), "scope3": kg(scope["3"])},
	})
}
