package user

import (
	"context"
	"sync"
	"time"

	"github.com/hmdsefi/faultline"
)

type store interface{ load() }

type disk struct{}

func (disk) load() {
	_ = 0 // reached
}

type memory struct{}

func (memory) load() {
	_ = 0 // not reached
}

type service struct {
	store  store
	notify func()
}

func (s *service) run(ctx context.Context, p *faultline.Process) error {
	s.store.load()
	go s.background()
	s.notify()
	time.AfterFunc(time.Second, late)
	var once sync.Once
	once.Do(func() {
		_ = 0 // reached
	})
	generic(1)
	defer func() {
		_ = 0 // reached
	}()
	return nil
}

func (s *service) background() {
	_ = 0 // reached
}

func late() {
	_ = 0 // reached
}

func generic[T any](v T) {
	for range each(v) {
		_ = 0 // reached
	}
}

func each[T any](v T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		yield(v) // reached
	}
}

func unused() {
	_ = 0 // not reached
}

var table = unusedToo() // not reached

func unusedToo() int {
	return 0 // not reached
}

func boot(*faultline.Node) {
	_ = 0 // reached
}

func makeProcess(n int) func(context.Context, *faultline.Process) error {
	return func(context.Context, *faultline.Process) error {
		_ = n // reached
		return nil
	}
}
