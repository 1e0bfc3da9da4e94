// SPDX-License-Identifier: MPL-2.0

package fixture

import (
	"context"
	wall "time"
)

func clocks(ctx context.Context) wall.Duration {
	start := wall.Now()          // want wall-clock
	wall.Sleep(wall.Millisecond) // want wall-clock
	now := wall.Now              // want wall-clock
	_ = wall.Until(now())        // want wall-clock
	t := wall.NewTimer(0)        // want wall-clock
	t.Stop()
	_, cancel := context.WithTimeout(ctx, 0) // want wall-clock
	cancel()
	return wall.Since(start) // want wall-clock
}

// Arithmetic on given times is free.
func arithmetic(t wall.Time, d wall.Duration) wall.Time {
	return t.Add(2 * d).Truncate(wall.Second)
}

// A method of the same name is another thing.
type virtual struct{}

func (virtual) Now() int { return 0 }

var _ = virtual{}.Now()
