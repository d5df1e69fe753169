package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/eventcarbon/ecf/libs/client"
)

// TestAProposalIsNoEmptyEvent: what four eyes hold back comes as the proposal.
func TestAProposalIsNoEmptyEvent(t *testing.T) {
	t.Parallel()
	answer, status := `{"change":{"_id":"c1","kind":"update","comment":"Why."}}`, http.StatusAccepted
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Accept") != "application/json" {
			t.Errorf("Accept: %q", r.Header.Get("Accept"))
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"success":true,"data":` + answer + `}`))
	}))
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	patch := client.EventPatch{Attendees: client.Set(240)}
	proposed, err := c.UpdateEvent(t.Context(), "e1", patch)
	if err != nil || proposed.Done != nil || proposed.Proposed == nil || proposed.Proposed.ID != "c1" {
		t.Fatalf("%+v, %v", proposed, err)
	}
	if text, err := json.Marshal(proposed); err != nil || json.Unmarshal(text, &client.Governed[client.Event]{}) != nil {
		t.Errorf("%s, %v", text, err)
	}
	if d, err := c.DeleteEvent(t.Context(), "e1"); err != nil || d.Done != nil || d.Proposed == nil {
		t.Errorf("%+v, %v", d, err)
	}
	if a, err := c.AdoptFactorSet(t.Context(), "e1", "s"); err != nil || a.Done != nil || a.Proposed == nil {
		t.Errorf("%+v, %v", a, err)
	}
	answer, status = `{"_id":"e1","title":"Fair"}`, http.StatusOK
	done, err := c.UpdateEvent(t.Context(), "e1", patch)
	if err != nil || done.Proposed != nil || done.Done.Title != "Fair" {
		t.Fatalf("%+v, %v", done, err)
	}
	answer = `{"event":{"_id":"e1"},"items":[{"_id":"r1","type":"flights","passengers":2}]}`
	whole, err := c.ExportEvent(t.Context(), "e1")
	if err != nil || whole.Event.ID != "e1" || len(whole.Items) != 1 || whole.Items[0].ID != "r1" {
		t.Errorf("%+v, %v", whole, err)
	}
}
