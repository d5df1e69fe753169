package identity

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
)

// TestReadingKeysMakesNoTrace verifies that fetching keys is not sampled.
func TestReadingKeysMakesNoTrace(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Traceparent")
		_, _ = w.Write([]byte(`{"keys":[]}`))
	}))
	t.Cleanup(server.Close)
	_, _ = NewRemoteKeys(RemoteKeysOptions{URL: server.URL}).Key(t.Context(), "k")
	if parent := <-seen; !regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-00$`).MatchString(parent) {
		t.Errorf("traceparent %q", parent)
	}
}
