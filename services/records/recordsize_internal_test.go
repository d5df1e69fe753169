package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestARecordHasABound: a record too large for a store is rejected with its largest field, and not stored.
func TestARecordHasABound(t *testing.T) {
	t.Parallel()
	fields := func(size int) json.RawMessage {
		return append(append([]byte(`{"origins":"`), bytes.Repeat([]byte("x"), size)...), `"}`...)
	}
	at := footprint.EventContext{FactorSet: "desnz-2026", Country: "GB"}
	var r record.Record
	err := r.SetInput(footprint.Decoded{Fields: fields(record.MaxBytes)}, at, 1)
	e, ok := errors.AsType[*apperr.Error](err)
	if !ok || e.Code != apperr.ValidationError || len(e.Details) != 1 || e.Details[0].Field != "origins" || e.Details[0].Code != "TOO_LARGE" {
		t.Fatalf("a record of more than %d bytes: %v", record.MaxBytes, err)
	}
	if len(r.Fields) > 0 {
		t.Error("it was filled all the same")
	}
	if err := r.SetInput(footprint.Decoded{Fields: fields(record.MaxBytes - 1<<10)}, at, 1); err != nil || len(r.Fields) == 0 {
		t.Errorf("one below it: %v", err)
	}
}
