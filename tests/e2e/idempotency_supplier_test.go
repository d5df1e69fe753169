package e2e

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

const greenPower = `{"name":"Green Power","kgCO2ePerUnit":0.5,"unit":"kWh","source":"Disclosure","evidence":[{"sha256":"` +
	"abababababababababababababababababababababababababababababababab" + `"}]}`

// changeOfSupplierFactor is made once, and each answer has what the audit log is to enter.
func changeOfSupplierFactor() scene {
	return scene{
		name: "change a supplier's factor", method: http.MethodPatch, status: http.StatusOK,
		prepare: func(s *stage) (string, string, string) {
			return s.manager, s.supplierFactor(), `{"kgCO2ePerUnit":0.25}`
		},
		check: func(s *stage, a *answer) { s.wantSupplierChange(a, "edit", "proposed") },
	}
}

// decisionOnSupplierFactor is made once, and each answer has what the audit log is to enter.
func decisionOnSupplierFactor() scene {
	return scene{
		name: "approve a supplier's factor", status: http.StatusOK,
		prepare: func(s *stage) (string, string, string) {
			return s.manager, s.supplierFactor() + "/approve", `{"comment":"Seen."}`
		},
		check: func(s *stage, a *answer) { s.wantSupplierChange(a, "approve", "approved") },
	}
}

// supplierFactor returns the path of a new one.
func (s *stage) supplierFactor() string {
	s.t.Helper()
	return "/supplier-factors/" + s.ask(s.manager, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusCreated).str("_id")
}

// wantSupplierChange reports whether the only factor was changed once, so that it has a status,
// and its entry for the audit log is in an answer.
func (s *stage) wantSupplierChange(a *answer, action, status string) {
	s.t.Helper()
	all, _, err := s.store.SupplierFactorList(s.t.Context(), record.OrgID(s.org), 0, 2)
	if err != nil || len(all) != 1 || len(all[0].History) != 2 || all[0].History[1].Action != action || string(all[0].Status) != status || a.str("status") != status {
		s.t.Errorf("%+v, %v, answer %s", all, err, a.body)
		return
	}
	note, err := base64.RawURLEncoding.DecodeString(a.header.Get("X-Ecf-Audit"))
	if err != nil || !strings.Contains(string(note), "Green Power@1 "+status+", "+all[0].History[1].Hash) {
		s.t.Errorf("the entry for the audit log: %s, %v", note, err)
	}
}
