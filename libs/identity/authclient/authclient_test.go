package authclient_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/authclient"
)

// TestRequests verifies what auth receives and what its caller gets, and that every response, also one that is refused,
// too long or not read, leaves the connection to the next request.
func TestRequests(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	auth := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/refused":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, strings.Repeat(" ", 10_000))
		case "/long":
			_, _ = io.WriteString(w, `{"data":"`+strings.Repeat("x", 1000)+`"}`)
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"data": []string{r.Method, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)}})
		}
	}))
	auth.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	auth.Start()
	t.Cleanup(auth.Close)
	c := authclient.New(auth.URL+"/", auth.Client())

	get := func(token string, limit int64) (got string) {
		t.Helper()
		var data []string
		if err := c.Get(identity.WithToken(t.Context(), token), "/some", limit, &data); err != nil {
			t.Error(err)
		}
		return strings.Join(data, "|")
	}
	if got := get("t1", 1000); got != "GET|Bearer t1||" {
		t.Errorf("auth received %s", got)
	}
	if got := get("", 1000); got != "GET|||" {
		t.Errorf("without a token auth received %s", got)
	}
	err := c.Get(t.Context(), "/refused", 1000, new(any))
	if status, ok := errors.AsType[authclient.StatusError](err); !ok || status != http.StatusNotFound {
		t.Errorf("error %v, want the status 404", err)
	}
	if err := c.Get(t.Context(), "/long", 100, new(any)); err == nil {
		t.Error("a response beyond the limit was read")
	}
	if err := c.Post(identity.WithToken(t.Context(), "t2"), "/some", "text"); err != nil {
		t.Error(err)
	}
	if err := c.Post(t.Context(), "/refused", "text"); err == nil {
		t.Error("a refused post has no error")
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1 for all requests", n)
	}
	auth.Close()
	if err := c.Get(t.Context(), "/some", 1000, new(any)); err == nil {
		t.Error("no error without auth")
	}
}
