package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Path is the path, on auth's own port, for queries about a session by callers with an access
// token of it. The gateway never exposes it.
const Path = "/internal/sessions/"

// Remote is the authority over HTTP.
type Remote struct {
	base   string
	client *http.Client
}

var _ Authority = (*Remote)(nil)

// NewRemote returns an authority that queries the auth service at base, such as
// http://auth:8081. A nil client is one with a timeout of 2 s.
func NewRemote(base string, client *http.Client) *Remote {
	if client == nil {
		client = &http.Client{Timeout: 2 * time.Second}
	}
	return &Remote{base: strings.TrimSuffix(base, "/"), client: client}
}

// Facts queries auth with the token that identity.TokenOf returns.
func (r *Remote) Facts(ctx context.Context, sid string) (Facts, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+Path+url.PathEscape(sid), nil)
	if err != nil {
		return Facts{}, fmt.Errorf("ask auth: %w", err)
	}
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(req.Header))
	if token := identity.TokenOf(ctx); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return Facts{}, fmt.Errorf("ask auth: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return Facts{}, fmt.Errorf("ask auth: status %d", res.StatusCode)
	}
	var body struct {
		Data Facts `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 16<<10)).Decode(&body); err != nil {
		return Facts{}, fmt.Errorf("ask auth: %w", err)
	}
	if body.Data.Session.ID != sid {
		// Something else responded at this address.
		return Facts{}, fmt.Errorf("ask auth: the answer is about another session")
	}
	return body.Data, nil
}
