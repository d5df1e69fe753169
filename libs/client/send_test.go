package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

// What is repeated is exactly what cannot do harm twice.
func TestRepeats(t *testing.T) {
	t.Parallel()
	type request func(ctx context.Context, c *client.Client) error
	ref := client.RecordRef{EventID: "e", Type: "waste", ID: "r"}
	erp := client.ReferenceRef{EventID: "e", Type: "water", Reference: "ERP/1"}
	read := func(ctx context.Context, c *client.Client) error { _, err := c.GetEvent(ctx, "e"); return err }
	create := func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateEvent(ctx, client.EventInput{Title: "x"})
		return err
	}
	accept := func(ctx context.Context, c *client.Client) error {
		_, err := c.AcceptInvitation(ctx, client.AcceptInput{Token: "t"})
		return err
	}
	rehearsal := func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateUser(ctx, client.UserInput{}, client.DryRun())
		return err
	}
	patch := func(ctx context.Context, c *client.Client) error {
		_, err := c.UpdateRecord(ctx, ref, client.RecordPatch{"weightKg": 1})
		return err
	}
	guarded := func(ctx context.Context, c *client.Client) error {
		_, err := c.DeleteRecord(ctx, ref, client.IfMatch(`"1"`))
		return err
	}
	deletion := func(ctx context.Context, c *client.Client) error {
		_, err := c.DeleteRecordByReference(ctx, erp)
		return err
	}
	deletionOfAll := func(ctx context.Context, c *client.Client) error {
		_, err := c.DeleteEvent(ctx, "e")
		return err
	}
	replacement := func(ctx context.Context, c *client.Client) error {
		_, err := c.PutRecordByReference(ctx, erp, client.Water{SupplyM3: 1})
		return err
	}
	first := func(ctx context.Context, c *client.Client) error {
		_, err := c.PutRecordByReference(ctx, erp, client.Water{SupplyM3: 1}, client.IfAbsent())
		return err
	}
	absurd := func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateEvent(ctx, client.EventInput{Title: "x"}, client.IfAbsent())
		if !errors.Is(err, client.ErrArgument) {
			t.Errorf("a creation that takes no IfAbsent: %v", err)
		}
		return read(ctx, c)
	}
	login := func(ctx context.Context, c *client.Client) error { return c.Login(ctx, "a@b.test", "secret") }
	const forever = 100
	for name, tt := range map[string]struct {
		do       request
		fault    fault
		times    int
		patience time.Duration
		code     client.Code // of the error; "lost": no answer; empty: success
		requests int
	}{
		"a read without an answer":             {read, lost, 3, 0, "", 4},
		"a read of half an answer":             {read, cut, 1, 0, "", 2},
		"a read while the server is away":      {read, away, 2, 0, "", 3},
		"a read over the limit":                {read, limited, 1, 0, "", 2},
		"a write over the limit of a minute":   {replacement, exhausted, 1, 0, "", 2},
		"a read of something broken":           {read, broken, 1, 0, client.CodeInternal, 1},
		"a creation without an answer":         {create, lost, 2, 0, "", 3},
		"a creation while the server is away":  {create, away, 1, 0, "", 2},
		"a creation while it is still running": {create, running, 2, 0, "", 3},
		"a keyless write without an answer":    {accept, lost, 1, 0, "lost", 1},
		"a keyless write while away":           {accept, away, 1, 0, client.CodeUnavailable, 1},
		"a keyless write over the limit":       {accept, limited, 2, 0, "", 3},
		"a rehearsal without an answer":        {rehearsal, lost, 1, 0, "", 2},
		"a blind change without an answer":     {patch, lost, 1, 0, "lost", 1},
		"a guarded change without an answer":   {guarded, lost, 1, 0, "", 2},
		"a deletion of a record, no answer":    {deletion, lost, 2, 0, "", 3},
		"a deletion of an event, no answer":    {deletionOfAll, lost, 1, 0, "lost", 1},
		"a replacement without an answer":      {replacement, lost, 2, 0, "", 3},
		"a replacement while away":             {replacement, away, 1, 0, "", 2},
		"a first writing without an answer":    {first, lost, 1, 0, "lost", 1},
		"an option that is not of the call":    {absurd, away, 1, 0, "", 2},
		"a login without an answer":            {login, lost, 1, 0, "", 2},
		"no patience":                          {read, away, 1, -1, client.CodeUnavailable, 1},
		"a pause longer than the patience":     {read, limited, 1, 3 * time.Second, client.CodeRateLimited, 1},
		"patience that ends":                   {read, limited, forever, 20 * time.Second, client.CodeRateLimited, 3},
		"a server that never answers again":    {create, lost, forever, time.Minute, "lost", 21},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n <= tt.times {
					tt.fault(t, w)
					return
				}
				success(w, `{"_id":"e","accessToken":"x"}`)
			})
			c, clock := connect(t, s.URL, func(o *client.Options) { o.Patience = tt.patience })
			err := tt.do(t.Context(), c)
			switch {
			case tt.code == "lost" && !errors.Is(err, client.ErrNoAnswer), tt.code != "lost" && client.CodeOf(err) != tt.code, tt.code == "" && err != nil:
				t.Errorf("error %v, want %q", err, tt.code)
			}
			requests := s.requests()
			if len(requests) != tt.requests {
				t.Errorf("%d requests, want %d, pauses %v", len(requests), tt.requests, clock.list())
			}
			for _, r := range requests {
				if r != requests[0] {
					t.Errorf("an attempt differs: %+v, %+v", requests[0], r)
				}
			}
			keyed := slices.Contains([]string{"/api/v2/events", "/api/v2/events/e/waste/r", "/api/v2/events/e/water/by-reference/ERP/1"}, requests[0].path) &&
				requests[0].method != http.MethodPatch && requests[0].method != http.MethodPut
			if (requests[0].key != "") != keyed {
				t.Errorf("key %q of %s", requests[0].key, requests[0].path)
			}
		})
	}
}

