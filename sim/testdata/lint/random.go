// SPDX-License-Identifier: MPL-2.0

package fixture

import (
	crypto "crypto/rand"
	"hash/maphash"
	old "math/rand"
	"math/rand/v2"
)

func draws(r *rand.Rand) uint64 {
	b := make([]byte, 8)
	_, _ = crypto.Read(b)         // want random
	_ = maphash.MakeSeed()        // want random
	_ = old.Int()                 // want random
	_ = old.New(old.NewSource(1)) // want random
	_ = rand.IntN(3)              // want random
	pick := rand.Uint64           // want random
	_ = pick()

	// A generator with a seed is what the simulator draws from.
	seeded := rand.New(rand.NewPCG(1, 2))
	return r.Uint64() + seeded.Uint64N(3)
}
