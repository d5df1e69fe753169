package record_test

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestThePolicyLogIsBounded: it takes so many states and then no further one.
func TestThePolicyLogIsBounded(t *testing.T) {
	t.Parallel()
	var o record.Organization
	for n := 0; ; n++ {
		if err := o.CheckPolicies(); err != nil {
			if n != record.MaxPolicies-1 || apperr.CodeOf(err) != apperr.InvalidTransition {
				t.Errorf("after %d changes: %v", n, err)
			}
			break
		}
		o.SetPolicy(record.Policy{FourEyes: n%2 == 0}, int64(n)+2, record.Actor{ID: "root"}, nil, time.Now())
	}
	if text, err := o.EncodePolicy(); err != nil || len(text) > 128<<10 {
		t.Errorf("a full log has %d bytes, %v", len(text), err)
	}
}
