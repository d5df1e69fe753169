//go:build !unix

package durable

import (
	"errors"
	"os"
)

// lock returns errors.ErrUnsupported: there are no advisory locks.
func lock(*os.File) error { return errors.ErrUnsupported }
