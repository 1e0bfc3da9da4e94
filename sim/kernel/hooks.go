// SPDX-License-Identifier: MPL-2.0

package kernel

// hooks are the functions that layers above the kernel run at its turning
// points, in the order in which they were added. None can be removed.
type hooks struct {
	boot, crash, restart, pause, resume, clock []func(*Node)
	event                                      []func()
}

// OnBoot adds a function that runs at every boot of a node, the first and each
// restart, before the node's own boot function.
func (s *Sim) OnBoot(fn func(*Node)) { s.hooks.boot = append(s.hooks.boot, fn) }

// OnCrash adds a function that runs when a node has crashed: the node is down,
// its timers are gone, and Inc is still the incarnation that died.
func (s *Sim) OnCrash(fn func(*Node)) { s.hooks.crash = append(s.hooks.crash, fn) }

// OnRestart adds a function that runs when a node boots again after a crash,
// before the OnBoot functions.
func (s *Sim) OnRestart(fn func(*Node)) { s.hooks.restart = append(s.hooks.restart, fn) }

// OnPause adds a function that runs when a node was paused.
func (s *Sim) OnPause(fn func(*Node)) { s.hooks.pause = append(s.hooks.pause, fn) }

// OnResume adds a function that runs when a node was resumed, before what it
// missed.
func (s *Sim) OnResume(fn func(*Node)) { s.hooks.resume = append(s.hooks.resume, fn) }

// OnClock adds a function that runs when a node's clock was moved or its drift
// changed.
func (s *Sim) OnClock(fn func(*Node)) { s.hooks.clock = append(s.hooks.clock, fn) }

// OnEvent adds a function that runs after every event, still under its cause:
// the place for invariants.
func (s *Sim) OnEvent(fn func()) { s.hooks.event = append(s.hooks.event, fn) }

func (n *Node) each(fns []func(*Node)) {
	for _, fn := range fns {
		fn(n)
	}
}
