// SPDX-License-Identifier: MPL-2.0

// Package membership runs hashicorp/memberlist on a simulated network. It owns the adapter between the two; what memberlist must hold
// is in its test.
package membership

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/hmdsefi/faultline/shims/netsim"
)

// Transport is memberlist's NetTransport on a simulated host: packets are UDP datagrams, streams are TCP connections, both on one port.
type Transport struct {
	host    *netsim.Host
	packet  net.PacketConn
	stream  net.Listener
	packets chan *memberlist.Packet
	streams chan net.Conn
	loops   sync.WaitGroup
}

// NewTransport listens on all addresses of the host. It ends with Shutdown, or with the process of the host.
func NewTransport(host *netsim.Host, port int) (*Transport, error) {
	address := net.JoinHostPort("", strconv.Itoa(port))
	packet, err := host.ListenPacket("udp", address)
	if err != nil {
		return nil, err
	}
	stream, err := host.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(err, packet.Close())
	}
	t := &Transport{
		host: host, packet: packet, stream: stream,
		packets: make(chan *memberlist.Packet), streams: make(chan net.Conn),
	}
	t.loops.Go(t.receive)
	t.loops.Go(t.accept)
	return t, nil
}

// receive hands on datagrams until the socket is closed. memberlist empties the channel until Shutdown has returned.
func (t *Transport) receive() {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := t.packet.ReadFrom(buf)
		if err != nil {
			return
		}
		t.packets <- &memberlist.Packet{Buf: append([]byte(nil), buf[:n]...), From: from, Timestamp: time.Now()}
	}
}

func (t *Transport) accept() {
	for {
		conn, err := t.stream.Accept()
		if err != nil {
			return
		}
		t.streams <- conn
	}
}

// FinalAdvertiseAddr implements memberlist.Transport. The simulated network has no address translation, so what the user configured has
// no say in it.
func (t *Transport) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return t.host.IP().AsSlice(), t.stream.Addr().(*net.TCPAddr).Port, nil
}

// WriteTo implements memberlist.Transport.
func (t *Transport) WriteTo(b []byte, addr string) (time.Time, error) {
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return time.Time{}, fmt.Errorf("memberlist sends to an address and a port: %w", err)
	}
	_, err = t.packet.WriteTo(b, net.UDPAddrFromAddrPort(to))
	return time.Now(), err
}

// PacketCh implements memberlist.Transport.
func (t *Transport) PacketCh() <-chan *memberlist.Packet { return t.packets }

// DialTimeout implements memberlist.Transport.
func (t *Transport) DialTimeout(addr string, timeout time.Duration) (net.Conn, error) {
	return t.host.DialTimeout("tcp", addr, timeout)
}

// StreamCh implements memberlist.Transport.
func (t *Transport) StreamCh() <-chan net.Conn { return t.streams }

// Shutdown implements memberlist.Transport.
func (t *Transport) Shutdown() error {
	err := errors.Join(t.packet.Close(), t.stream.Close())
	t.loops.Wait()
	return err
}
