package footprint_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestHintsAreFew: of many unknown places only the first have suggestions, across all bodies of a request, and every
// one has its fault.
func TestHintsAreFew(t *testing.T) {
	t.Parallel()
	const rows, most, told = 900, 10, 100
	list := func(row string) string {
		return `{"origins":[` + strings.TrimSuffix(strings.Repeat(row+",", rows), ",") + `]}`
	}
	numbered := func(format string) string {
		var b strings.Builder
		for n := range rows {
			fmt.Fprintf(&b, format+",", n)
		}
		return `{"origins":[` + strings.TrimSuffix(b.String(), ",") + `]}`
	}
	details := func(o footprint.Options, typ, body string) []apperr.Detail {
		t.Helper()
		_, err := o.Decode(typ, []byte(body), footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"})
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok {
			t.Fatalf("%.60s: %v", body, err)
		}
		return e.Details
	}
	suggesting := func(all []apperr.Detail) (n int) {
		for _, d := range all {
			if len(d.Suggestions) > 0 {
				n++
			}
		}
		return n
	}
	for what, body := range map[string]string{
		"towns": numbered(`{"place":"Mancester%d"}`), "codes": strings.ReplaceAll(numbered(`{"code":"LHX%d"}`), "LHX", "LX"), "one town": list(`{"place":"Mancester"}`),
	} {
		all := details(footprint.Options{}, "attendee-travel", body)
		if len(all) != told+1 || !strings.HasPrefix(all[told].Message, "At least ") {
			t.Errorf("%s: %d faults, the last %q", what, len(all), all[len(all)-1].Message)
		}
		want := most
		if what == "one town" {
			want = told // it is looked up once
		}
		if n := suggesting(all); n == 0 || n > want {
			t.Errorf("%s: %d faults have suggestions, want at most %d", what, n, want)
		}
	}
	hints, n := &footprint.Hints{}, 0
	for range 20 {
		n += suggesting(details(footprint.Options{Hints: hints}, "flights", `{"from":"LHX","to":"JFX","passengers":1}`))
	}
	if n != most {
		t.Errorf("%d faults of the records of one request have suggestions, want %d", n, most)
	}
}
