package starts

import (
	"sync"
	"time"
)

var (
	ticker = time.NewTicker(time.Second)
	pool   = newPool()
	idle   = func() { go work() }
	at     = time.Now()
)

type pool_ struct{}

func newPool() *pool_ {
	p := &pool_{}
	p.start()
	return p
}

func (p *pool_) start() { go work() }

func work() {}

func init() {
	go work()
	func() {
		time.AfterFunc(0, work)
	}()
	var wg sync.WaitGroup
	wg.Go(work)
	defer newPool()
	work()
}

func later() {
	go work()
	newPool()
}
