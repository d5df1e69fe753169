package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/tests/conformance"
)

// Number and seed of the generated requests. A long run makes many on the embedded
// engines, and a fortieth of them on MongoDB, with a new database for every hundred.
const (
	generatedShort  = 600
	generatedRounds = 2 // of a hundred on MongoDB
	roundLength     = 100
)

// TestGeneratedRequests sends requests generated from the document, valid, almost valid
// and hostile, and checks every response against the document
// (statements 21, 25, 27, 28 and 31).
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	requests, rounds := generatedShort, generatedRounds
	if text := os.Getenv("ECF_GENERATED_REQUESTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("ECF_GENERATED_REQUESTS: %q", text)
		}
		requests, rounds = n, (n+40*roundLength-1)/(40*roundLength)
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("ECF_GENERATED_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("ECF_GENERATED_SEED: %q", text)
		}
		seed = n
	}
	t.Logf("ECF_GENERATED_SEED=%d ECF_GENERATED_REQUESTS=%d", seed, requests)
	env := map[string]string{"ECF_QUOTAS": "free=3,team=unlimited,enterprise=unlimited", "ECF_AUTH_RATE_LIMIT": "1000000/1m", "ECF_WRITE_RATE_LIMIT": "10000000/1m"}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		generateRequests(t, "embedded", env, seed, requests)
	})
	t.Run("mongodb", func(t *testing.T) {
		t.Parallel()
		for round := range rounds {
			t.Run(fmt.Sprint(round), func(t *testing.T) {
				generateRequests(t, "mongodb", env, seed+uint64(round)+1, roundLength)
			})
		}
	})
}

func generateRequests(t *testing.T, engine string, env map[string]string, seed uint64, requests int) {
	t.Helper()
	own := maps.Clone(env)
	engines[engine](t, own)
	s := start(t, own)
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(d.JSON())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, s, document)
	j := &judge{t: t, author: newAuthor(w, document, rand.New(rand.NewPCG(seed, 0))), w: w, wire: &wire{host: strings.TrimPrefix(s.url, "http://")}, counts: map[string]int{}} //nolint:gosec // a seed can be given again
	defer j.wire.close()
	for i := range requests {
		if j.faults >= 20 {
			t.Fatal("too many faults")
		}
		q := j.next()
		if q.wire.method == http.MethodDelete && strings.HasSuffix(strings.TrimSuffix(q.wire.target, "/"), "/events/"+w.events[0]) {
			continue // most requests are about this event
		}
		j.one(i, q)
	}
	t.Logf("%d requests, seed %d: %v", requests, seed, j.counts)
	if j.counts["late"] > 1+requests/1000 {
		t.Errorf("%d requests were not answered in time", j.counts["late"])
	}
	w.judge(t)
}

// judge sends requests and checks the responses.
type judge struct {
	t *testing.T
	*author
	w      *world
	wire   *wire
	counts map[string]int
	faults int
}

func (j *judge) one(i int, q *generated) {
	status, header, body, rest, err := j.wire.send(&q.wire)
	if status == http.StatusGatewayTimeout {
		// The machine may be busy; but not twice in a row, nor often.
		j.counts["late"]++
		status, header, body, rest, err = j.wire.send(&q.wire)
	}
	fault := func(format string, args ...any) {
		j.faults++
		j.t.Errorf("request %d, %s as %s (%s): %s\n%s\n%d %.1500s", i, q.operation.id, q.caller, q.kind, fmt.Sprintf(format, args...), q.wire.curl(j.w.s.url), status, body)
	}
	if err != nil {
		if !errors.Is(err, errNoAnswer) || !q.odd {
			fault("no answer: %v", err)
		}
		j.counts["unanswered"]++
		return
	}
	a := &answer{t: j.t, what: q.wire.method + " " + q.wire.target, status: status, header: header, body: body}
	j.counts[fmt.Sprintf("%dxx", status/100)]++
	if q.operation.id == "getImport" && status == http.StatusOK {
		state, _ := a.at("data", "status").(string) // none where the path is that of the list
		j.counts["imports "+state]++
	}
	for _, problem := range j.problems(q, a, rest) {
		fault("%s", problem)
	}
	j.w.learn(q, a)
	j.again(q, a)
}

