package gateway

import (
	"net/http"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// TestOnlyPlainReadsTakeTheFastPath: each single thing that the fast path does nothing about keeps an operation from it.
func TestOnlyPlainReadsTakeTheFastPath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change    func(o *api.Operation)
		announced bool
		takes     bool
	}{
		"a plain read":          {func(*api.Operation) {}, false, true},
		"a page":                {func(o *api.Operation) { o.Cost = api.Page }, false, true},
		"a write":               {func(o *api.Operation) { o.Method = http.MethodPost }, false, false},
		"of the gateway itself": {func(o *api.Operation) { o.Service = api.Gateway }, false, false},
		"without a token":       {func(o *api.Operation) { o.Least = identity.RoleNone }, false, false},
		"streamed":              {func(o *api.Operation) { o.Streamed = true }, false, false},
		"expensive":             {func(o *api.Operation) { o.Cost = api.Whole }, false, false},
		"with time of its own":  {func(o *api.Operation) { o.Timeout = time.Minute }, false, false},
		"to be removed":         {func(*api.Operation) {}, true, false},
	} {
		o := api.Operation{ID: "x", Method: http.MethodGet, Path: "/x", Service: api.Records, Least: identity.Viewer}
		c.change(&o)
		s := fastPath{g: &gateway{clients: map[api.Service]*backend{api.Records: {Client: &upstream.Client{}}}}, reads: map[string]*plainRead{}}
		if s.add(o, c.announced); (s.reads["x"] != nil) != c.takes {
			t.Errorf("%s: takes the fast path %t", name, !c.takes)
		}
	}
}
