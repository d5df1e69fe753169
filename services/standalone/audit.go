package standalone

import (
	"context"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/services/auth"
)

// auditVerify walks the audit log of every organization and names the first
// entry of each that was changed or is missing.
func auditVerify(ctx context.Context, env app.Env, s app.Settings, _ map[string]string) error {
	broken := 0
	err := withAccounts(ctx, s, env.Logger, func(_ *stores, accounts *auth.Accounts) error {
		chains, err := accounts.VerifyAudit(ctx)
		if err != nil {
			return err
		}
		for _, c := range chains {
			if c.Fault != nil {
				broken++
				_, err = fmt.Fprintf(env.Stdout, "%s: %v\n", c.Org, c.Fault)
			} else {
				_, err = fmt.Fprintf(env.Stdout, "%s: %d entries, whole, last hash %s\n", c.Org, c.Entries, c.Last)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return describe(err)
	}
	if broken > 0 {
		return errors.New("the audit log is not whole")
	}
	return nil
}
