//go:build !unix

package standalone

import "errors"

// lockDataDir does nothing on platforms without advisory locks; the embedded database has its
// own lock against two writers.
func lockDataDir(string) (unlock func(), err error) { return func() {}, nil }

// lockFile returns errors.ErrUnsupported: there are no advisory locks.
func lockFile(string, int) (unlock func(), err error) { return nil, errors.ErrUnsupported }
