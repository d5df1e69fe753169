package footprint_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestCodesOfOrigins: a code in capital letters where a town is expected is an airport, as in flights, unless the country of
// the event or of the row has a town of that name; and it is said once.
func TestCodesOfOrigins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ country, origins, airport, notice string }{
		{"NO", `{"place":"MAN"},{"place":"MAN","mode":"plane","people":2}`, `"name":"Manchester`, `If Man, Montagnes, CI is meant`},
		{"", `{"place":"MAN"}`, `"name":"Manchester`, "CODE_IS_ALSO_A_PLACE"},
		{"NO", `{"place":"LHR"}`, `"code":"LHR"`, ""},
		{"NO", `{"place":"man"}`, `"name":"Man"`, ""},
		{"NO", `{"place":"MAN","country":"CI"}`, `"name":"Man"`, ""},
		{"DE", `{"place":"ULM"}`, `"name":"Ulm"`, ""},
	} {
		body := `{"to":"Oslo, NO","origins":[` + c.origins + `]}`
		d, err := footprint.Decode("attendee-travel", []byte(body), footprint.EventContext{Country: c.country, Attendees: 10})
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if !strings.Contains(string(d.Fields), c.airport) {
			t.Errorf("%s in %q: %s, want %s", body, c.country, d.Fields, c.airport)
		}
		said := ""
		for _, n := range d.Notices {
			if n.Code == "CODE_IS_ALSO_A_PLACE" {
				said += n.Code + " " + n.Field + " " + n.Message
			}
		}
		if (c.notice == "") != (said == "") || !strings.Contains(said, c.notice) || strings.Count(said, "origins[0].place") != strings.Count(said, "CODE_IS") {
			t.Errorf("%s in %q: %q, want %q", body, c.country, said, c.notice)
		}
	}
}
