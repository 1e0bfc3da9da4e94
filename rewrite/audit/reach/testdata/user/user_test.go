package user

import (
	"context"
	"testing"

	"github.com/hmdsefi/faultline"
)

func TestWorld(t *testing.T) {
	memory{}.load()
	var other store = memory{}
	other.load()
	func() {
		_ = 0 // not reached
	}()
	s := &service{store: disk{}, notify: func() {
		_ = 0 // reached
	}}
	faultline.Run(func(w *faultline.World) {
		_ = 0 // not reached
		w.AddProcess("a", s.run)
		w.AddProcess("b", makeProcess(1))
		w.AddServer("c", boot)
		w.AddServer("d", func(*faultline.Node) {
			_ = 0 // reached
		})
		process := func(ctx context.Context, p *faultline.Process) error {
			return helper() // reached
		}
		w.AddProcess("e", process)
	})
}

func helper() error {
	return nil // reached
}
