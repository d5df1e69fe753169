package transfer

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
)

func walkPolicies(ctx context.Context, from Stores, v visitor, org record.OrgID) error {
	for after := int64(-1); ; {
		states, err := from.Records.PoliciesAfter(ctx, org, after, atOnce)
		if err != nil || len(states) == 0 {
			return err
		}
		if err := v.policies(ctx, org, states); err != nil {
			return err
		}
		after = states[len(states)-1].Rev
	}
}

func walkAccounts(ctx context.Context, from Stores, v visitor, org string) error {
	err := pages(func(after string) ([]account.User, error) { return from.Accounts.UsersAfter(ctx, org, after, atOnce) },
		func(u account.User) string { return u.ID },
		func(u account.User) error { return v.user(ctx, u) })
	if err != nil {
		return err
	}
	err = pages(func(after string) ([]account.Session, error) {
		return from.Accounts.SessionsAfter(ctx, org, after, atOnce)
	},
		func(s account.Session) string { return s.ID },
		func(s account.Session) error { return v.session(ctx, s) })
	if err != nil {
		return err
	}
	return walkAudit(ctx, from, v, org)
}

func walkAudit(ctx context.Context, from Stores, v visitor, org string) error {
	return pages(func(after int64) ([]account.AuditEntry, error) {
		return from.Accounts.AuditAfter(ctx, org, after, atOnce)
	},
		func(e account.AuditEntry) int64 { return e.Seq },
		func(e account.AuditEntry) error { return v.audit(ctx, e) })
}
