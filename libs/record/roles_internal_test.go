package record

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TestRolesAreUnderTheHash: the role in an entry determines whether a decision was permitted, also for deleted
// events, of which nothing else is left. So a changed role must be detected, also in bundles without names.
func TestRolesAreUnderTheHash(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	as := func(role identity.Role) Actor { return Actor{ID: "ann", Name: "Ann", Role: role} }
	event := func(role identity.Role) EventEntry { return EventEntry{Rev: 3, By: as(role), At: at} }
	if event(identity.Manager).digest("o", "e") == event(identity.User).digest("o", "e") {
		t.Error("the role of who changed an event is not under its hash")
	}
	for _, salt := range []string{"", "salt"} {
		entry := func(role identity.Role) Entry { return Entry{Rev: 3, Move: Approve, By: as(role), At: at, Salt: salt} }
		if entry(identity.Manager).digest("o", "r") == entry(identity.User).digest("o", "r") {
			t.Errorf("the role of who moved a record is not under its hash, with the salt %q", salt)
		}
	}
	sealed := Entry{Rev: 3, Move: Approve, By: as(identity.Manager), At: at, Salt: "salt"}
	sealed.Hash = sealed.digest("o", "r")
	without := sealed
	without.By.ID, without.By.Name = "", ""
	if !without.IntactWithout("o", "r", sealed.Commitment()) {
		t.Error("an entry without names is not what was sealed")
	}
	without.By.Role = identity.User
	if without.IntactWithout("o", "r", sealed.Commitment()) {
		t.Error("an entry without names takes another role")
	}
}
