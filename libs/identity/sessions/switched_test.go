package sessions_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/identity/sessions"
)

// TestSwitched: a sid is read only in the form in which it is written.
func TestSwitched(t *testing.T) {
	t.Parallel()
	want := sessions.Switched{Session: "s1", Member: "u2", Epoch: 7}
	if got, ok := sessions.ParseSwitched(want.String()); !ok || got != want {
		t.Errorf("%s was read as %+v, %t", want, got, ok)
	}
	for _, sid := range []string{"", "s1", "s1~u2", "s1~u2~", "s1~u2~x", "s1~u2~07", "s1~u2~+7", "s1~u2~7~8", "~u2~7", "s1~~7", "~~", "s1~u2~7 "} {
		if got, ok := sessions.ParseSwitched(sid); ok {
			t.Errorf("%q was read as %+v", sid, got)
		}
	}
	for sid, session := range map[string]string{"s1": "s1", "s1~u2~7": "s1", "": "", "~u2~7": ""} {
		if got := sessions.SessionOf(sid); got != session {
			t.Errorf("the session of %q is %q", sid, got)
		}
	}
}
