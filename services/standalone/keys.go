package standalone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
)

// rotateKeys adds the next signing key, which servers publish within seconds and use once every
// verifier has it, and removes the keys of which no valid token is left. It may run beside
// servers. It returns the id of the new key and the time from which it signs.
func rotateKeys(ctx context.Context, c keysSettings, log *slog.Logger) (kid string, from time.Time, err error) {
	ring, err := c.Keys.Open(time.Now)
	if err != nil {
		return "", time.Time{}, err
	}
	err = withAccounts(ctx, c.Data, log, func(_ *stores, accounts *auth.Accounts) error {
		kid, from, err = accounts.RotateKeys(ctx, ring)
		return err
	})
	return kid, from, err
}

// keysSettings are the settings of keys rotate.
type keysSettings struct {
	Data
	Keys    auth.Keys
	Reports bool
}

// Describe implements settings.Config.
func (c *keysSettings) Describe(s *settings.Set) {
	s.BoolFlag(&c.Reports, "reports", "rotate the key that signs reports instead of the one that signs tokens")
	c.Keys.Describe(s)
	c.Data.Describe(s)
}

func keysRotate(ctx context.Context, env app.Env, c *keysSettings) error {
	if err := c.mustExist(); err != nil {
		return err
	}
	if c.Reports {
		return reportKeysRotate(ctx, env, c)
	}
	kid, from, err := rotateKeys(ctx, *c, env.Logger)
	if kid != "" {
		if _, err := fmt.Fprintf(env.Stdout, "%s\nsigns from %s\n", kid, from.UTC().Format(time.RFC3339)); err != nil {
			return err
		}
	}
	return describe(err)
}

// reportKeysRotate adds the next report key, or creates the first one. Earlier keys remain
// published, so that their signatures still verify. The audit log has the key before it exists: a
// killed command leaves none that is missing there, but for the first, which a server makes too.
func reportKeysRotate(ctx context.Context, env app.Env, c *keysSettings) (err error) {
	dir := calculation.ReportKeysDir(c.Keys.Folder.Path)
	var kid string
	err = withAccounts(ctx, c.Data, env.Logger, func(_ *stores, accounts *auth.Accounts) (err error) {
		added := func(kid string) error { return accounts.ReportKeyAdded(ctx, kid) }
		kid, err = bundle.AddKey(dir, added)
		if errors.Is(err, fs.ErrNotExist) {
			if kid, err = firstReportKey(env, dir); err == nil {
				err = added(kid)
			}
		}
		return err
	})
	if err != nil {
		return describe(err)
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\n", kid)
	return err
}

// firstReportKey creates the first report key and returns its id. It prints the folder, because
// a mistyped one has no key either.
func firstReportKey(env app.Env, dir string) (kid string, err error) {
	made, err := bundle.OpenKeys(dir, true)
	if err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(env.Stderr, "There was no report key in %s, so the first one was created.\n", dir); err != nil {
		return "", err
	}
	return made.Public().Keys[0].KeyID, nil
}
