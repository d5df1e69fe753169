package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/eventcarbon/ecf/tests/generate"
)

// documented is one operation of the document.
type documented struct {
	id, method, path string
	root             bool
	parameters       []*openapi3.Parameter
	body             *openapi3.Schema // of JSON; nil for none
	csv              bool
	statuses         map[string]bool
	weight           int
}

// operations returns all operations in a fixed order.
func operations(document *openapi3.T) []*documented {
	var out []*documented
	items := document.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(items)) {
		all := items[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(all)) {
			op := all[method]
			d := &documented{id: op.OperationID, method: method, path: path, root: strings.HasPrefix(path, "/.well-known"), statuses: map[string]bool{}, weight: 10}
			for _, list := range []openapi3.Parameters{items[path].Parameters, op.Parameters} {
				for _, p := range list {
					d.parameters = append(d.parameters, p.Value)
				}
			}
			if op.RequestBody != nil {
				content := op.RequestBody.Value.Content
				d.csv = content["text/csv"] != nil
				if json := content["application/json"]; json != nil {
					d.body = json.Schema.Value
				}
			}
			for status := range op.Responses.Map() {
				d.statuses[status] = true
			}
			switch d.id {
			case "login", "setUpAccount", "changePassword", "getReport", "deleteEvent", "openapi", "logout", "createUser", "createEvent":
				d.weight = 3 // they cost much, or leave few objects to work with
			case "getLocationIndex":
				d.weight = 1
			case "createRecord", "updateRecord", "importRecords", "importMixed":
				d.weight = 40
			case "getImport", "listImportErrors", "getBadRows", "undoImport":
				d.weight = 20
			}
			out = append(out, d)
		}
	}
	return out
}

// generated is a request with what it was meant to be.
type generated struct {
	wire      wireRequest
	operation *documented
	path      map[string]string
	caller    string
	kind      string
	// plain requests were made from the document alone, so that the document determines
	// whether they are valid.
	plain bool
	// odd requests may be answered by closing the connection.
	odd bool
}

// author generates requests.
type author struct {
	*generate.Maker
	w          *world
	operations []*documented
	total      int
}

func newAuthor(w *world, document *openapi3.T, r *rand.Rand) *author {
	a := &author{w: w, operations: operations(document), Maker: &generate.Maker{Rand: r, Known: map[string][]string{
		"from": {"LHR", "JFK", "EGLL", "lon", "SIN"}, "to": {"AMS", "CDG", "GRU", "syd"}, "via": {"KEF", "DXB", "HKG"}, "class": {"economy", "Business", "premium-economy", "first class"},
		"country": {"GB", "de", "US", "FR"}, "timezone": {"Europe/London", "UTC", "Asia/Tokyo"}, "factorSet": {"desnz-2026", "desnz-2025", "desnz-2024"},
		"currency": {"GBP", "eur"}, "url": {"https://example.org/a?b=c", "https://example.org/漢字"}, "subdivision": {"CA", "US-NY", "NSW"}, "setId": {"desnz-2026", "desnz-2024"}, "code": {"LHR", "lon", "EGLL"},
	}}}
	for _, op := range a.operations {
		a.total += op.weight
	}
	return a
}

func (a *author) next() *generated {
	n := a.Rand.IntN(a.total)
	i := 0
	for ; n >= a.operations[i].weight; i++ {
		n -= a.operations[i].weight
	}
	q := &generated{operation: a.operations[i], path: map[string]string{}}
	q.caller = generate.Pick(a.Rand, []string{"user", "manager", "manager", "admin", "admin", "admin", "stranger"})
	share := a.Rand.IntN(100)
	a.fillPath(q, share >= 70)
	q.wire.method = q.operation.method
	if token := a.w.callers[q.caller].token; token != "" {
		q.wire.fields = append(q.wire.fields, field{"Authorization", "Bearer " + token})
	}
	body := a.goodBody(q, share >= 30 && share < 45)
	query := url.Values{}
	a.parameters(q, query)
	q.wire.target = a.target(q, query)
	switch {
	case share < 30:
		q.kind, q.plain = "valid", true
	case share < 45:
		q.kind, q.plain = "wild", true
	case share < 70:
		q.plain = true
		body = a.brokenBody(q, query, body)
	default:
		q.kind = "hostile"
	}
	a.setBody(q, query, body)
	if q.kind == "hostile" {
		if !a.corrupt(q, body) && a.Chance(2) {
			a.corrupt(q, body)
		}
	}
	return q
}

