// Package keys configures where the keys of tokens and reports are: the
// directory of the private ones, and the service that publishes the public ones.
package keys

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/eventcarbon/ecf/libs/settings"
)

// Issuer is the issuer of tokens.
type Issuer struct {
	// URL is the address clients reach the product at; the iss of tokens.
	URL string
}

// Describe implements settings.Config.
func (c *Issuer) Describe(s *settings.Set) {
	s.URL(&c.URL, "ECF_ISSUER", "http://127.0.0.1:8080", "URL of the product for clients, and issuer of tokens")
}

// IssuerAt returns the address that clients of the same machine reach a server at
// that listens on addr (host:port); empty where the system chooses the port.
func IssuerAt(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "0" || port == "" {
		return ""
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// WarnUnlessServed logs a warning if a server without a proxy listens elsewhere than at the issuer: clients that use
// the issuer of their tokens, or the address in the OpenAPI document, would not find it.
func WarnUnlessServed(ctx context.Context, logger *slog.Logger, issuer, addr string) {
	if at := IssuerAt(addr); at != "" && at != strings.Replace(issuer, "//localhost:", "//127.0.0.1:", 1) {
		logger.WarnContext(ctx, "ECF_ISSUER names another address than the one listened at; set ECF_TRUSTED_PROXIES where a proxy stands before this server",
			"issuer", issuer, "listening", at)
	}
}

// Published is where the keys that verify tokens are published.
type Published struct {
	Issuer Issuer
	// AuthURL is where the service auth is.
	AuthURL string
}

// Describe implements settings.Config.
func (c *Published) Describe(s *settings.Set) {
	c.Issuer.Describe(s)
	s.URL(&c.AuthURL, "ECF_AUTH_URL", "http://127.0.0.1:8081", "URL of the auth service")
}

// Path is where the service auth publishes the keys.
const Path = "/.well-known/jwks.json"

const (
	dataDirName = "ECF_DATA_DIR"
	keysDirName = "ECF_SIGNING_KEYS_DIR"
)

// DataDir is the directory of the process's own files.
type DataDir struct{ Path string }

// Describe implements settings.Config.
func (c *DataDir) Describe(s *settings.Set) {
	s.Text(&c.Path, dataDirName, "./.data", "directory of generated keys and, in the standalone program, of the database", nil)
}

// Folder is where the private keys are.
type Folder struct {
	// Path is the folder of the signing keys. Default: keys below the data
	// directory.
	Path string

	data DataDir
	// below: Path is the default.
	below bool
}

// Describe implements settings.Config.
func (c *Folder) Describe(s *settings.Set) {
	s.Text(&c.Path, keysDirName, "", "directory of the signing keys; keys below ECF_DATA_DIR when empty", nil)
	c.data.Describe(s)
	s.After(func() error {
		if c.below = c.Path == ""; c.below {
			c.Path = filepath.Join(c.data.Path, "keys")
		}
		return nil
	})
}
