package gateway

import "net/netip"

// crowd is the connections that there are, by address. Whatever is asked of it takes the
// same however many addresses there are.
type crowd struct {
	all  int
	from map[netip.Addr]map[*countedConn]bool
	// sized are the addresses by how many connections they have, trusted ones aside, and most
	// is how many those with the most have.
	sized map[int]map[netip.Addr]bool
	most  int
}

// of returns how many connections an address has.
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

// resize notes that an address has one connection more or less than before.
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

// waiting returns a connection that waits for its client, of an address that has the most;
// nil where that has no more than the newcomer's would have.
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
		break // the others would be no different, and there may be many
	}
	return nil
}
