package redisx

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// pemFiles writes a certificate for 127.0.0.1, which is its own authority, and
// its key.
func pemFiles(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: text}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

// listenTLS returns the address of a server and the outcomes of its handshakes.
func listenTLS(t *testing.T, config *tls.Config) (address string, handshakes <-chan error) {
	t.Helper()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	outcomes := make(chan error, 100)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			outcomes <- conn.(*tls.Conn).HandshakeContext(t.Context())
			_ = conn.Close()
		}
	}()
	return ln.Addr().String(), outcomes
}

// The client trusts the authority in the address and presents its certificate, if the server requests one.
func TestCertificates(t *testing.T) {
	t.Parallel()
	certificate, key := pemFiles(t)
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(certificate)
	if err != nil {
		t.Fatal(err)
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(text)
	server := &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authorities}
	for query, want := range map[string]bool{
		"?tls_ca_file=" + certificate + "&tls_cert_file=" + certificate + "&tls_key_file=" + key: true,
		"?tls_ca_file=" + certificate: false, // without a client certificate
		"":                            false, // a stranger's authority
	} {
		address, handshakes := listenTLS(t, server) // of this client alone: it dials more than once
		client, err := Open("rediss://" + address + query)
		if err != nil {
			t.Fatal(err)
		}
		_ = client.Ping(t.Context()).Err() // there is no Redis server
		if err := <-handshakes; (err == nil) != want {
			t.Errorf("%q: handshake %v, want %v", query, err, want)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
	for query, want := range map[string]string{
		"?tls_ca_file=/nonexistent":                              "/nonexistent",
		"?tls_cert_file=" + certificate:                          "together",
		"?tls_ca_file=" + key:                                    "no PEM certificate",
		"?tls_cert_file=" + certificate + "&tls_key_file=/nokey": "/nokey",
	} {
		if err := Check("rediss://u:hunter2@h" + query); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	if err := Check("redis://h?tls_ca_file=" + certificate); err == nil || !strings.Contains(err.Error(), "rediss://") {
		t.Errorf("certificates without TLS: %v", err)
	}
}

func TestSentinelAddress(t *testing.T) {
	t.Parallel()
	opt, err := AsynqOpt("redis://:watch@a:26379/2?master_name=main&addr=b:26379&password=secret")
	if err != nil {
		t.Fatal(err)
	}
	client := opt.MakeRedisClient().(*redis.Client)
	defer func() { _ = client.Close() }()
	if o := client.Options(); o.Addr != "FailoverClient" || o.Password != "secret" || o.DB != 2 || o.ReadTimeout <= 0 {
		t.Errorf("options %+v", o)
	}
	if err := Check("redis://a:26379?master_name="); err == nil {
		t.Error("an address without the name of the master is taken")
	}
}
