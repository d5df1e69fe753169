package timestamp_test

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/timestamp"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 1, 2, 3, 4_999_999, time.FixedZone("", 2*60*60))
	if got, want := timestamp.Format(at), "2026-03-03T23:02:03.004Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
