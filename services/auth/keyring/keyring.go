// Package keyring manages the keys that sign tokens, as files in one
// directory that all replicas of the auth service share.
//
// Each file is one private key in PEM (PKCS #8), Ed25519 or ECDSA on P-256. Its
// optional header Signs-From is the time from which it signs; a key without one
// signs at once. The files are ordered by name, and of the keys whose time has
// come the last one signs. A key is published as soon as its file exists, so
// that verifiers know it before it signs, and until every token that it signed
// has expired after the next key took over.
package keyring

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/identity"
)

const (
	extension  = ".pem"
	signsFrom  = "Signs-From"
	blockType  = "PRIVATE KEY"
	maxKeyFile = 16 << 10
)

// retireMargin is how much longer than a token's lifetime a former key stays published.
const retireMargin = time.Minute

// Options says where the keys are. Dir and TokenLife are required.
type Options struct {
	Dir string
	// Algorithm is that of keys made here: EdDSA (the default) or ES256.
	Algorithm string
	// TokenLife is the longest lifetime of a token: how long a former key stays
	// good.
	TokenLife time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Keyring holds the keys of one folder. It is safe for concurrent use, and it
// implements identity.KeySource.
type Keyring struct {
	o Options

	mu   sync.RWMutex
	keys []key // in the order of their file names
}

type key struct {
	file string
	kid  string
	from time.Time // signs from this time on
	// since is when it replaced the key before it: from, or when the file was written.
	since   time.Time
	private crypto.Signer
	public  crypto.PublicKey
	jwk     identity.JWK
}

var (
	_ identity.KeySource  = (*Keyring)(nil)
	_ identity.RecentKeys = (*Keyring)(nil)
)

// Open reads the keys of the folder. On the first start, when there is none, it
// makes the folder and one key; of several processes that do so at once exactly
// one makes the key and all use it.
func Open(o Options) (*Keyring, error) {
	if o.Algorithm == "" {
		o.Algorithm = identity.AlgEdDSA
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dir == "" || o.TokenLife <= 0 || (o.Algorithm != identity.AlgEdDSA && o.Algorithm != identity.AlgES256) {
		return nil, fmt.Errorf("open signing keys: impossible options: folder %q, token life %v, algorithm %q", o.Dir, o.TokenLife, o.Algorithm)
	}
	k := &Keyring{o: o}
	if err := durable.MakeAll(o.Dir); err != nil {
		return nil, fmt.Errorf("open signing keys: %w", err)
	}
	durable.RemoveUnfinished(o.Dir)
	keys, err := k.read()
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		_, text, err := k.generate(time.Time{})
		if err == nil {
			err = k.create(1, text)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	if err := k.Reload(); err != nil {
		return nil, err
	}
	if _, err := k.signing(); err != nil {
		return nil, err
	}
	return k, nil
}

// Reload reads the folder again. When it cannot be read, or holds no key, the
// keys read last stay.
func (k *Keyring) Reload() error {
	keys, err := k.read()
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return fmt.Errorf("read signing keys: %s has no file *%s", k.o.Dir, extension)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = keys
	return nil
}

func (k *Keyring) read() ([]key, error) {
	entries, err := os.ReadDir(k.o.Dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	var keys []key
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), extension) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		one, err := readKey(filepath.Join(k.o.Dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // retired by another process since the folder was listed
		}
		if err != nil {
			return nil, fmt.Errorf("read signing key %s: %w", e.Name(), err)
		}
		if slices.ContainsFunc(keys, func(k key) bool { return k.kid == one.kid }) {
			return nil, fmt.Errorf("read signing key %s: another file holds the same key", e.Name())
		}
		one.file = e.Name()
		keys = append(keys, one)
	}
	return keys, nil
}

// readKey never includes a file's content in an error.
func readKey(path string) (key, error) {
	info, err := os.Stat(path) // a mounted secret is a link
	if err != nil {
		return key{}, err
	}
	if info.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" { // Windows has no such modes
		return key{}, fmt.Errorf("everybody on this machine may use it (mode %04o); it must be 0600", info.Mode().Perm())
	}
	if info.Size() > maxKeyFile {
		return key{}, errors.New("it is too large for a key")
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the folder
	if err != nil {
		return key{}, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != blockType {
		return key{}, errors.New("it holds no PEM block " + blockType)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return key{}, errors.New("it holds no PKCS #8 key")
	}
	private, ok := parsed.(crypto.Signer)
	if !ok {
		return key{}, errors.New("its key cannot sign")
	}
	one := key{private: private, public: private.Public(), since: info.ModTime()}
	if one.jwk, err = identity.NewJWK(one.public); err != nil {
		return key{}, err
	}
	one.kid = one.jwk.KeyID
	if from := block.Headers[signsFrom]; from != "" {
		if one.from, err = time.Parse(time.RFC3339, from); err != nil {
			return key{}, errors.New("its header " + signsFrom + " is no time")
		}
		one.since = one.from
	}
	return one, nil
}

// generate returns a new key as the text of a file.
func (k *Keyring) generate(from time.Time) (kid string, text []byte, err error) {
	var private crypto.Signer
	if k.o.Algorithm == identity.AlgES256 {
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		_, private, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return "", nil, fmt.Errorf("make signing key: %w", err)
	}
	j, err := identity.NewJWK(private.Public())
	if err != nil {
		return "", nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", nil, fmt.Errorf("make signing key: %w", err)
	}
	block := &pem.Block{Type: blockType, Bytes: der}
	if !from.IsZero() {
		block.Headers = map[string]string{signsFrom: from.UTC().Format(time.RFC3339)}
	}
	return j.KeyID, pem.EncodeToMemory(block), nil
}

// create writes the file number n: no reader sees half a key. It returns fs.ErrExist if the file
// exists.
func (k *Keyring) create(n int, text []byte) error {
	if err := durable.Create(filepath.Join(k.o.Dir, fmt.Sprintf("%06d%s", n, extension)), text); err != nil {
		return fmt.Errorf("make signing key: %w", err)
	}
	return nil
}

// signing returns the key that signs now. The caller must not hold the lock.
func (k *Keyring) signing() (key, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	i := current(k.keys, k.o.Now())
	if i < 0 {
		return key{}, errors.New("there is no signing key")
	}
	return k.keys[i], nil
}

// current returns the index of the key that signs at now, or -1 if there is none. If no key's time has come, the clock was
// ahead when they were made, and those before them are retired: the first signs.
func current(keys []key, now time.Time) int {
	for i, k := range slices.Backward(keys) {
		if !now.Before(k.from) {
			return i
		}
	}
	return min(len(keys), 1) - 1
}

// live reports whether tokens signed with key i are valid at now: until tokenLife after
// a later key has replaced it.
func live(keys []key, i int, now time.Time, tokenLife time.Duration) bool {
	for _, next := range keys[i+1:] {
		if now.After(next.since.Add(tokenLife + retireMargin)) {
			return false
		}
	}
	return true
}

// Key implements identity.KeySource for the process that has the keys itself.
func (k *Keyring) Key(_ context.Context, kid string) (crypto.PublicKey, error) {
	if key, ok := k.KeyAt(kid, k.o.Now()); ok {
		return key, nil
	}
	return nil, identity.ErrUnknownKey
}

// KeyAt implements identity.RecentKeys.
func (k *Keyring) KeyAt(kid string, now time.Time) (crypto.PublicKey, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for i, one := range k.keys {
		if one.kid == kid && live(k.keys, i, now, k.o.TokenLife) {
			return one.public, true
		}
	}
	return nil, false
}

// JWKS returns the public keys to publish, the signing one first, then the ones
// that will sign or have signed.
func (k *Keyring) JWKS() identity.JWKS {
	k.mu.RLock()
	defer k.mu.RUnlock()
	now := k.o.Now()
	signs := current(k.keys, now)
	set := identity.JWKS{Keys: []identity.JWK{}}
	if signs >= 0 {
		set.Keys = append(set.Keys, k.keys[signs].jwk)
	}
	for i, one := range k.keys {
		if i != signs && live(k.keys, i, now, k.o.TokenLife) {
			set.Keys = append(set.Keys, one.jwk)
		}
	}
	return set
}

// Sign makes a token of a type (its typ header) with the key that signs now.
func (k *Keyring) Sign(typ string, claims jwt.Claims) (string, error) {
	signs, err := k.signing()
	if err != nil {
		return "", err
	}
	method := jwt.GetSigningMethod(signs.jwk.Algorithm)
	if method == nil {
		return "", fmt.Errorf("no method signs with %s", signs.jwk.Algorithm)
	}
	t := jwt.NewWithClaims(method, claims)
	t.Header["typ"] = typ
	t.Header["kid"] = signs.kid
	signed, err := t.SignedString(signs.private)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return signed, nil
}
