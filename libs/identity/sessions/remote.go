package sessions

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/eventcarbon/ecf/libs/identity/authclient"
)

// Path is the path, on auth's own port, for queries about a session by callers with an access
// token of it. The gateway never exposes it.
const Path = "/internal/sessions/"

// Remote is the authority over HTTP.
type Remote struct{ auth *authclient.Client }

var _ Authority = (*Remote)(nil)

// NewRemote returns an authority that queries the auth service at base; see authclient.New.
func NewRemote(base string, client *http.Client) *Remote {
	return &Remote{authclient.New(base, client)}
}

// maxFacts bounds the size of a response in bytes.
const maxFacts = 16 << 10

// Facts queries auth with the token that identity.TokenOf returns.
func (r *Remote) Facts(ctx context.Context, sid string) (Facts, error) {
	var facts Facts
	if err := r.auth.Get(ctx, Path+url.PathEscape(sid), maxFacts, &facts); err != nil {
		return Facts{}, err
	}
	if facts.Session.ID != sid {
		// Something else responded at this address.
		return Facts{}, errors.New("ask auth: the answer is about another session")
	}
	return facts, nil
}