// again logs in again after a request that may have ended the caller's session.
func (j *judge) again(q *generated, a *answer) {
	ends := q.operation.id == "logout" || q.operation.id == "endSession" || q.operation.id == "changePassword"
	if !ends || a.status != http.StatusOK {
		return
	}
	for _, role := range []string{"user", "manager", "admin"} {
		if j.w.callers[role].get("/auth/me").status == http.StatusUnauthorized {
			j.w.callers[role] = j.w.s.as(j.t, role+"@example.test")
		}
	}
	if j.w.callers["stranger"].get("/auth/me").status == http.StatusUnauthorized {
		j.w.callers["stranger"] = j.w.s.as(j.t, "stranger@other.test")
	}
}

var (
	saneRequestID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	ourInsides    = regexp.MustCompile(`goroutine |panic|\.go:\d|SQLITE|sqlite|mongodb:|E11000|redis|no such table|/root/|BSON|reflect:|json: `)
)

// problems returns what is wrong with a response.
func (j *judge) problems(q *generated, a *answer, rest []byte) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if a.status >= 500 {
		add("nothing is down")
	}
	if a.status >= 400 && ourInsides.Match(a.body) {
		add("the answer shows our insides")
	}
	if len(rest) > 0 && q.wire.length != "none" && q.wire.method != http.MethodHead {
		add("a second answer follows: %.200q", rest)
	}
	if id := a.header.Get("X-Request-Id"); !saneRequestID.MatchString(id) {
		add("X-Request-Id %q", id)
	}
	if id := q.wire.get("X-Request-Id"); saneRequestID.MatchString(id) && a.header.Get("X-Request-Id") != id && !q.odd {
		add("X-Request-Id is not the one sent")
	}
	if a.header.Get("X-Injected") != "" || a.header.Get("Server") != "" {
		add("header %v", a.header)
	}
	sent := string(q.wire.bytes("host"))
	for _, secret := range j.w.foreign {
		if q.operation.id == "listAuditLog" && !strings.EqualFold(secret, canary) {
			continue // the log names what its own members have requested
		}
		if bytes.Contains(a.body, []byte(secret)) && !strings.Contains(sent, secret) {
			add("the answer shows another organization's %s", secret)
		}
	}
	if problem := envelopeProblem(q, a); problem != "" {
		add("%s", problem)
	}
	return append(list, j.documentProblems(q, a)...)
}

// envelopeProblem says how the response differs from the envelope of its status.
func envelopeProblem(q *generated, a *answer) string {
	if q.wire.method == http.MethodHead || a.status == http.StatusNotModified {
		if len(a.body) > 0 {
			return "a body where there is none"
		}
		return ""
	}
	kind := a.header.Get("Content-Type")
	if a.status < 400 && (!strings.HasPrefix(kind, "application/json") || q.operation.root || slices.Contains([]string{"getReport", "getRevisionReport", "openapi"}, q.operation.id)) {
		return ""
	}
	if kind != "application/json" {
		return "Content-Type " + kind
	}
	var e struct {
		Success *bool
		Data    json.RawMessage
		Error   *struct{ Code, Message, RequestID, Docs string }
	}
	if err := json.Unmarshal(a.body, &e); err != nil || e.Success == nil || *e.Success != (a.status < 400) || (e.Error != nil) != (a.status >= 400) || (len(e.Data) > 0) != (a.status < 400) {
		return "not the envelope"
	}
	if e.Error != nil && (e.Error.Code == "" || e.Error.Message == "" || e.Error.Docs == "" || e.Error.RequestID != a.header.Get("X-Request-Id") && a.header.Get("Idempotent-Replayed") == "") {
		return "an error without its parts"
	}
	return ""
}

