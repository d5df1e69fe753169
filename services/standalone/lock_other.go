//go:build !unix

package standalone

import "errors"

// lockDataDir does nothing where there are no advisory locks; the embedded
// database has its own against two writers at once.
func lockDataDir(string) (unlock func(), err error) { return func() {}, nil }

// lockFile returns errors.ErrUnsupported: there are no advisory locks.
func lockFile(string, int) (unlock func(), err error) { return nil, errors.ErrUnsupported }
