package records_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestTheHistoryOfAPolicyNamesBothAdministrators: a policy that becomes less strict is in the history once a second
// administrator has made the same request, with both of them.
func TestTheHistoryOfAPolicyNamesBothAdministrators(t *testing.T) {
	t.Parallel()
	h := start(t)
	const off, second = `{"policy":{"fourEyes":false}}`, "org1.ina.admin"
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusOK, "")
	h.send(root, http.MethodPatch, "/organization", off).want(http.StatusAccepted, "")
	h.send(root, http.MethodPatch, "/organization", off).want(http.StatusAccepted, "")
	h.send(second, http.MethodPatch, "/organization", off).want(http.StatusOK, "")
	o, err := h.store.Organization(t.Context(), "org1")
	if err != nil {
		t.Fatal(err)
	}
	all, err := record.PolicyHistory(t.Context(), h.store, o)
	if err != nil || len(all) != 3 || o.Policy.FourEyes || o.Policy.Rev != o.Rev {
		t.Fatalf("%d states, now %+v of revision %d, %v", len(all), o.Policy, o.Rev, err)
	}
	if last := all[2]; last.FourEyes || last.By.ID != "root" || last.ConfirmedBy == nil || last.ConfirmedBy.ID != "ina" || !all[1].FourEyes || all[1].ConfirmedBy != nil {
		t.Errorf("the last state is %+v, the one before %+v", last, all[1])
	}
}

// TestTheAuditLogIsToldWhatOfAPolicyChanged: the entry of a change has the values that changed, before and after, and what
// was only proposed; a repeated proposal changes nothing. The entry is stored with the change.
func TestTheAuditLogIsToldWhatOfAPolicyChanged(t *testing.T) {
	t.Parallel()
	h := start(t)
	const second = "org1.ina.admin"
	for _, c := range []struct{ by, policy, before, after string }{
		{root, `{"fourEyes":true,"requireReason":true}`, "fourEyes false, requireReason false", "fourEyes true, requireReason true"},
		{root, `{"fourEyes":true}`, "", ""},
		{root, `{"fourEyes":false}`, "fourEyesOffProposed false", "fourEyesOffProposed true"},
		{root, `{"fourEyes":false}`, "", ""},
		{root, `{"requireReason":false}`, "fourEyesOffProposed true, reasonOffProposed false", "fourEyesOffProposed false, reasonOffProposed true"},
		{second, `{"requireReason":false}`, "requireReason true, reasonOffProposed true", "requireReason false, reasonOffProposed false"},
		{root, `{"autoApproveBelowKg":50,"spotCheckOneIn":10}`, "autoApprovalProposed none", "autoApprovalProposed below 50 kg, one in 10 checked"},
		{second, `{"autoApproveBelowKg":50,"spotCheckOneIn":10}`, "autoApprovalProposed below 50 kg, one in 10 checked, autoApproveBelowKg 0, spotCheckOneIn 0",
			"autoApprovalProposed none, autoApproveBelowKg 50, spotCheckOneIn 10"},
		{root, `{"autoApproveBelowKg":null}`, "autoApproveBelowKg 50, spotCheckOneIn 10", "autoApproveBelowKg 0, spotCheckOneIn 0"},
	} {
		a := h.send(c.by, http.MethodPatch, "/organization", `{"policy":`+c.policy+`}`)
		var note audit.Note
		if told := a.header.Get("X-Ecf-Audit"); told != "" {
			text, err := base64.RawURLEncoding.DecodeString(told)
			if err == nil {
				err = json.Unmarshal(text, &note)
			}
			if err != nil || note.Action != audit.Organization || note.ID == "" {
				t.Errorf("%s: %+v %v", c.policy, note, err)
			}
		}
		if a.status > http.StatusAccepted || note.Before != c.before || note.After != c.after {
			t.Errorf("%s: %d, the entry is from %q to %q, want %q to %q", c.policy, a.status, note.Before, note.After, c.before, c.after)
		}
		if c.after == "" {
			continue
		}
		// A process that is killed now leaves it for the next change.
		o, err := h.store.Organization(t.Context(), "org1")
		if err != nil {
			t.Fatal(err)
		}
		if owed, ok := o.OwedBy(audit.Organization); !ok || owed.Rev != o.Rev || owed.Before != c.before || owed.After != c.after || "org1."+owed.By+".admin" != c.by {
			t.Errorf("%s: %+v is stored for the audit log", c.policy, owed)
		}
	}
}

// TestViewersHaveTagsOfTheirOwn: a client that changes to the token of a viewer, who sees no comments, is not answered
// that nothing has changed.
func TestViewersHaveTagsOfTheirOwn(t *testing.T) {
	t.Parallel()
	h := start(t)
	const viewer = "org1.vic.viewer"
	event := h.event()
	tag := h.send(planck, http.MethodGet, event, "").want(http.StatusOK, "").header.Get("ETag")
	h.send(planck, http.MethodGet, event, "", "If-None-Match", tag).want(http.StatusNotModified, "")
	own := h.send(viewer, http.MethodGet, event, "", "If-None-Match", tag).want(http.StatusOK, "").header.Get("ETag")
	if own == tag || own == "" {
		t.Errorf("the tag of a viewer is %s, that of others %s", own, tag)
	}
	h.send(viewer, http.MethodGet, event, "", "If-None-Match", own).want(http.StatusNotModified, "")
}