// setBody sets the body of the request in the form that the operation accepts.
func (a *author) setBody(q *generated, query url.Values, body any) {
	switch {
	case q.operation.csv:
		a.upload(q, query)
	case q.operation.body != nil && body != nil:
		q.wire.body = generate.Encode(body)
		q.wire.set("Content-Type", "application/json")
	}
}

// goodBody makes a body that the document accepts. A wild one is made from the schema
// alone and may violate the rules between fields, which no schema expresses.
func (a *author) goodBody(q *generated, wild bool) any {
	op := q.operation
	switch {
	case op.body == nil:
		return nil
	case op.id == "createRecord":
		return a.record(q.path["type"], wild)
	case op.id == "createRecords":
		items := []any{}
		for range 1 + a.Rand.IntN(4) {
			items = append(items, a.record(q.path["type"], wild))
		}
		return generate.Object{{Name: "items", Value: items}}
	case op.id == "updateRecord":
		if schema := a.w.types[q.path["type"]]; schema != nil {
			full, _ := a.Valid(schema, "").(generate.Object)
			if len(full) > 2 && !wild {
				full = full[:1]
			}
			return full
		}
		return generate.Object{{Name: "description", Value: "changed"}}
	case op.id == "submitRecords", op.id == "approveRecords":
		ids := []any{}
		for range 1 + a.Rand.IntN(4) {
			if id := generate.Pick(a.Rand, a.w.records).id; !slices.Contains(ids, any(id)) {
				ids = append(ids, id)
			}
		}
		return generate.Object{{Name: "ids", Value: ids}}
	}
	v := a.Valid(op.body, "")
	o, ok := v.(generate.Object)
	if !ok {
		return v
	}
	switch op.id {
	case "createUser":
		o = o.With("email", fmt.Sprintf("u%d@example.test", a.Rand.Uint64()))
	case "login":
		if o = o.With("email", fmt.Sprintf("nobody%d@example.test", a.Rand.Uint64())); a.Chance(3) {
			o = o.With("email", q.caller+"@example.test").With("password", password)
		}
	case "setUpAccount":
		if len(a.w.setups) > 0 {
			o = o.With("setupToken", generate.Pick(a.Rand, a.w.setups))
		}
	}
	return o
}

// record makes the input of a record: an example of the document with some of the
// fields common to all types, or anything that its schema allows.
func (a *author) record(typ string, wild bool) any {
	schema := a.w.types[typ]
	if schema == nil {
		typ = generate.Pick(a.Rand, a.w.names)
		schema = a.w.types[typ]
	}
	if wild {
		return a.Valid(schema, "")
	}
	out := a.w.example(a.Rand, typ)
	common, _ := generate.Flat(schema.AllOf[0].Value)
	for _, name := range slices.Sorted(maps.Keys(common)) {
		if _, has := out.Get(name); !has && a.Chance(4) && name != "respondents" && name != "population" && name != "sampleCV" && name != "evidence" {
			out = out.With(name, a.Valid(common[name].Value, name))
		}
	}
	return out
}

// brokenBody violates one rule of the body, or of a query parameter if there is no
// body.
func (a *author) brokenBody(q *generated, query url.Values, body any) any {
	if schema := a.bodySchema(q); schema != nil && body != nil {
		bad, rule := a.Broken(schema, body)
		if rule != "" {
			q.kind = "broken: " + rule
			return bad
		}
	}
	for _, p := range q.operation.parameters {
		if p.In != openapi3.ParameterInQuery {
			continue
		}
		value := generate.Pick(a.Rand, []string{"x", "1.5", "", "-1", "0", "true", "٣", "0x10", "1_0"})
		q.kind = "broken: query " + p.Name + "=" + value
		query.Set(p.Name, value)
		q.wire.target = a.target(q, query)
		return body
	}
	q.kind = "valid"
	return body
}

// bodySchema returns the schema of a body: for a record that of its type.
func (a *author) bodySchema(q *generated) *openapi3.Schema {
	if q.operation.id == "createRecord" || q.operation.id == "putRecordByReference" {
		return a.w.types[q.path["type"]]
	}
	return q.operation.body
}

