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

// Path is where auth answers questions about sessions, on its own port, to who
// presents an access token of the session. The gateway never exposes it.
const Path = "/internal/sessions/"

// Remote is the authority over HTTP.
type Remote struct {
	base   string
	client *http.Client
}

var _ Authority = (*Remote)(nil)

// NewRemote makes an authority that asks the auth service at base, such as
// http://auth:8081. A nil client is one with a time-out of 2 s.
func NewRemote(base string, client *http.Client) *Remote {
	if client == nil {
		client = &http.Client{Timeout: 2 * time.Second}
	}
	return &Remote{base: strings.TrimSuffix(base, "/"), client: client}
}

// Facts asks auth, with the token that identity.TokenOf returns.
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
		// Something else answered under this address.
		return Facts{}, fmt.Errorf("ask auth: the answer is about another session")
	}
	return body.Data, nil
}
