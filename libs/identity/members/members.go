// Package members answers who is an active member of an organization, and in which
// role. The truth is in the store of the auth service.
package members

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Path is where auth answers, on its own port, to who presents an access token of the
// organization. The gateway never exposes it.
const Path = "/internal/members"

// Directory knows the active members of organizations.
type Directory interface {
	// Roles returns the roles of those of the ids that are active members of the
	// organization; the others are missing.
	Roles(ctx context.Context, org string, ids []string) (map[string]identity.Role, error)
}

// Remote is the directory over HTTP.
type Remote struct {
	base   string
	client *http.Client
}

var _ Directory = (*Remote)(nil)

// NewRemote makes a directory that asks the auth service at base.
func NewRemote(base string, client *http.Client) *Remote {
	return &Remote{base: strings.TrimSuffix(base, "/"), client: client}
}

// maxAnswer bounds what is read of an answer in bytes.
const maxAnswer = 64 << 10

// Roles asks auth, with the token that identity.TokenOf returns. The organization is
// that of the token.
func (r *Remote) Roles(ctx context.Context, _ string, ids []string) (map[string]identity.Role, error) {
	query := url.Values{"id": ids}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+Path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask auth for members: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+identity.TokenOf(ctx))
	res, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask auth for members: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask auth for members: status %d", res.StatusCode)
	}
	var body struct {
		Data map[string]identity.Role `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&body); err != nil {
		return nil, fmt.Errorf("ask auth for members: %w", err)
	}
	return body.Data, nil
}
