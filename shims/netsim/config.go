// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"fmt"
	"time"
)

// Config says how TCP and UDP behave. The zero value means the defaults, which are
// those of Linux and of package net where there is one.
type Config struct {
	MSS        int // largest payload of a segment in bytes, 64 KiB: as with segmentation offload
	Window     int // receive buffer of a connection in bytes, 1 MiB
	SendBuffer int // send buffer of a connection in bytes, 1 MiB
	Backlog    int // connections that wait for Accept, 4096

	InitialRTO time.Duration // first retransmission without a measured round trip, 1 s
	MinRTO     time.Duration // 200 ms
	MaxRTO     time.Duration // where backoff ends, 120 s
	SynRetries int           // retransmissions before a dial times out, 6
	Retries    int           // retransmissions before a connection times out, 15
	AckDelay   time.Duration // longest wait for data that can carry an acknowledgement, 40 ms

	KeepAlive      time.Duration // idle time before and between probes, 15 s; negative: none
	KeepAliveCount int           // unanswered probes before a connection times out, 9

	Bandwidth int           // bytes per second that a node sends at most, 1.25e9 (10 Gbit/s); negative: no limit
	Loopback  time.Duration // delay of a segment from a node to itself, 10 µs
	UDPBuffer int           // bytes of datagrams that wait to be read, 208 KiB; more are dropped
}

// bound is one numeric field of a Config with its default and least value.
type bound[T int | time.Duration] struct {
	name       string
	field      *T
	fallback   T
	least      T
	acceptance string
}

// resolve fills in the defaults and returns an error that names the first field
// that is out of range.
func (c Config) resolve() (Config, error) {
	for _, b := range []bound[int]{
		{"MSS", &c.MSS, 64 << 10, 1, "1 or more bytes"},
		{"Window", &c.Window, 1 << 20, 1, "1 or more bytes"},
		{"SendBuffer", &c.SendBuffer, 1 << 20, 1, "1 or more bytes"},
		{"Backlog", &c.Backlog, 4096, 1, "1 or more connections"},
		{"SynRetries", &c.SynRetries, 6, 1, "1 or more"},
		{"Retries", &c.Retries, 15, 1, "1 or more"},
		{"KeepAliveCount", &c.KeepAliveCount, 9, 1, "1 or more"},
		{"Bandwidth", &c.Bandwidth, 1_250_000_000, -1 << 31, "any number of bytes"},
		{"UDPBuffer", &c.UDPBuffer, 208 << 10, 1, "1 or more bytes"},
	} {
		if err := b.resolve(); err != nil {
			return c, err
		}
	}
	for _, b := range []bound[time.Duration]{
		{"InitialRTO", &c.InitialRTO, time.Second, 1, "a positive duration"},
		{"MinRTO", &c.MinRTO, 200 * time.Millisecond, 1, "a positive duration"},
		{"MaxRTO", &c.MaxRTO, 120 * time.Second, 1, "a positive duration"},
		{"AckDelay", &c.AckDelay, 40 * time.Millisecond, 1, "a positive duration"},
		{"KeepAlive", &c.KeepAlive, 15 * time.Second, -1 << 63, "any duration"},
		{"Loopback", &c.Loopback, 10 * time.Microsecond, 1, "a positive duration"},
	} {
		if err := b.resolve(); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (b bound[T]) resolve() error {
	if *b.field == 0 {
		*b.field = b.fallback
	}
	if *b.field < b.least {
		return fmt.Errorf("netsim: %s is %v: accepted is %s, or 0 for %v", b.name, *b.field, b.acceptance, b.fallback)
	}
	return nil
}

// Validate returns an error that names the first field that is out of range.
func (c Config) Validate() error {
	_, err := c.resolve()
	return err
}
