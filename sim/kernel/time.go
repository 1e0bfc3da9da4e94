// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"fmt"
	"math"
	"time"
)

// Epoch is the wall-clock time of virtual time 0: the instant at which a
// testing/synctest bubble starts too.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Time is an instant of virtual time in nanoseconds since [Epoch].
type Time int64

const maxTime = Time(math.MaxInt64)

// Add returns t+d. A sum beyond the range of Time is its largest or smallest
// value.
func (t Time) Add(d time.Duration) Time {
	sum := t + Time(d)
	if d > 0 && sum < t {
		return maxTime
	}
	if d < 0 && sum > t {
		return math.MinInt64
	}
	return sum
}

// Sub returns the time from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Wall returns t as a wall-clock time in UTC.
func (t Time) Wall() time.Time { return Epoch.Add(time.Duration(t)) }

// String formats t in seconds with nine decimals, such as "5.873034010s".
func (t Time) String() string {
	sign, ns := "", uint64(t)
	if t < 0 {
		sign, ns = "-", -ns
	}
	return fmt.Sprintf("%s%d.%09ds", sign, ns/1e9, ns%1e9)
}
