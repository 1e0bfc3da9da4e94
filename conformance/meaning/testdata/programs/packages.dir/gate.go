// SPDX-License-Identifier: MPL-2.0

package gate

import "sync/atomic"

type Gate struct{ open atomic.Bool }

func (g *Gate) Open() { g.open.Store(true) }

func (g *Gate) Wait() {
	for !g.open.Load() {
	}
}
