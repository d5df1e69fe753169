package e2e

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

// changeOfOrganization happens once, and each response has what the audit log is to
// record.
func changeOfOrganization() scene {
	return scene{
		name: "change the organization", method: http.MethodPatch, status: http.StatusOK,
		prepare: func(s *stage) (string, string, string) {
			return s.org + "/root/admin", "/organization", `{"name":"Renamed","policy":{"fourEyes":true}}`
		},
		check: func(s *stage, a *answer) {
			o, err := s.store.Organization(s.t.Context(), record.OrgID(s.org))
			if err != nil || len(o.Policies) != 2 || o.Rev != 2 || o.Name != "Renamed" || a.data("policy", "fourEyes") != true {
				s.t.Errorf("%+v, %v, answer %s", o, err, a.body)
			}
			note, err := base64.RawURLEncoding.DecodeString(a.header.Get("X-Ecf-Audit"))
			if err != nil || !strings.Contains(string(note), "fourEyes true") {
				s.t.Errorf("the entry for the audit log: %s, %v", note, err)
			}
		},
	}
}
