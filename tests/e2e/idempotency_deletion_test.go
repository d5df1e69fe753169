package e2e

import "net/http"

// deletionOfRecord deletes a record whose reference is given to another one as soon as it is free.
func deletionOfRecord(named func(s *stage) string) scene {
	const body = `{"treatment":"landfill","weightKg":1,"externalReference":"w-1"}`
	return scene{
		name: "delete a record", method: http.MethodDelete, status: http.StatusOK,
		prepare: func(s *stage) (string, string, string) {
			s.create(0)
			s.ids = []string{s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", body).want(http.StatusCreated).str("_id")}
			return s.user, "/events/" + s.event + "/waste/" + named(s), ""
		},
		meanwhile: func(s *stage) {
			// It is unsuccessful, 409, while the first record has the reference.
			s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", body)
		},
		check: func(s *stage, a *answer) {
			if a.str("_id") != s.ids[0] {
				s.t.Errorf("answer %s, want %s", a.body, s.ids[0])
			}
			s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/"+s.ids[0], "").wantError(http.StatusNotFound, "RECORD_NOT_FOUND")
			s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", body) // for the first record was there until now
			s.wantTotal("/events/"+s.event+"/waste", "1")
		},
	}
}