// documentProblems checks the response against the document, and against what the
// document says about the request.
func (j *judge) documentProblems(q *generated, a *answer) []string {
	request, err := q.wire.asHTTP()
	if err != nil || q.wire.head != "" {
		if a.status < 400 && q.wire.head == "" {
			return []string{"a path that cannot be read is answered as good"}
		}
		return nil
	}
	if q.wire.method == http.MethodHead {
		return nil
	}
	request.URL.Path = strings.TrimSuffix(request.URL.Path, "/")
	var list []string
	// The index of locations is the same thousands of entries each time, and an HTML
	// page is not an operation of the API.
	page := q.wire.method == http.MethodGet && q.operation.path == "/auth/setup"
	if a.status == http.StatusOK && (page || q.operation.id == "getLocationIndex") {
		return nil
	}
	if err := conformance.Answer(request, a.status, a.header, a.body); err != nil {
		list = append(list, fmt.Sprintf("outside of the document: %v", err))
	}
	if route := routeOf(request); route != nil && !q.odd {
		if route.Responses.Status(a.status) == nil && !slices.Contains(everywhere, a.status) {
			list = append(list, fmt.Sprintf("%s does not document %d", route.OperationID, a.status))
		}
	}
	if !q.plain {
		return list
	}
	bad := j.documentRefuses(q, request)
	switch {
	case bad != nil && a.status < 300 && !dropped(q, a):
		list = append(list, fmt.Sprintf("the document refuses this: %.300v", bad))
	case bad == nil && a.status == http.StatusBadRequest && !q.operation.csv && !onlyBetweenFields(a):
		list = append(list, "the document allows this")
	case a.status == http.StatusUnauthorized && !slices.Contains([]string{"login", "refresh", "setUpAccount", "changePassword"}, q.operation.id):
		list = append(list, "the token is good")
	}
	return list
}

// everywhere are the statuses that the document does not list per operation because all
// have them: an unsupported method, and a body or a header that is too large.
var everywhere = []int{http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge}

func routeOf(request *http.Request) *openapi3.Operation {
	router, err := conformance.Router()
	if err != nil {
		return nil
	}
	route, _, err := router.FindRoute(request)
	if err != nil {
		return nil
	}
	return route.Operation
}

// documentRefuses returns why the document rejects the request; nil if it does not.
func (j *judge) documentRefuses(q *generated, request *http.Request) error {
	router, err := conformance.Router()
	if err != nil {
		return err
	}
	route, parameters, err := router.FindRoute(request)
	if err != nil {
		return nil //nolint:nilerr // a path of no operation: there is nothing to hold it against
	}
	err = openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true, ExcludeRequestBody: true}})
	schema := j.bodySchema(q)
	if err != nil || schema == nil || len(q.wire.body) == 0 {
		return err
	}
	var value any
	if err := json.Unmarshal(q.wire.body, &value); err != nil {
		return err
	}
	return schema.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation(), openapi3.VisitAsRequest(),
		openapi3.WithStringFormatValidator("date", openapi3.NewCallbackValidator(func(text string) error {
			_, err := time.Parse(time.DateOnly, text)
			return err
		})))
}

// betweenFields are the codes of faults that no schema expresses: a field required or
// excluded by another one, an unknown code of a register, the order of two fields.
var betweenFields = []string{"REQUIRED", "NOT_ALLOWED", "UNKNOWN_CODE", "DUPLICATE", "FACTOR_UNAVAILABLE", "UNKNOWN_FACTOR_SET", "LAST_ADMIN", "WRONG_PASSWORD", "UNKNOWN_PLACE", "AMBIGUOUS_PLACE", "UNKNOWN_SUPPLIER_FACTOR",
	"OUT_OF_RANGE of endDate", "OUT_OF_RANGE of respondents", "OUT_OF_RANGE of validTo", "BAD_FORMAT of scope3Category", "BAD_FORMAT of after"}

// tooFar is what the fault of fuel says that is enough for a longer journey than there is; a quantity of fuel has a limit
// in the document as well.
const tooFar = " km per vehicle and journey"

var inItem = regexp.MustCompile(`^items\[\d+\]\.`)

func onlyBetweenFields(a *answer) bool {
	details, _ := a.at("error", "details").([]any)
	for _, d := range details {
		o, _ := d.(map[string]any)
		code, _ := o["code"].(string)
		message, _ := o["message"].(string)
		if !strings.Contains(message, tooFar) && !slices.Contains(betweenFields, code) && !slices.Contains(betweenFields, fmt.Sprintf("%s of %v", code, inItem.ReplaceAllString(fmt.Sprint(o["field"]), ""))) {
			return false
		}
	}
	return len(details) > 0
}

// dropped reports whether the service ignores, or judges one by one, what the document
// rejects.
func dropped(q *generated, _ *answer) bool {
	return q.operation.id == "createRecords" && strings.Contains(q.kind, "items[")
}
