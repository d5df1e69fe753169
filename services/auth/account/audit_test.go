package account_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/services/auth/account"
)

// TestAuditVerifierNamesTheFirstFault verifies that any change of an entry, and any
// missing entry, is reported with its number (statement 35).
func TestAuditVerifierNamesTheFirstFault(t *testing.T) {
	t.Parallel()
	chain := func() []account.AuditEntry {
		var all []account.AuditEntry
		last := account.AuditEntry{}
		for i := range 5 {
			last = account.AuditEntry{
				ID: strconv.Itoa(i), Org: "o1", At: time.Unix(int64(i), 0), Action: "login", Outcome: "done", Actor: "u1", Subject: "u1",
				Session: "s1", Reason: "r", Before: "b", After: "a", Address: "192.0.2.1", RequestID: "q",
			}.Seal(last)
			all = append(all, last)
		}
		return all
	}
	head := account.AuditHead{Org: "o1", Seq: 5, Hash: chain()[4].Hash}
	for what, c := range map[string]struct {
		damage func([]account.AuditEntry) []account.AuditEntry
		want   string
	}{
		"nothing":      {func(a []account.AuditEntry) []account.AuditEntry { return a }, ""},
		"the id":       {func(a []account.AuditEntry) []account.AuditEntry { a[2].ID = "x"; return a }, "entry 3 was changed"},
		"the tenant":   {func(a []account.AuditEntry) []account.AuditEntry { a[2].Org = "o2"; return a }, "entry 3 was changed"},
		"the time":     {func(a []account.AuditEntry) []account.AuditEntry { a[2].At = time.Unix(9, 0); return a }, "entry 3 was changed"},
		"the action":   {func(a []account.AuditEntry) []account.AuditEntry { a[2].Action = "x"; return a }, "entry 3 was changed"},
		"the outcome":  {func(a []account.AuditEntry) []account.AuditEntry { a[2].Outcome = "x"; return a }, "entry 3 was changed"},
		"the reason":   {func(a []account.AuditEntry) []account.AuditEntry { a[2].Reason = "x"; return a }, "entry 3 was changed"},
		"the actor":    {func(a []account.AuditEntry) []account.AuditEntry { a[2].Actor = "x"; return a }, "entry 3 was changed"},
		"the subject":  {func(a []account.AuditEntry) []account.AuditEntry { a[2].Subject = "x"; return a }, "entry 3 was changed"},
		"the session":  {func(a []account.AuditEntry) []account.AuditEntry { a[2].Session = "x"; return a }, "entry 3 was changed"},
		"before":       {func(a []account.AuditEntry) []account.AuditEntry { a[2].Before = "x"; return a }, "entry 3 was changed"},
		"after":        {func(a []account.AuditEntry) []account.AuditEntry { a[2].After = "x"; return a }, "entry 3 was changed"},
		"the address":  {func(a []account.AuditEntry) []account.AuditEntry { a[2].Address = "x"; return a }, "entry 3 was changed"},
		"the request":  {func(a []account.AuditEntry) []account.AuditEntry { a[2].RequestID = "x"; return a }, "entry 3 was changed"},
		"a text moved": {func(a []account.AuditEntry) []account.AuditEntry { a[2].Before, a[2].After = "ba", ""; return a }, "entry 3 was changed"},
		"sealed again": {func(a []account.AuditEntry) []account.AuditEntry { a[2].Actor = "x"; a[2] = a[2].Seal(a[1]); return a }, "entry 4 was changed"},
		"all sealed again": {func(a []account.AuditEntry) []account.AuditEntry {
			a[2].Actor = "x"
			for i := 2; i < 5; i++ {
				a[i] = a[i].Seal(a[i-1])
			}
			return a
		}, "entry 5 was changed"}, // the head reveals it
		"the first removed": {func(a []account.AuditEntry) []account.AuditEntry { return a[1:] }, "entry 1 is missing"},
		"one removed":       {func(a []account.AuditEntry) []account.AuditEntry { return append(a[:3:3], a[4]) }, "entry 4 is missing"},
		"the last removed":  {func(a []account.AuditEntry) []account.AuditEntry { return a[:4] }, "entry 5 is missing"},
		"all removed":       {func([]account.AuditEntry) []account.AuditEntry { return nil }, "entry 1 is missing"},
	} {
		v := account.NewAuditVerifier(head)
		err := v.Walk(c.damage(chain()))
		if err == nil {
			err = v.End()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}