// Pauses double, up to half of each is random, and Retry-After is obeyed.
func TestPauses(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		switch {
		case n <= 8:
			hangUp(t, w)
		case n == 9:
			limited(t, w)
		case n == 10:
			w.Header().Set("Retry-After", "Sat, 21 Nov 2026 10:00:30 GMT") // of a proxy
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			success(w, `{}`)
		}
	})
	var told int
	c, clock := connect(t, s.URL, func(o *client.Options) {
		o.Patience = time.Hour
		o.Now = func() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }
		o.Repeating = func(string, error, time.Duration) { told++ }
	})
	if _, err := c.GetEvent(t.Context(), "e"); err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	want := []time.Duration{75 * ms, 150 * ms, 300 * ms, 600 * ms, 1200 * ms, 2400 * ms, 3750 * ms, 3750 * ms, 8250 * ms, 31250 * ms}
	if got := clock.list(); !slices.Equal(got, want) || told != len(want) {
		t.Errorf("pauses %v, want %v; told of %d", got, want, told)
	}
}

// A server that is not there has carried out nothing: any request is repeated.
func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c, clock := connect(t, gone.URL, func(o *client.Options) { o.Patience = 2 * time.Second })
	_, err := c.AcceptInvitation(t.Context(), client.AcceptInput{Token: "t"})
	if !errors.Is(err, client.ErrNoAnswer) || len(clock.list()) < 4 {
		t.Errorf("%v after %v", err, clock.list())
	}
}

// A context that ends stops the attempts and the pauses.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { away(t, w) })
	ctx, cancel := context.WithCancel(t.Context())
	c, clock := connect(t, s.URL, nil)
	clock.after = func(n int) {
		if n == 2 {
			cancel()
		}
	}
	if _, err := c.GetEvent(ctx, "e"); !errors.Is(err, context.Canceled) || client.CodeOf(err) != client.CodeUnavailable || len(s.requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
	if _, err := c.GetEvent(ctx, "e"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := len(s.requests()); got != 2 {
		t.Errorf("%d requests", got)
	}
}

// An attempt that takes too long is given up and made again.
func TestSlowAttempt(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			<-release
		}
		success(w, `{"_id":"e"}`)
	})
	t.Cleanup(func() { close(release) })
	c, _ := connect(t, s.URL, func(o *client.Options) { o.AttemptTimeout = 200 * time.Millisecond })
	// On a busy machine more than one attempt may be too slow.
	if _, err := c.GetEvent(t.Context(), "e"); err != nil || len(s.requests()) < 2 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
}

