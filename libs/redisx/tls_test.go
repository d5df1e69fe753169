package redisx

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// authority is a certificate authority of one test.
type authority struct {
	t           *testing.T
	dir, file   string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, dir: t.TempDir(), key: key}
	a.certificate = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.file, _ = a.write("authority", a.certificate, key)
	return a
}

// issue writes a certificate for a host, or a client's without one, and its key.
func (a *authority) issue(name, host string) (certificate, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.serial), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if host != "" {
		template.DNSNames = []string{host}
	}
	return a.write(name, template, private)
}

func (a *authority) write(name string, template *x509.Certificate, private *ecdsa.PrivateKey) (certificate, key string) {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	certificate, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: text}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return certificate, key
}

// redisServer runs a real redis-server that speaks TLS only, shows a certificate for
// host, and asks clients for theirs. It returns the server's port.
func (a *authority) redisServer(name, host string, args ...string) int {
	t := a.t
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("NOT TESTED: there is no redis-server")
	}
	certificate, key := a.issue(name, host)
	port := testkit.FreePort(t)
	secure := []string{"--port", "0", "--tls-port", fmt.Sprint(port), "--bind", "127.0.0.1", "--dir", t.TempDir(), "--loglevel", "warning",
		"--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", a.file, "--tls-auth-clients", "yes", "--tls-replication", "yes"}
	testkit.Process(t, path, append(args, secure...), nil)
	return port
}

// answers reports whether a command comes through to the server at address, for the
// client of the cache and for that of the queue.
func answers(ctx context.Context, address string) error {
	client, err := Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if err := client.Set(ctx, "key", "value", 0).Err(); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	opt, err := AsynqOpt(address)
	if err != nil {
		return err
	}
	queue := asynq.NewClient(opt)
	defer func() { _ = queue.Close() }()
	_, err = queue.EnqueueContext(ctx, asynq.NewTask("task", nil))
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}

// A real server with TLS takes the client that trusts its authority and shows a
// certificate of that authority, and no other.
func TestServerWithTLS(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	port := ours.redisServer("server", "127.0.0.1", "--save", "")
	certificate, key := ours.issue("client", "")
	foreign := newAuthority(t)
	otherCertificate, otherKey := foreign.issue("client", "")
	at := fmt.Sprintf("rediss://127.0.0.1:%d/0", port)
	complete := at + "?tls_ca_file=" + ours.file + "&tls_cert_file=" + certificate + "&tls_key_file=" + key
	testkit.Eventually(t, time.Minute, func() error { return answers(t.Context(), complete) })
	for name, address := range map[string]string{
		"no certificate":             at + "?tls_ca_file=" + ours.file,
		"another authority's client": at + "?tls_ca_file=" + ours.file + "&tls_cert_file=" + otherCertificate + "&tls_key_file=" + otherKey,
		"a server not trusted":       at + "?tls_ca_file=" + foreign.file + "&tls_cert_file=" + certificate + "&tls_key_file=" + key,
		"without TLS":                fmt.Sprintf("redis://127.0.0.1:%d/0", port),
	} {
		if err := answers(t.Context(), address); err == nil {
			t.Errorf("%s: the server answered", name)
		}
	}
}

// Behind Sentinels each server shows a certificate for its own name: that of the
// Sentinel is not the master's.
func TestSentinelWithTLS(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	master := ours.redisServer("master", "127.0.0.1", "--save", "", "--requirepass", "secret", "--masterauth", "secret")
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor main 127.0.0.1 %d 1\nsentinel auth-pass main secret\n", master)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := ours.redisServer("sentinel", "localhost", config, "--sentinel")
	certificate, key := ours.issue("client", "")
	address := fmt.Sprintf("rediss://localhost:%d/0?master_name=main&password=secret&tls_ca_file=%s&tls_cert_file=%s&tls_key_file=%s", sentinel, ours.file, certificate, key)
	testkit.Eventually(t, time.Minute, func() error { return answers(t.Context(), address) })
	// It is the master that took the key.
	client, err := Open(fmt.Sprintf("rediss://:secret@127.0.0.1:%d/0?tls_ca_file=%s&tls_cert_file=%s&tls_key_file=%s", master, ours.file, certificate, key))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if value, err := client.Get(t.Context(), "key").Result(); err != nil || value != "value" {
		t.Errorf("the master holds %q, %v", value, err)
	}
	for name, wrong := range map[string]string{
		"no certificate":    fmt.Sprintf("rediss://localhost:%d/0?master_name=main&password=secret&tls_ca_file=%s", sentinel, ours.file),
		"the wrong name":    fmt.Sprintf("rediss://127.0.0.1:%d/0?master_name=main&password=secret&tls_ca_file=%s&tls_cert_file=%s&tls_key_file=%s", sentinel, ours.file, certificate, key),
		"no such master":    fmt.Sprintf("rediss://localhost:%d/0?master_name=other&password=secret&tls_ca_file=%s&tls_cert_file=%s&tls_key_file=%s", sentinel, ours.file, certificate, key),
		"no password of it": fmt.Sprintf("rediss://localhost:%d/0?master_name=main&tls_ca_file=%s&tls_cert_file=%s&tls_key_file=%s", sentinel, ours.file, certificate, key),
	} {
		if err := answers(t.Context(), wrong); err == nil {
			t.Errorf("%s: the server answered", name)
		}
	}
}

// Each node of a cluster shows a certificate for its own name.
func TestClusterWithTLS(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	// The port of nodes among themselves is 10,000 higher unless it is stated, where another program may be.
	node := ours.redisServer("node", "127.0.0.1", "--save", "", "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(testkit.FreePort(t)),
		"--tls-cluster", "yes", "--cluster-announce-ip", "127.0.0.1")
	certificate, key := ours.issue("client", "")
	files := "tls_ca_file=" + ours.file + "&tls_cert_file=" + certificate + "&tls_key_file=" + key
	testkit.Eventually(t, time.Minute, func() error {
		client, err := Open(fmt.Sprintf("rediss://127.0.0.1:%d?%s", node, files))
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		err = client.(*redis.Client).ClusterAddSlotsRange(t.Context(), 0, 16383).Err()
		info, _ := client.(*redis.Client).ClusterInfo(t.Context()).Result()
		if len(info) < 16 || info[:16] != "cluster_state:ok" {
			return fmt.Errorf("the cluster is not there yet: %w, %s", err, info)
		}
		return nil
	})
	// The first name is of an unavailable server; the node is dialed by its own.
	away := testkit.FreePort(t)
	testkit.Eventually(t, time.Minute, func() error {
		return answers(t.Context(), fmt.Sprintf("rediss://localhost:%d?addr=127.0.0.1:%d&%s", away, node, files))
	})
}
