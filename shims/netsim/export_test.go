// SPDX-License-Identifier: MPL-2.0

package netsim

import "github.com/hmdsefi/faultline/sim/kernel"

// SetNextPort makes the next dial of a node come from the port.
func (st *Stack) SetNextPort(n *kernel.Node, port uint16) { st.machine(n).nextPort = port }

// Conns returns how many connections the machine of a node knows.
func (st *Stack) Conns(n *kernel.Node) int { return len(st.machine(n).conns) }
