// Package faultline stands for the real one.
package faultline

import "context"

type Process struct{}

type Node struct{}

type World struct{ boots []func(*Node) }

func (w *World) AddProcess(name string, fn func(ctx context.Context, p *Process) error) {
	w.AddServer(name, func(*Node) { go fn(context.Background(), nil) })
}

func (w *World) AddServer(name string, boot func(*Node)) { w.boots = append(w.boots, boot) }

func Run(body func(*World)) {
	w := &World{}
	body(w)
	for _, boot := range w.boots {
		boot(nil)
	}
}
