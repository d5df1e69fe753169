package connections

import "net/netip"

// crowd is the set of open connections by address. All its operations take constant
// time, regardless of the number of addresses.
type crowd struct {
	all  int
	from map[netip.Addr]map[*countedConn]bool
	// sized maps a number of connections to the addresses that have it, without trusted
	// ones; most is the highest such number.
	sized map[int]map[netip.Addr]bool
	most  int
}

// of returns the number of connections of an address.
func (c *crowd) of(address netip.Addr) int { return len(c.from[address]) }

func (c *crowd) add(address netip.Addr, conn *countedConn) {
	c.all++
	conns := c.from[address]
	if conns == nil {
		conns = map[*countedConn]bool{}
		if c.from == nil {
			c.from = map[netip.Addr]map[*countedConn]bool{}
		}
		c.from[address] = conns
	}
	conns[conn] = true
	if !conn.trusted {
		c.resize(address, len(conns)-1, len(conns))
	}
}

func (c *crowd) remove(address netip.Addr, conn *countedConn) {
	conns := c.from[address]
	c.all--
	delete(conns, conn)
	if len(conns) == 0 {
		delete(c.from, address)
	}
	if !conn.trusted {
		c.resize(address, len(conns)+1, len(conns))
	}
}

// resize updates sized after the number of connections of an address has changed.
func (c *crowd) resize(address netip.Addr, before, now int) {
	if c.sized == nil {
		c.sized = map[int]map[netip.Addr]bool{}
	}
	if now > 0 {
		if c.sized[now] == nil {
			c.sized[now] = map[netip.Addr]bool{}
		}
		c.sized[now][address] = true
	}
	delete(c.sized[before], address)
	if len(c.sized[before]) == 0 {
		delete(c.sized, before)
		if c.most == before {
			c.most = now
		}
	}
	c.most = max(c.most, now)
}

// waiting returns a connection that is waiting for its client, of the address with the
// most connections; nil if that address has no more than the newcomer would have.
func (c *crowd) waiting(newcomer netip.Addr) *countedConn {
	if c.most <= c.of(newcomer)+1 {
		return nil
	}
	for address := range c.sized[c.most] {
		for conn := range c.from[address] {
			if conn.waits() {
				return conn
			}
		}
		break // checking one address is enough: there may be many
	}
	return nil
}
