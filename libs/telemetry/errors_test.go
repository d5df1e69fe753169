package telemetry_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

func TestTelemetryErrorsAreLoggedOnceInTenMinutes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	h := telemetry.NewErrorHandler(&out, "records", func() time.Time { return now })
	failure := errors.New("export to https://u:hunter2@collector failed")
	for range 1200 { // twenty minutes, a failure each second
		h.Handle(failure)
		now = now.Add(time.Second)
	}
	h.Handle(failure)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || strings.Contains(out.String(), "hunter2") || !strings.Contains(lines[1], `"skipped":599`) || !strings.Contains(lines[0], `"service":"records"`) {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	now = now.Add(-time.Hour) // a clock that is set back must not suppress it
	h.Handle(failure)
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("%d lines after the clock was put back", n)
	}
}
