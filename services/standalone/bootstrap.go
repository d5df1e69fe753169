package standalone

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
)

// Bootstrap creates an organization and its administrator, and returns the administrator's
// one-time setup token. It may be interrupted and repeated: it completes what is missing. The
// token is empty if the account exists already, and then nothing is changed.
func Bootstrap(ctx context.Context, d Data, quotas settings.Quotas, log *slog.Logger, name, plan, email string) (setupToken string, err error) {
	// Checked first: otherwise an organization without an administrator would remain.
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return "", fmt.Errorf("--email must be an address such as jo@example.com, not %q", email)
	}
	err = withNewAccounts(ctx, d, log, func(stores *stores, accounts *auth.Accounts) error {
		if _, err := accounts.UserByEmail(ctx, email); apperr.CodeOf(err) != apperr.UserNotFound {
			return err
		}
		o, err := newOrganization(bootstrapID(name, email), name, plan, quotas, time.Now())
		if err != nil {
			return err
		}
		if err := neverDeleted(ctx, accounts, string(o.ID)); err != nil {
			return err
		}
		if o, err = stores.insertOrRead(ctx, o); err != nil {
			return err
		}
		if err := enterFirstPlan(ctx, o, accounts.PlanSet); err != nil {
			return err
		}
		_, setupToken, err = accounts.CreateUser(ctx, auth.NewUser{Org: string(o.ID), Email: email, Role: identity.Admin})
		return err
	})
	return setupToken, err
}

// insertOrRead inserts an organization, or reads the one that an interrupted run has created, perhaps without an entry in
// the audit log.
func (s *stores) insertOrRead(ctx context.Context, o record.Organization) (record.Organization, error) {
	err := s.records.InsertOrganization(ctx, o)
	if errors.Is(err, record.ErrDuplicate) {
		return s.records.Organization(ctx, o.ID)
	}
	return o, err
}

// bootstrapID returns the id of the organization that a bootstrap with this name and address
// creates, the same for every run.
func bootstrapID(name, email string) record.OrgID {
	sum := sha256.Sum256([]byte("bootstrap\x00" + name + "\x00" + strings.ToLower(email)))
	return record.OrgID(base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").EncodeToString(sum[:])[:26])
}

// bootstrapSettings are the settings of bootstrap.
type bootstrapSettings struct {
	orgSettings
	links linked
	Email string
}

// Describe implements settings.Config.
func (c *bootstrapSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Email, "email", "", "email address of the administrator", nil).Require()
	c.links.Describe(s)
	c.orgSettings.Describe(s)
}

func bootstrap(ctx context.Context, env app.Env, c *bootstrapSettings) error {
	token, err := Bootstrap(ctx, c.Data, c.Quotas, env.Logger, c.Name, c.Plan, c.Email)
	if err != nil {
		return describe(err)
	}
	if token == "" {
		_, err = fmt.Fprintf(env.Stdout, "%s has an account; nothing was changed. A new link: ecf user password --email %s --setup-link\n", c.Email, c.Email)
		return err
	}
	if err := warnOfLookAlikes(env, c.Email); err != nil {
		return err
	}
	return printSetupLink(env, &c.links, token)
}