// fillPath chooses the path parameters: mostly objects that exist and belong together.
func (a *author) fillPath(q *generated, hostile bool) {
	record := generate.Pick(a.Rand, a.w.records)
	q.path = map[string]string{"eventId": record.event, "type": record.typ, "recordId": record.id, "revision": fmt.Sprint(1 + a.Rand.IntN(3)), "other": fmt.Sprint(1 + a.Rand.IntN(3)),
		"setId": generate.Pick(a.Rand, a.Known["setId"]), "code": generate.Pick(a.Rand, a.Known["code"]), "userId": generate.Pick(a.Rand, a.w.users), "sessionId": "none", "importId": "none"}
	if len(a.w.sessions) > 0 {
		q.path["sessionId"] = generate.Pick(a.Rand, a.w.sessions)
	}
	if !strings.Contains(q.operation.path, "{recordId}") && a.Chance(3) && len(a.w.events) > 0 {
		q.path["eventId"] = generate.Pick(a.Rand, a.w.events)
		q.path["type"] = generate.Pick(a.Rand, a.w.names)
	}
	if q.operation.id == "deleteEvent" && q.path["eventId"] == a.w.events[0] {
		q.path["eventId"] = generate.Pick(a.Rand, append(slices.Clone(a.w.events[1:]), a.w.gone[0])) // the first is the one that most requests are about
	}
	if strings.Contains(q.operation.path, "{importId}") && len(a.w.imports) > 0 {
		done := generate.Pick(a.Rand, a.w.imports)
		q.path["eventId"], q.path["importId"] = done.event, done.id
	}
	names := []string{"eventId", "type", "recordId", "userId", "sessionId", "importId", "revision", "other", "code", "setId"}
	switch a.Rand.IntN(6) {
	case 0: // of another organization
		maps.Copy(q.path, a.w.victims)
	case 1:
		name := generate.Pick(a.Rand, names)
		q.path[name] = generate.Pick(a.Rand, []string{strings.Repeat("0", 26), "none", generate.Pick(a.Rand, a.w.gone), a.w.victims[name]})
		if q.path[name] == "" {
			q.path[name] = "none"
		}
	}
	if hostile && a.Chance(2) {
		q.path[generate.Pick(a.Rand, names)] = generate.Pick(a.Rand, []string{"..", ".", "%2e%2e", "..%2f..%2fusers", "a%2fb", "a%5cb", "%00", "%0d%0aX-Injected:%201", "%ff%fe", "%",
			"%zz", "system.users", "Flights", "FLIGHTS", "flights%20", "flights/", "/", "", "review", "results", "factor-set", "imports", "batch", "import", "export", "history", "$where", "__proto__",
			"constructor", "%7B%22%24gt%22%3A%22%22%7D", "[$gt]", "-1", "0", "9223372036854775808", "1.5", "NaN", "%F0%9F%9A%80", "%E2%80%AE", strings.Repeat("a", 5000), ";a=b", "*", "~", "'", "|", "<>", "users%3Fpage%3D1"})
	}
}

var pathEscape = strings.NewReplacer(" ", "%20")

func (a *author) target(q *generated, query url.Values) string {
	path := q.operation.path
	for name, value := range q.path {
		path = strings.ReplaceAll(path, "{"+name+"}", pathEscape.Replace(value))
	}
	if !q.operation.root {
		path = "/api/v2" + path
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// parameters adds some of the documented query and header parameters.
func (a *author) parameters(q *generated, query url.Values) {
	for _, p := range q.operation.parameters {
		switch {
		case p.In == openapi3.ParameterInQuery && a.Chance(3):
			query.Set(p.Name, strings.Trim(string(generate.Encode(a.Valid(p.Schema.Value, p.Name))), `"`))
		case p.In != openapi3.ParameterInHeader:
		case p.Name == "X-Dry-Run" && a.Chance(5):
			q.wire.set(p.Name, generate.Pick(a.Rand, []string{"true", "true", "false"}))
		case p.Name == "Idempotency-Key" && a.Chance(5):
			key := fmt.Sprintf("key %d ~", a.Rand.IntN(1<<30))
			if len(a.w.keys) > 0 && a.Chance(3) {
				key = generate.Pick(a.Rand, a.w.keys)
			}
			a.w.keys = keep(a.w.keys, key)
			q.wire.set(p.Name, key)
		case strings.HasPrefix(p.Name, "If-") && len(a.w.tags) > 0 && a.Chance(6):
			q.wire.set(p.Name, generate.Pick(a.Rand, append([]string{`"none"`}, a.w.tags[max(0, len(a.w.tags)-3):]...)))
		}
	}
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}

var someMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodConnect, "PROPFIND", "get", "QUERY", "X"}
