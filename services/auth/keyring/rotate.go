package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// PublishAhead is how long a new key is published before it signs: longer than
// any replica or verifier goes without reading the keys again.
const PublishAhead = 5 * time.Minute

// rotateAttempts limits the retries of Rotate after conflicts with other rotations.
const rotateAttempts = 100

// Rotate adds a key that signs from PublishAhead from now on, and removes the
// files of keys under which no good token is left. It returns the new key's id
// and when it begins to sign. Every replica follows by its next Reload. announce is
// called before there is the key, so that a process that ends in between leaves no key that was not
// announced; if it fails, no key is added.
func (k *Keyring) Rotate(announce func(kid string, from time.Time) error) (kid string, from time.Time, err error) {
	from = k.o.Now().Add(PublishAhead).Truncate(time.Second)
	if _, err := k.nextNumber(); err != nil {
		return "", time.Time{}, err
	}
	kid, text, err := k.generate(from)
	if err != nil {
		return "", time.Time{}, err
	}
	if err := announce(kid, from); err != nil {
		return "", time.Time{}, err
	}
	for range rotateAttempts {
		n, err := k.nextNumber()
		if err != nil {
			return "", time.Time{}, err
		}
		err = k.create(n, text)
		if errors.Is(err, fs.ErrExist) {
			continue // another rotation used the number
		}
		if err != nil {
			return "", time.Time{}, err
		}
		return kid, from, errors.Join(k.removeRetired(), k.Reload())
	}
	return "", time.Time{}, errors.New("rotate signing keys: too many rotations at once")
}

// nextNumber returns a number above that of every file, so that the new key sorts last.
// Names that are not numbers, such as those of keys made by an operator, must sort
// before it.
func (k *Keyring) nextNumber() (int, error) {
	entries, err := os.ReadDir(k.o.Dir)
	if err != nil {
		return 0, fmt.Errorf("rotate signing keys: %w", err)
	}
	last, lastName := 0, ""
	for _, e := range entries {
		if filepath.Ext(e.Name()) != extension || e.Name()[0] == '.' {
			continue
		}
		lastName = e.Name()
		var n int
		if _, err := fmt.Sscanf(e.Name(), "%06d"+extension, &n); err == nil {
			last = max(last, n)
		}
	}
	if next := fmt.Sprintf("%06d%s", last+1, extension); next <= lastName {
		return 0, fmt.Errorf("rotate signing keys: a new file %s would not come after %s; rename that one", next, lastName)
	}
	return last + 1, nil
}

func (k *Keyring) removeRetired() error {
	keys, err := k.read()
	if err != nil {
		return err
	}
	var errs []error
	for i, one := range keys {
		if live(keys, i, k.o.Now(), k.o.TokenLife) {
			continue
		}
		if err := os.Remove(filepath.Join(k.o.Dir, one.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove retired signing key: %w", err))
		}
	}
	return errors.Join(errs...)
}
