//go:build !unix

package gateway

import "net"

// peek cannot tell on this platform.
type peek struct{}

func (*peek) byPeer(net.Conn) bool { return false }
