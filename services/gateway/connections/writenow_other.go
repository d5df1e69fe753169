//go:build !unix

package connections

import "errors"

// nonblocking reports whether writeNow is available.
const nonblocking = false

func writeNow(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
