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
	"strings"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Keys are the keys that reports are signed with: a folder of files *.pem, each
// with one Ed25519 key in PKCS #8. The one whose name sorts last signs. The
// others stay published, since a report of years ago must still be known as
// ours. They are not the keys of tokens: who can sign a report must not be able
// to sign anybody in.
type Keys struct {
	signing ed25519.PrivateKey
	public  identity.JWKS
}

const (
	keyExtension = ".pem"
	keyBlock     = "PRIVATE KEY"
	firstKey     = "000001" + keyExtension
)

// OpenKeys reads the keys of a folder, and with create makes the folder and the
// first key where there is none. Of several processes that do so at once one
// makes the key and all use it. fs.ErrNotExist: there is no key.
func OpenKeys(dir string, create bool) (*Keys, error) {
	keys, err := readKeys(dir)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	if err := makeKey(dir); err != nil {
		return nil, fmt.Errorf("make report key: %w", err)
	}
	return readKeys(dir)
}

func readKeys(dir string) (*Keys, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read report keys: %w", err)
	}
	k := &Keys{}
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

// readKey never puts anything of a file's content into an error.
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

func makeKey(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	// Written whole under another name and linked: nobody reads half a key, and
	// a link never replaces a file that is there.
	partial := filepath.Join(dir, "."+strings.ToLower(rand.Text())+".partial")
	defer os.Remove(partial)                                                 //nolint:errcheck // nobody reads it
	f, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the folder
	if err != nil {
		return err
	}
	_, err = f.Write(pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der}))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(partial, filepath.Join(dir, firstKey)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Sign returns the bundle with a signature by the newest key.
func (k *Keys) Sign(b Bundle) (Bundle, error) { return b.Sign(k.signing) }

// Public returns the public keys to publish, the signing one first.
func (k *Keys) Public() identity.JWKS { return k.public }
