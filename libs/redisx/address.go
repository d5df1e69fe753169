package redisx

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// kind is the topology of an address.
type kind int

const (
	single kind = iota
	cluster
	sentinel
)

func kindOf(address string) kind {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return single
	case u.Query().Has("master_name"):
		return sentinel
	case u.Query().Has("addr"):
		return cluster
	}
	return single
}

// certificates are the TLS settings of an address.
type certificates struct {
	authorities *x509.CertPool
	own         []tls.Certificate
}

// with adds the certificates to the configuration of an address with TLS.
func (c *certificates) with(config *tls.Config) *tls.Config {
	if config == nil || c == nil {
		return config
	}
	config.RootCAs, config.Certificates = c.authorities, c.own
	return config
}

// eachByItsName is with for an address with several servers: each must present a certificate for the name it is
// dialed at. The client library would verify all against the name of the first.
func (c *certificates) eachByItsName(config *tls.Config) *tls.Config {
	if config != nil {
		config.ServerName = ""
	}
	return c.with(config)
}

// takeTLS removes the parameters for certificates from an address and reads their files. Its errors never contain the
// password.
func takeTLS(address string) (plain string, c *certificates, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nil, invalid(address)
	}
	query := u.Query()
	authority, certificate, key := query.Get("tls_ca_file"), query.Get("tls_cert_file"), query.Get("tls_key_file")
	if authority == "" && certificate == "" && key == "" {
		return address, nil, nil
	}
	if u.Scheme != "rediss" {
		return "", nil, errors.New("tls_ca_file, tls_cert_file and tls_key_file of a Redis address need rediss://")
	}
	for _, name := range []string{"tls_ca_file", "tls_cert_file", "tls_key_file"} {
		query.Del(name)
	}
	u.RawQuery = query.Encode()
	c = &certificates{}
	if authority != "" {
		text, err := os.ReadFile(authority) //nolint:gosec // the operator names the file
		if err != nil {
			return "", nil, fmt.Errorf("tls_ca_file of the Redis address: %w", err)
		}
		c.authorities = x509.NewCertPool()
		if !c.authorities.AppendCertsFromPEM(text) {
			return "", nil, fmt.Errorf("tls_ca_file of the Redis address: %s has no PEM certificate", authority)
		}
	}
	if (certificate == "") != (key == "") {
		return "", nil, errors.New("tls_cert_file and tls_key_file of a Redis address are given together or not at all")
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return "", nil, fmt.Errorf("tls_cert_file of the Redis address: %w", err)
		}
		c.own = []tls.Certificate{pair}
	}
	return u.String(), c, nil
}
