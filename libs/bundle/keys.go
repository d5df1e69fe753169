package bundle

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/signature"
)

// Keys are the keys that sign reports: a directory of files *.pem, each
// with one Ed25519 key in PKCS #8. The one whose name sorts last signs. The
// others stay published, because signatures of old reports must still verify.
// They differ from the keys of tokens: signing a report must not permit
// signing in.
//
// Changes of the directory are detected: a key added by [AddKey] or by remounting
// a secret signs within keysCheckedEvery in every process.
type Keys struct {
	dir string

	mu      sync.Mutex
	checked time.Time
	signing ed25519.PrivateKey
	public  identity.JWKS
}

const (
	keyExtension = ".pem"
	keyBlock     = "PRIVATE KEY"
	firstKey     = "000001" + keyExtension
	// keysCheckedEvery is how long the keys read from the directory are cached.
	keysCheckedEvery = 10 * time.Second
)

// OpenKeys reads the keys of a directory; with create it creates the directory and the first key if there is none. If
// several processes do so at once, one creates the key and all use it. fs.ErrNotExist: there is no key.
func OpenKeys(dir string, create bool) (*Keys, error) {
	durable.RemoveUnfinished(dir)
	keys, err := readKeys(dir)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	_, text, err := generateKey()
	if err == nil {
		err = writeKey(dir, firstKey, text)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readKeys(dir)
}

// AddKey adds the next key to a folder of keys and returns its id. It signs from
// then on, in every process that reads the folder; the keys before it stay
// published. Of several calls at once each adds a key. announce is called before there is the key,
// so that a process that ends in between leaves no key that was not announced; if it fails, no key
// is added.
func AddKey(dir string, announce func(kid string) error) (kid string, err error) {
	durable.RemoveUnfinished(dir)
	if _, err := readKeys(dir); err != nil {
		return "", err
	}
	if _, err := nextName(dir); err != nil {
		return "", err
	}
	kid, text, err := generateKey()
	if err != nil {
		return "", err
	}
	if err := announce(kid); err != nil {
		return "", err
	}
	for {
		name, err := nextName(dir)
		if err != nil {
			return "", err
		}
		if err := writeKey(dir, name, text); err == nil || !errors.Is(err, fs.ErrExist) {
			return kid, err
		}
	}
}

// nextName returns the name of a key that sorts behind all others.
func nextName(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("read report keys: %w", err)
	}
	last := ""
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), keyExtension) && !strings.HasPrefix(e.Name(), ".") {
			last = strings.TrimSuffix(e.Name(), keyExtension)
		}
	}
	n, err := strconv.ParseUint(last, 10, 32)
	if err != nil || len(last) != len(firstKey)-len(keyExtension) {
		return "", fmt.Errorf("the name of the key %s%s is no number of six digits: add the next key by hand, under a name that sorts behind it", last, keyExtension)
	}
	return fmt.Sprintf("%06d%s", n+1, keyExtension), nil
}

func readKeys(dir string) (*Keys, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read report keys: %w", err)
	}
	k := &Keys{dir: dir, checked: time.Now()}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), keyExtension) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		key, err := readKey(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read report key %s: %w", e.Name(), err)
		}
		jwk, err := identity.NewJWK(key.Public())
		if err != nil {
			return nil, fmt.Errorf("read report key %s: %w", e.Name(), err)
		}
		k.signing, k.public.Keys = key, append([]identity.JWK{jwk}, k.public.Keys...)
	}
	if k.signing == nil {
		return nil, fmt.Errorf("read report keys: %s has no file *%s: %w", dir, keyExtension, fs.ErrNotExist)
	}
	return k, nil
}

// readKey never includes content of a file in an error.
func readKey(path string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(path) // a mounted secret is a link
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" { // which has no such modes
		return nil, fmt.Errorf("everybody on this machine may use it (mode %04o); it must be 0600", info.Mode().Perm())
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the folder
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != keyBlock {
		return nil, errors.New("it holds no PEM block " + keyBlock)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("it holds no PKCS #8 key")
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("its key is not Ed25519")
	}
	return key, nil
}

// generateKey returns a new key as the text of a file.
func generateKey() (kid string, text []byte, err error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", nil, fmt.Errorf("make report key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", nil, fmt.Errorf("make report key: %w", err)
	}
	jwk, err := identity.NewJWK(public)
	return jwk.KeyID, pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der}), err
}

// writeKey writes a file of a directory, which it creates: nobody reads a partial key. It returns fs.ErrExist if the file
// exists.
func writeKey(dir, name string, text []byte) error {
	err := durable.MakeAll(dir)
	if err == nil {
		err = durable.Create(filepath.Join(dir, name), text)
	}
	if err != nil {
		return fmt.Errorf("make report key: %w", err)
	}
	return nil
}

// Sign returns the bundle with a signature by the newest key.
func (k *Keys) Sign(b Bundle) (Bundle, error) {
	signing, _ := k.current()
	return b.Sign(signing)
}

// SignText returns the signature of a text by the newest key.
func (k *Keys) SignText(text []byte) (Signature, error) {
	signing, _ := k.current()
	return signature.Of(text, signing)
}

// Public returns the public keys to publish, the signing one first.
func (k *Keys) Public() identity.JWKS {
	_, public := k.current()
	return public
}

// current returns the keys, reading them again after some time. If they cannot be read, the cached ones remain in
// use.
func (k *Keys) current() (ed25519.PrivateKey, identity.JWKS) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if since := time.Since(k.checked); since > keysCheckedEvery || since < 0 {
		k.checked = time.Now()
		if now, err := readKeys(k.dir); err == nil {
			k.signing, k.public = now.signing, now.public
		}
	}
	return k.signing, k.public
}
