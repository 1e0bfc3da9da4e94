package generic

import "sync/atomic"

type node struct{ next atomic.Pointer[node] }

type link *node

type list[T any] struct {
	head atomic.Pointer[item[T]]
}

type item[T any] struct {
	value T
	next  *item[T]
}

func (l *list[T]) push(v T) {
	n := &item[T]{value: v}
	for {
		n.next = l.head.Load()
		if l.head.CompareAndSwap(n.next, n) {
			return
		}
	}
}

func (n *node) insert(m *node, l link) {
	n.next.Store(m)
	n.next.Store(nil)
	n.next.Store(l)
	n.next.CompareAndSwap(nil, m)
	n.next.CompareAndSwap(nil, l)
	n.next.Swap(n.next.Load().next.Load())
	load := n.next.Load
	load()
	type local struct{ n int }
	var p atomic.Pointer[local]
	p.Store(&local{1})
	defer p.Store(nil)
	(*atomic.Pointer[local]).Store(&p, nil)
	(*atomic.Pointer[local]).Load(&p)
}
