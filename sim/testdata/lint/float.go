// SPDX-License-Identifier: MPL-2.0

package fixture

import (
	"math"
	"time"
)

const ratio = 0.5 // want float

type config struct {
	Probability float64 // want float
}

func decide(c config, n int64, d time.Duration) bool {
	if float64(n)/2 > 1 { // want float
		return true
	}
	x := math.Sqrt(2)             // want float
	_ = x                         // want float
	_ = complex(1, 2)             // want float
	_ = d.Seconds()               // want float
	return c.Probability == ratio // want float
}

// Integer constants may be written with an exponent or come from package math.
func integers(n int64) int64 {
	const million = 1_000_000
	if n > math.MaxInt64/million {
		return math.MinInt64
	}
	return n * 1e9 / million
}
