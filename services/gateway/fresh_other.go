//go:build !unix

package gateway

import "net"

// closedByPeer cannot tell on this platform.
func closedByPeer(net.Conn) bool { return false }
