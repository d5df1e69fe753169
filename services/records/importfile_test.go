package records_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestAFileOnDiskIsTheSameFile: a file that is large enough to be spooled to disk is imported unchanged row by row,
// has the same hash as before, and its idempotency key covers it completely.
func TestAFileOnDiskIsTheSameFile(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	const rows = 1000
	var text strings.Builder
	text.WriteString("treatment,weightKg,description\n")
	for n := range rows {
		fmt.Fprintf(&text, "landfill,%d,%s\n", n+1, strings.Repeat("é", 150))
	}
	file, to := text.String(), event+"/waste/import"
	sum := sha256.Sum256([]byte("waste\x00\x00" + file))
	send := func(file, key string) answer {
		return h.send(ada, http.MethodPost, to, file, "Content-Type", "text/csv", "Idempotency-Key", key)
	}
	rehearsed := h.send(ada, http.MethodPost, to, file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
	if got := rehearsed.data["imported"]; got != float64(rows) {
		t.Errorf("rehearsed: %v rows", got)
	}
	made := send(file, "a-key-of-this-file").want(http.StatusAccepted, "")
	id := made.text("_id")
	i, err := h.store.Import(t.Context(), "org1", record.EventID(strings.TrimPrefix(event, "/events/")), id)
	if err != nil || i.Hash != hex.EncodeToString(sum[:]) {
		t.Errorf("hash %s, %v, want %x", i.Hash, err, sum)
	}
	if again := send(file, "a-key-of-this-file").want(http.StatusAccepted, ""); again.header.Get("Idempotent-Replayed") != "true" || again.data["_id"] != id {
		t.Errorf("sent again: %v %s", again.header, again.body)
	}
	other := file[:len(file)-2] + "x\n"
	send(other, "a-key-of-this-file").want(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	h.imported(event+"/imports/"+id, "completed")
	send(file, "another-key-for-it").want(http.StatusConflict, "DUPLICATE_FILE")
	latin := strings.ReplaceAll(file, "é", "\xe9")
	second := h.send(ada, http.MethodPost, to+"?encoding=windows-1252&again=true", latin, "Content-Type", "text/csv").want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+second.text("_id"), "completed")
	if list := h.send(ada, http.MethodGet, event+"/waste?limit=1&page=1", ""); !strings.Contains(list.body, strings.Repeat("é", 150)) {
		t.Errorf("the newest record: %s", list.body)
	}
}
