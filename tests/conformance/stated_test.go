package conformance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec"
)

// TestWhatTheDocumentDoesNotStateIsSeen verifies that the check finds undocumented
// content anywhere in a response.
func TestWhatTheDocumentDoesNotStateIsSeen(t *testing.T) {
	t.Parallel()
	const (
		events = `{"success":true,"data":{"items":[{"_id":"e","title":"t","factorSet":"desnz-2026","createdBy":{"_id":"u","role":"user"},` +
			`"createdAt":"2026-11-21T04:17:39.668Z","updatedAt":"2026-11-21T04:17:39.668Z","revision":1,"method":{"gwp":"published","radiativeForcing":true}}],"pagination":{"page":1,"limit":25,"total":1,"totalPages":1}}}`
		fault = `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"No.","requestId":"x","docs":"/api/v2/docs#error-validation-error",` +
			`"details":[{"field":"page","code":"OUT_OF_RANGE","message":"No."}]}}`
	)
	for name, c := range map[string]struct {
		status             int
		field, body, wants string
	}{
		"as stated":                  {status: http.StatusOK, body: events},
		"a field of every answer":    {status: http.StatusOK, field: "Vary", body: events},
		"a header field":             {status: http.StatusOK, field: "X-Total-Count", body: events, wants: "X-Total-Count"},
		"a header field of an error": {status: http.StatusBadRequest, field: "Location", body: fault, wants: "Location"},
		"a field":                    {status: http.StatusOK, body: strings.Replace(events, `"title"`, `"secret":1,"title"`, 1), wants: "body.data.items[].secret"},
		"a field deep inside":        {status: http.StatusOK, body: strings.Replace(events, `"gwp"`, `"secret":1,"gwp"`, 1), wants: "body.data.items[].method.secret"},
		"an error as stated":         {status: http.StatusBadRequest, body: fault},
		"a code of a detail":         {status: http.StatusBadRequest, body: strings.Replace(fault, "OUT_OF_RANGE", "BEYOND", 1), wants: "BEYOND"},
		"a notice's code":            {status: http.StatusBadRequest, body: strings.Replace(fault, "OUT_OF_RANGE", "UK_PROXY", 1), wants: "UK_PROXY"},
		"a status of a record":       {status: http.StatusBadRequest, body: strings.Replace(strings.Replace(fault, "OUT_OF_RANGE", "approved", 1), `"page"`, `"status"`, 1)},
		"an error of another status": {status: http.StatusBadRequest, body: strings.Replace(fault, "VALIDATION_ERROR", "FORBIDDEN", 1), wants: "FORBIDDEN"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/api/v2/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}}
		if c.field != "" {
			header.Set(c.field, "x")
		}
		switch err := Answer(request, c.status, header, []byte(c.body)); {
		case c.wants == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)):
			t.Errorf("%s: %v, want %s", name, err, c.wants)
		}
	}
}

// TestHeaderFieldsOfEveryAnswerAreNamed verifies that the header fields that any
// response may have are in the description of the document.
func TestHeaderFieldsOfEveryAnswerAreNamed(t *testing.T) {
	t.Parallel()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.JSON())
	for _, name := range OfEveryAnswer {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s is not named", name)
		}
	}
}
