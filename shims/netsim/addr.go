// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// IP returns the IPv4 address of the node with that id: 10.0.x.y, from the three low
// bytes of the id.
func IP(id kernel.NodeID) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(id >> 16), byte(id >> 8), byte(id)})
}

// IP6 returns the IPv6 address of the node with that id: fd00:: and the id.
func IP6(id kernel.NodeID) netip.Addr {
	return netip.AddrFrom16([16]byte{0: 0xfd, 12: byte(id >> 24), 13: byte(id >> 16), 14: byte(id >> 8), 15: byte(id)})
}

var (
	loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	loopback6 = netip.IPv6Loopback()
	nodes4    = netip.MustParsePrefix("10.0.0.0/8")
	nodes6    = netip.MustParsePrefix("fd00::/96")
)

// nodeOf returns the id that an address stands for, which may be that of no node,
// and false for an address outside the simulated network.
func nodeOf(a netip.Addr) (kernel.NodeID, bool) {
	switch {
	case nodes4.Contains(a):
		b := a.As4()
		return kernel.NodeID(b[1])<<16 | kernel.NodeID(b[2])<<8 | kernel.NodeID(b[3]), true
	case nodes6.Contains(a):
		b := a.As16()
		return kernel.NodeID(b[12])<<24 | kernel.NodeID(b[13])<<16 | kernel.NodeID(b[14])<<8 | kernel.NodeID(b[15]), true
	}
	return 0, false
}

// own reports whether a is an address of the machine itself.
func (m *machine) own(a netip.Addr) bool {
	return a.IsLoopback() || a == IP(m.node.ID()) || a == IP6(m.node.ID())
}

// source returns the address from which the machine reaches a: of the same family,
// and the same address if it is the machine's own.
func (m *machine) source(a netip.Addr) netip.Addr {
	switch {
	case m.own(a):
		return a
	case a.Is4():
		return IP(m.node.ID())
	}
	return IP6(m.node.ID())
}

// family is the part of a network name that says which addresses it accepts.
type family uint8

const (
	anyFamily family = iota
	v4
	v6
)

// networks are the network names that are accepted.
var networks = map[string]struct {
	transport string
	family    family
}{
	"tcp": {"tcp", anyFamily}, "tcp4": {"tcp", v4}, "tcp6": {"tcp", v6},
	"udp": {"udp", anyFamily}, "udp4": {"udp", v4}, "udp6": {"udp", v6},
}

func (f family) accepts(a netip.Addr) bool {
	return f == anyFamily || (f == v4) == a.Is4()
}

// wildcard returns the address on which a listener of the family accepts all.
func (f family) wildcard() netip.Addr {
	if f == v4 {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

// parse splits an address into host and port. An empty host stays empty, and an empty
// address is that of port 0.
func parse(network, address string) (host string, port uint16, err error) {
	if address == "" {
		return "", 0, nil
	}
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = lookupPort(network, service)
	return host, port, err
}

// services are the names that may stand for a port. The real list is a file of the
// machine, which a simulation must not depend on.
var services = map[string]uint16{
	"": 0, "ftp": 21, "ssh": 22, "smtp": 25, "domain": 53, "http": 80, "pop3": 110,
	"ntp": 123, "imap": 143, "ldap": 389, "https": 443, "imaps": 993,
}

func lookupPort(network, service string) (uint16, error) {
	if port, ok := services[service]; ok {
		return port, nil
	}
	n, err := strconv.Atoi(service)
	switch {
	case err != nil:
		return 0, &net.DNSError{Err: "unknown port", Name: network + "/" + service, IsNotFound: true}
	case n < 0 || n > 65535:
		return 0, &net.AddrError{Err: "invalid port", Addr: service}
	}
	return uint16(n), nil
}

// resolve returns the addresses of a host name or literal that the family accepts.
func (m *machine) resolve(host string, f family) (netip.Addr, error) {
	addrs, err := m.lookup(host)
	if err != nil {
		return netip.Addr{}, err
	}
	for _, a := range addrs {
		if f.accepts(a) {
			return a, nil
		}
	}
	return netip.Addr{}, &net.AddrError{Err: "no suitable address found", Addr: host}
}

// lookup returns the addresses of a host name or literal, IPv4 first.
func (m *machine) lookup(host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap().WithZone("")}, nil
	}
	name := strings.TrimSuffix(host, ".")
	if strings.EqualFold(name, "localhost") {
		return []netip.Addr{loopback4, loopback6}, nil
	}
	if n := m.stack.sim.Node(name); n != nil {
		return []netip.Addr{IP(n.ID()), IP6(n.ID())}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}
