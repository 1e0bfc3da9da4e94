// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"math/rand/v2"
	"sync"
)

// lockedSource lets several goroutines draw from one stream.
type lockedSource struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Uint64()
}

// lockedRand returns a generator that draws from r and may be shared by goroutines.
func lockedRand(r *rand.Rand) *rand.Rand { return rand.New(&lockedSource{r: r}) }
