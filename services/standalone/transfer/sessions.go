package transfer

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// restored is the reason of sessions that a restore has ended. It is their mark too: a random
// one would make the contents differ between two attempts of one restore.
const restored = "restored from a backup"

// EndSessions ends every open session, as of a time, and updates what contents says of them.
// A backup does not know which of its sessions were ended later.
func EndSessions(ctx context.Context, of Stores, at time.Time, contents Contents) error {
	sum := counter{}
	end := func(org record.OrgID) error {
		return pages(func(after string) ([]account.Session, error) {
			return of.Accounts.SessionsAfter(ctx, string(org), after, atOnce)
		}, func(s account.Session) string { return s.ID }, func(s account.Session) (err error) {
			if s.EndedAt.IsZero() {
				if err = of.Accounts.EndSession(ctx, s.Org, s.User, s.ID, at, restored, restored); err != nil {
					return err
				}
				if s, err = of.Accounts.Session(ctx, s.ID); err != nil {
					return err
				}
			}
			return sum.session(ctx, s)
		})
	}
	err := organizations(ctx, of, end)
	if err == nil {
		err = end(account.SystemOrg)
	}
	if t := sum["sessions"]; err == nil && t != nil && contents != nil {
		contents["sessions"] = Kind{t.count, hex.EncodeToString(t.hash.Sum(nil))}
	}
	return err
}
