package web

import (
	"strconv"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
)

// HeaderStored is the field by which a service tells the gateway how many bytes a request has stored, or will. The
// gateway removes it.
const HeaderStored = "X-Ecf-Stored"

// storedKey is the key of the request value that counts stored bytes.
type storedKey struct{}

// Stored returns the counter of the bytes that a request stores. It can be used concurrently, also after the request
// was given up.
func Stored(c *fiber.Ctx) *atomic.Int64 {
	n, ok := c.Context().UserValue(storedKey{}).(*atomic.Int64)
	if !ok {
		n = new(atomic.Int64)
		c.Context().SetUserValue(storedKey{}, n)
	}
	return n
}

// tellStored sets HeaderStored if the request has stored anything.
func tellStored(c *fiber.Ctx) {
	if n, ok := c.Context().UserValue(storedKey{}).(*atomic.Int64); ok && n.Load() > 0 {
		var room [20]byte
		c.Response().Header.SetCanonical(nameStored, strconv.AppendInt(room[:0], n.Load(), 10))
	}
}

var nameStored = []byte(HeaderStored)