func TestErrorTellsEverything(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "/proxy") {
			http.Error(w, strings.Repeat("x", 1000), http.StatusNotFound)
			return
		}
		refuse(w, http.StatusBadRequest, client.CodeValidationError)
	})
	c, _ := connect(t, s.URL, nil)
	_, err := c.GetEvent(t.Context(), "a b")
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Status != 400 || refused.Code != client.CodeValidationError || refused.RequestID != "r-1" || refused.Docs != "/d" || len(refused.Details) != 1 || refused.Attempts != 1 {
		t.Fatalf("%+v", refused)
	}
	if want := "GET /events/a b: 400 VALIDATION_ERROR: no [f C: m (suggestions: g)] (request r-1)"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	_, err = c.GetEvent(t.Context(), "proxy")
	if refused, ok = errors.AsType[*client.Error](err); !ok || refused.Code != "" || refused.Status != 404 || len(refused.Message) != 200 {
		t.Errorf("%+v", err)
	}
}

// TestARedirectionIsAnErrorThatNamesTheAddress: it is not followed, because a POST would become a GET.
func TestARedirectionIsAnErrorThatNamesTheAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		http.Redirect(w, r, "https://carbon.example.org"+r.URL.Path, http.StatusMovedPermanently)
	})
	c, _ := connect(t, s.URL, func(o *client.Options) { o.HTTP = nil })
	_, err := c.CreateEvent(t.Context(), client.EventInput{Title: "Fair"})
	refused, ok := errors.AsType[*client.Error](err)
	if want := "redirects to https://carbon.example.org/api/v2/events."; !ok || refused.Status != 301 || !strings.Contains(refused.Message, want) {
		t.Errorf("%v, want one that says %q", err, want)
	}
}

// TestRevisionsOfManyRecords: they and the figures are sent in the body, which has no comment when none
// was given.
func TestRevisionsOfManyRecords(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { success(w, `{"items":[]}`) })
	c, _ := connect(t, s.URL, nil)
	seen := client.IfRevisions(map[string]int64{"a": 3})
	if _, err := c.ApproveRecords(t.Context(), "e", []string{"a"}, seen, client.IfFigures(map[string]client.Kilograms{"a": 1_569_434_689})); err != nil {
		t.Fatal(err)
	}
	if _, err := c.RejectRecords(t.Context(), "e", []string{"a"}, "Twice", seen); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SubmitRecords(t.Context(), "e", "waste", []string{"a"}); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, r := range s.requests() {
		sent = append(sent, r.body)
	}
	want := []string{`{"figures":{"a":1569.434689},"ids":["a"],"revisions":{"a":3}}`, `{"comment":"Twice","ids":["a"],"revisions":{"a":3}}`, `{"ids":["a"]}`}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q", sent)
	}
}

