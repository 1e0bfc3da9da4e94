// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"fmt"
	"time"
)

// The delays of a link that is not configured otherwise.
const (
	DefaultLatency = time.Millisecond
	DefaultJitter  = 4 * time.Millisecond
)

// Config says how a network behaves at first.
type Config struct {
	// Link is what every link starts as and what ResetLink returns it to. The
	// zero value means DefaultLink().
	Link LinkConfig
}

// LinkConfig is the behaviour of one directed link. A message takes
//
//	Latency + a random part of Jitter [+ a random part of Tail]
//
// of virtual time, with both ends of a random part included. The PPM fields are
// probabilities in parts per million, from 0 to 1,000,000.
type LinkConfig struct {
	Latency time.Duration // least delay
	Jitter  time.Duration // added to every message, up to this much
	Tail    time.Duration // added to a message in TailPPM of a million cases, up to this much
	TailPPM int64
	DropPPM int64 // messages lost
	DupPPM  int64 // messages delivered twice, the second copy with a delay of its own
	FIFO    bool  // no message overtakes an earlier one of the link

	// Bandwidth is what the link carries in bytes a second; 0 is no limit. Messages
	// leave one behind the other, each with the bytes that its Size says. Queue is
	// how many bytes may wait for that; a message behind more is dropped. 0 is no
	// limit.
	Bandwidth int64
	Queue     int64

	// CorruptPPM is the probability that a message is damaged on its way, see
	// Corrupter.
	CorruptPPM int64
}

// DefaultLink returns a link with a delay of 1 to 5 ms, which can reorder, and
// with neither loss nor duplicates.
func DefaultLink() LinkConfig {
	return LinkConfig{Latency: DefaultLatency, Jitter: DefaultJitter}
}

// Validate returns an error that names the first field that is out of range.
func (c Config) Validate() error { return c.Link.Validate() }

// Validate returns an error that names the first field that is out of range.
func (c LinkConfig) Validate() error {
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"Latency", c.Latency}, {"Jitter", c.Jitter}, {"Tail", c.Tail}} {
		if f.value < 0 || f.value > maxDelay {
			return fmt.Errorf("simnet: link %s %v: durations from 0 to %v are accepted", f.name, f.value, maxDelay)
		}
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"TailPPM", c.TailPPM}, {"DropPPM", c.DropPPM}, {"DupPPM", c.DupPPM}, {"CorruptPPM", c.CorruptPPM}} {
		if f.value < 0 || f.value > 1_000_000 {
			return fmt.Errorf("simnet: link %s %d: 0 to 1000000 parts per million are accepted", f.name, f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"Bandwidth", c.Bandwidth}, {"Queue", c.Queue}} {
		if f.value < 0 {
			return fmt.Errorf("simnet: link %s %d: 0, for no limit, and more are accepted", f.name, f.value)
		}
	}
	return nil
}

// maxDelay keeps sums of delays far from the end of virtual time.
const maxDelay = 365 * 24 * time.Hour
