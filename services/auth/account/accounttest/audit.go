package accounttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/services/auth/account"
)

func auditEntry(org, action string) account.AuditEntry {
	return account.AuditEntry{
		ID: account.NewID(), Org: org, At: at, Action: action, Outcome: "refused", Reason: "why", Actor: "u1", Subject: "u2", Session: "s1",
		Before: "user", After: "manager", Address: "2001:db8::1", RequestID: "r1",
	}
}

// walk reads and verifies a whole chain in small parts.
func walk(ctx context.Context, t *testing.T, s account.Store, head account.AuditHead) account.AuditEntry {
	t.Helper()
	v := account.NewAuditVerifier(head)
	for {
		entries, err := s.AuditAfter(ctx, head.Org, v.Last().Seq, 7)
		must(t, err)
		must(t, v.Walk(entries))
		if len(entries) < 7 {
			must(t, v.End())
			return v.Last()
		}
	}
}

func auditRoundTrip(t *testing.T, s account.Store) {
	ctx := t.Context()
	e := auditEntry("o1", "$ne\r\n' OR 1=1 --")
	first, err := s.AppendAudit(ctx, e)
	must(t, err)
	if want := e.Seal(account.AuditEntry{}); first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	second, err := s.AppendAudit(ctx, auditEntry("o1", "second"))
	must(t, err)
	if second.Seq != 2 || second.Prev != first.Hash {
		t.Errorf("after %+v comes %+v", first, second)
	}
	// The same event again, as after a lost response.
	if again, err := s.AppendAudit(ctx, e); err != nil || again != first {
		t.Errorf("again: %+v, %v, want %+v", again, err, first)
	}
	other, err := s.AppendAudit(ctx, auditEntry("o2", "first of another organization"))
	if err != nil || other.Seq != 1 || other.Prev != "" {
		t.Errorf("%+v, %v", other, err)
	}
	heads, err := s.AuditHeads(ctx)
	wantHeads := []account.AuditHead{{Org: "o1", Seq: 2, Hash: second.Hash}, {Org: "o2", Seq: 1, Hash: other.Hash}}
	if err != nil || fmt.Sprint(heads) != fmt.Sprint(wantHeads) {
		t.Errorf("heads %v, %v, want %v", heads, err, wantHeads)
	}
	if after, err := s.AuditAfter(ctx, "o1", 1, 10); err != nil || len(after) != 1 || after[0] != second {
		t.Errorf("after the first: %+v, %v", after, err)
	}
	if none, err := s.AuditAfter(ctx, "o3", 0, 10); err != nil || len(none) != 0 {
		t.Errorf("of an unknown person: %+v, %v", none, err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.AppendAudit(gone, auditEntry("o1", "never"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an append in a context that has ended: %v", err)
	}
	if _, n, err := s.AuditPage(ctx, "o1", 0, 1); err != nil || n != 2 {
		t.Errorf("%d entries, %v", n, err)
	}
}

func auditRace(t *testing.T, s account.Store) {
	ctx := t.Context()
	const each = 24
	for _, err := range race(2*each, func(i int) error {
		_, err := s.AppendAudit(ctx, auditEntry(fmt.Sprintf("o%d", i%2), fmt.Sprint(i)))
		return err
	}) {
		must(t, err)
	}
	heads, err := s.AuditHeads(ctx)
	must(t, err)
	for _, head := range heads {
		if last := walk(ctx, t, s, head); last.Seq != each || head.Seq != each || last.Hash != head.Hash {
			t.Errorf("%s: %d entries, head %d", head.Org, last.Seq, head.Seq)
		}
	}
	if len(heads) != 2 {
		t.Errorf("heads %v", heads)
	}
}

func auditPage(t *testing.T, s account.Store) {
	for i := range 5 {
		e := auditEntry("o1", fmt.Sprint(i+1))
		e.At = at.Add(-time.Duration(i) * time.Hour) // a clock that goes back does not change the order
		_, err := s.AppendAudit(t.Context(), e)
		must(t, err)
		_, err = s.AppendAudit(t.Context(), auditEntry("o2", "elsewhere")) // with the same number
		must(t, err)
	}
	for _, c := range []struct{ skip, limit, n int64 }{{0, 10, 5}, {0, 2, 2}, {2, 2, 2}, {4, 2, 1}, {5, 2, 0}, {1 << 62, 100, 0}} {
		got, total, err := s.AuditPage(t.Context(), "o1", c.skip, c.limit)
		if err != nil || total != 5 || int64(len(got)) != c.n {
			t.Fatalf("skip %d limit %d: %d of %d, %v", c.skip, c.limit, len(got), total, err)
		}
		for i, e := range got {
			if e.Seq != 5-c.skip-int64(i) || e.Action != fmt.Sprint(e.Seq) {
				t.Errorf("skip %d: place %d is %+v", c.skip, i, e)
			}
		}
	}
	if got, n, err := s.AuditPage(t.Context(), "o3", 0, 10); err != nil || n != 0 || len(got) != 0 {
		t.Errorf("another organization's: %d, %v", n, err)
	}
}
