package durable_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/eventcarbon/ecf/libs/durable"
)

// TestSyncAsksTheSystem verifies that Sync calls fsync: a device without storage refuses it.
func TestSyncAsksTheSystem(t *testing.T) {
	t.Parallel()
	if err := durable.Sync("/dev/null"); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("fsync of a device: %v, want EINVAL", err)
	}
}
