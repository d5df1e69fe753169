package footprint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestSetNotice verifies when a set is of another time than the event, and which one is suggested.
func TestSetNotice(t *testing.T) {
	t.Parallel()
	base, err := factors.ByID("desnz-2024")
	if err != nil {
		t.Fatal(err)
	}
	const pack = "national-v1"
	if _, err := factors.Add(factors.Compose(factors.Composition{ID: pack, Year: 2024, Checksum: "c", Pack: &factors.Pack{Name: "national", Release: 1}, Base: base})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ start, set, code, adopt string }{
		{"2022-06-01", "desnz-2024", footprint.NoticeSetNewer, "desnz-2022"},
		{"2022-06-01", "", footprint.NoticeSetNewer, "desnz-2022"}, // the set for its start date
		{"2018-01-01", "desnz-2024", footprint.NoticeSetNewer, "desnz-2018"},
		{"2025-12-31", "desnz-2026", footprint.NoticeSetNewer, "desnz-2025"},
		{"2017-12-31", "desnz-2024", footprint.NoticeSetNewer, ""}, // there is none of its year
		{"2022-06-01", "desnz-2022", "", ""},
		{"2024-06-01", "desnz-2024", "", ""},
		{"2026-06-01", "desnz-2026", "", ""},
		{"2031-06-01", "desnz-2026", "", ""}, // the newest available one
		{"2028-06-01", "desnz-2024", footprint.NoticeSetOlder, "desnz-2026"},
		{"2025-06-01", "desnz-2024", footprint.NoticeSetOlder, "desnz-2025"},
		{"2022-06-01", "desnz-2018", footprint.NoticeSetOlder, "desnz-2022"},
		{"2026-06-01", pack, footprint.NoticeSetOlder, "desnz-2026"},
		{"2024-06-01", pack, "", ""},
		{"", "desnz-2024", "", ""},
		{"2028-06-01", "not-held-v9", "", ""},
	} {
		ev := london
		ev.StartDate, ev.FactorSet = c.start, c.set
		n, ok := footprint.SetNotice(ev)
		if ok != (c.code != "") || n.Code != c.code || strings.Join(n.Suggestions, " ") != c.adopt || !strings.Contains(n.Message, c.adopt) {
			t.Errorf("an event of %q on %q: %v %+v", c.start, c.set, ok, n)
		}
		if strings.Contains(n.Message, "pack "+pack) != (c.set == pack && ok) {
			t.Errorf("an event of %q on %q: %s", c.start, c.set, n.Message)
		}
	}
}

// TestSetNoticeIsNoPartOfAResult: the notice pinned by bundles has its fixed text for newer sets, and there is none
// for older ones. A served result has the notice once.
func TestSetNoticeIsNoPartOfAResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ start, pinned, read string }{
		{"2022-06-01", "FACTOR_SET_NEWER_THAN_EVENT The event is of 2022; the factors are those of 2024.",
			"FACTOR_SET_NEWER_THAN_EVENT The event is of 2022; the factors are those of 2024. The event can adopt desnz-2022, the set of its own year."},
		{"2028-06-01", "", "FACTOR_SET_OLDER_THAN_EVENT The event is of 2028; the factors are those of 2024. The event can adopt desnz-2026, which is newer."},
		{"2024-06-01", "", ""},
	} {
		ev := london
		ev.StartDate, ev.EndDate, ev.FactorSet = c.start, c.start, "desnz-2024"
		e := evaluate(t, "venue", `{"electricityKWh":1000,"group":"staff"}`, ev)
		pinned := total.Of(&e).Breakdown(ev).Notices
		before := slices.Clone(pinned)
		said := func(notices []footprint.Notice) string {
			var all []string
			for _, n := range notices {
				if strings.HasPrefix(n.Code, "FACTOR_SET_") {
					all = append(all, n.Code+" "+n.Message)
				}
			}
			return strings.Join(all, "|")
		}
		if got := said(pinned); got != c.pinned {
			t.Errorf("an event of %s has in its result %q, want %q", c.start, got, c.pinned)
		}
		read := footprint.WithSetNotice(pinned, ev)
		if got := said(read); got != c.read {
			t.Errorf("an event of %s reads %q, want %q", c.start, got, c.read)
		}
		if said(pinned) != said(before) || len(read) < len(pinned) {
			t.Errorf("an event of %s: %v became %v, and %v", c.start, before, pinned, read)
		}
	}
}