// Paths outside of the API, and options that the call does not have, are rejected before anything is sent.
func TestArguments(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { success(w, `{}`) })
	c, _ := connect(t, s.URL, nil)
	for _, id := range []string{"", ".", ".."} {
		if _, err := c.GetEvent(t.Context(), id); !errors.Is(err, client.ErrArgument) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := c.GetEvent(t.Context(), "e", client.DryRun()); !errors.Is(err, client.ErrArgument) {
		t.Errorf("%v", err)
	}
	if _, err := c.ApproveRecord(t.Context(), client.RecordRef{EventID: "e", Type: "waste", ID: "r"}, "", client.IfRevisions(map[string]int64{"r": 1})); !errors.Is(err, client.ErrArgument) {
		t.Errorf("%v", err)
	}
	if _, err := c.CreateRecords(t.Context(), "e", nil); !errors.Is(err, client.ErrArgument) {
		t.Errorf("%v", err)
	}
	if _, err := c.CreateRecords(t.Context(), "e", []client.RecordInput{client.Flight{}, client.Waste{}}); !errors.Is(err, client.ErrArgument) {
		t.Errorf("%v", err)
	}
	if got := s.requests(); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
	for _, address := range []string{"", "example.org", "ftp://example.org", "http://", "http://a?b=c", "http://user:secret@example.org"} {
		if _, err := client.New(address, client.Options{}); !errors.Is(err, client.ErrArgument) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A token goes to the server it belongs to, and nowhere else.
func TestRedirectionsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { success(w, `{}`) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	c, _ := connect(t, s.URL, func(o *client.Options) { o.HTTP = nil })
	if _, err := c.GetEvent(t.Context(), "e"); err == nil || len(elsewhere.requests()) != 0 {
		t.Errorf("%v, %v", err, elsewhere.requests())
	}
}

func TestImportIsSentAgain(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("LHR,JFK,1\n", 100_000)
	for name, tt := range map[string]struct {
		source   func() io.Reader
		requests int
	}{
		"a file":   {func() io.Reader { return strings.NewReader(file) }, 4},
		"a stream": {func() io.Reader { return io.MultiReader(strings.NewReader(file)) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/v2/auth/refresh" {
					success(w, `{"accessToken":"new"}`)
					return
				}
				switch requests.Add(1) {
				case 1: // in the middle of the file
					_, _ = io.CopyN(io.Discard, r.Body, 1000)
					hangUp(t, w)
				case 2: // before it
					away(t, w)
				case 3:
					refuse(w, http.StatusUnauthorized, client.CodeUnauthenticated)
				default:
					body, err := io.ReadAll(r.Body)
					if err != nil || !bytes.Equal(body, []byte(file)) {
						t.Errorf("%d bytes, %v", len(body), err)
					}
					success(w, `{"_id":"i","status":"validating"}`)
				}
			}))
			t.Cleanup(s.Close)
			c, _ := connect(t, s.URL, nil)
			_, err := c.ImportRecords(t.Context(), "e", "flights", tt.source(), client.ImportOptions{})
			if (err == nil) != (tt.requests > 1) || int(requests.Load()) != tt.requests {
				t.Errorf("%v after %d requests, want %d", err, requests.Load(), tt.requests)
			}
		})
	}
}

// TestChosenColumns: each is a parameter of its own, and the columns of a refused file are those of the error.
func TestChosenColumns(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query()["column"]; !slices.Equal(got, []string{"C:from", "D:Weight (t)", "F:"}) {
			t.Errorf("sent %q", got)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"success":false,"error":{"code":"VALIDATION_ERROR","columns":[{"column":"C","heading":"Wo","ignored":true,"examples":["LHR"]}]}}`)
	}))
	t.Cleanup(s.Close)
	c, _ := connect(t, s.URL, nil)
	_, err := c.ImportRecords(t.Context(), "e", "flights", strings.NewReader("x"), client.ImportOptions{Columns: []string{"C:from", "D:Weight (t)", "F:"}}, client.DryRun())
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || len(refused.Columns) != 1 || refused.Columns[0].Column != "C" || refused.Columns[0].Examples[0] != "LHR" {
		t.Errorf("%+v", err)
	}
}

// IfAbsent asks for a creation, and what is there already is an error.
func TestIfAbsent(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == "*" {
			refuse(w, http.StatusPreconditionFailed, client.CodePreconditionFailed)
			return
		}
		success(w, `{"_id":"r"}`)
	}))
	t.Cleanup(s.Close)
	c, _ := connect(t, s.URL, nil)
	ref := client.ReferenceRef{EventID: "e", Type: "water", Reference: "ERP/1"}
	if _, err := c.PutRecordByReference(t.Context(), ref, client.Water{SupplyM3: 1}, client.IfAbsent()); client.CodeOf(err) != client.CodePreconditionFailed {
		t.Errorf("with IfAbsent: %v", err)
	}
	if _, err := c.PutRecordByReference(t.Context(), ref, client.Water{SupplyM3: 1}); err != nil {
		t.Errorf("without IfAbsent: %v", err)
	}
}
