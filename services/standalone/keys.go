package standalone

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// RotateKeys adds the next signing key, which servers publish within seconds
// and sign with once everybody knows it, and removes the keys under which no
// good token is left. It works beside running servers. It gives the id of the
// new key and the time from which it signs.
func RotateKeys(ctx context.Context, s app.Settings, log *slog.Logger) (kid string, from time.Time, err error) {
	keys, err := keyring.Open(keyring.Options{Dir: s.SigningKeysDir, Algorithm: s.SigningAlgorithm, TokenLife: s.AccessTokenTTL})
	if err != nil {
		return "", time.Time{}, err
	}
	err = withAccounts(ctx, s, log, func(_ *stores, accounts *auth.Accounts) error {
		kid, from, err = accounts.RotateKeys(ctx, keys)
		return err
	})
	return kid, from, err
}

func keysRotate(ctx context.Context, env app.Env, s app.Settings, _ map[string]string) error {
	kid, from, err := RotateKeys(ctx, s, env.Logger)
	if kid != "" {
		if _, err := fmt.Fprintf(env.Stdout, "%s\nsigns from %s\n", kid, from.UTC().Format(time.RFC3339)); err != nil {
			return err
		}
	}
	return describe(err)
}
