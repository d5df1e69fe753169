package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestRecordsAreWrittenAsByReflection compares the encoding with that of encoding/json.
func TestRecordsAreWrittenAsByReflection(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 3, 2, 1, 987_654_321, time.FixedZone("", 3600))
	jo, none := record.Actor{ID: "m-1", Name: `Jo "<&>" Füller`, Role: identity.Manager}, record.Actor{ID: "m-2"}
	plain := json.RawMessage(`{"kgCO2e":1.500000,"notices":[{"message":"two words"}]}`)
	for _, r := range []record.Record{
		{},
		{ID: "r", Event: "e", Type: "flights", Rev: 1, Status: record.Unsubmitted, CreatedBy: jo, CreatedAt: at, UpdatedAt: at, Preview: plain, Fields: json.RawMessage(`{"from":"FRA","description":"<b> & ü"}`)},
		{ID: "r", Event: "e", Type: "flights", Rev: 3, Status: record.Approved, CreatedBy: none, SubmittedAt: &at, SubmittedBy: &jo, ReviewedAt: &at, ReviewedBy: &none,
			ReviewComment: "fine\n\u2028", Preview: json.RawMessage(`{ "a" : "< >" }`), Fields: json.RawMessage(" {} ")},
	} {
		stamp := func(t *time.Time) *string {
			if t == nil {
				return nil
			}
			text := t.UTC().Format("2006-01-02T15:04:05.000Z")
			return &text
		}
		want, err := json.Marshal(struct {
			ID            record.ID       `json:"_id"`
			Event         record.EventID  `json:"eventId"`
			Type          string          `json:"type"`
			Submitted     bool            `json:"submitted"`
			Status        record.Status   `json:"status"`
			Rev           int64           `json:"revision"`
			CreatedBy     record.Actor    `json:"createdBy"`
			CreatedAt     *string         `json:"createdAt"`
			UpdatedAt     *string         `json:"updatedAt"`
			SubmittedAt   *string         `json:"submittedAt"`
			SubmittedBy   *record.Actor   `json:"submittedBy"`
			ReviewedBy    *record.Actor   `json:"reviewedBy"`
			ReviewedAt    *string         `json:"reviewedAt"`
			ReviewComment string          `json:"reviewComment,omitempty"`
			Footprint     json.RawMessage `json:"footprint"`
		}{
			r.ID, r.Event, r.Type, r.Status.IsSubmitted(), r.Status, r.Rev, r.CreatedBy, stamp(&r.CreatedAt), stamp(&r.UpdatedAt),
			stamp(r.SubmittedAt), r.SubmittedBy, r.ReviewedBy, stamp(r.ReviewedAt), r.ReviewComment, r.Preview,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Fields) > 4 {
			want = append(append(want[:len(want)-1], ','), r.Fields[1:]...)
		}
		if got, err := r.AppendJSON([]byte("before ")); err != nil || string(got) != "before "+string(want) {
			t.Errorf("(%v)\n%s\nwant\n%s", err, got, want)
		}
	}
	if _, err := (record.Record{Preview: json.RawMessage("{ broken")}).MarshalJSON(); err == nil {
		t.Error("a broken preview has no error")
	}
}
