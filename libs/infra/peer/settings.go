// Package peer authenticates requests among the services of one installation that have
// no certificates (package mutual): each request to auth carries a credential
// computed from a shared secret and the request itself, which is valid for that
// request only and for half a minute.
package peer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/settings"
)

// Secrets are the keys of credentials: the first one signs, and all are accepted, so that one can be rotated while
// services run. None: there are no credentials.
type Secrets []string

// A random secret of 32 characters has 128 bits or more; two are enough for a rotation.
const (
	leastSecret = 32
	mostSecrets = 2
)

// Describe implements settings.Config.
func (s *Secrets) Describe(set *settings.Set) {
	settings.Parsed(set, s, "ECF_PEER_SECRET", "", "shared secret with which services authenticate to auth if they have no ECF_TLS_CERT: 32 characters or more; two, separated by a space or a newline, while it is rotated: the first signs, both are accepted", parseSecrets, Secrets.String).Hide()
}

// String returns the secrets in the form of the setting.
func (s Secrets) String() string { return strings.Join(s, " ") }

func parseSecrets(v string) (Secrets, error) {
	list := strings.Fields(v)
	if len(list) > mostSecrets {
		return nil, errors.New("must be one secret, or two while it is replaced")
	}
	for _, one := range list {
		if len(one) < leastSecret {
			return nil, fmt.Errorf("must have %d characters or more in each secret", leastSecret)
		}
	}
	return list, nil
}
