package nothing

import (
	"fmt"
	"sync"
)

type Dial struct{}

func (Dial) Dial() {}

func f(d Dial, mu *sync.Mutex) error {
	d.Dial()
	mu.Lock()
	return fmt.Errorf("%d: %w", 1, error(nil))
}
