package mongox

import (
	"testing"
	"time"
)

// TestTimeouts verifies that a database that does not answer is told before the request of a caller ends.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	opts, err := clientOptions("mongodb://database.example/ecf")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		limit *time.Duration
		want  time.Duration
	}{
		"an operation": {opts.Timeout, 4 * time.Second}, "the selection of a server": {opts.ServerSelectionTimeout, 3 * time.Second}, "a connection": {opts.ConnectTimeout, 3 * time.Second},
	} {
		if c.limit == nil || *c.limit != c.want {
			t.Errorf("the limit of %s is %v, want %v", name, c.limit, c.want)
		}
	}
}
