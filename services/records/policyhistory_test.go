package records_test

import (
	"net/http"
	"testing"

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
