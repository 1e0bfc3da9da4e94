package quiet

import "bytes"

type node struct {
	next  *node
	items []int
	state int
	table []int
}

func bounded(n *node, buf []byte, limit int) int {
	for i := 0; i < len(n.items); i++ {
		n.items[i]++
	}
	for n.next != nil {
		n = n.next
	}
	for len(buf) > 0 && buf[0] == ' ' {
		buf = buf[1:]
	}
	for limit > 1 {
		limit /= 2
	}
	for i := range n.items {
		_ = i
	}
	for {
		if n.items[limit] == 0 {
			return limit
		}
		if limit++; limit == len(n.items) {
			break
		}
	}
	for n.state != 0 {
		n.state = step(limit)
	}
	var b bytes.Buffer
	for b.Len() > 0 {
		b.Next(1)
	}
	for n.next != nil {
		return 1
	}
	for m := map[int]int{1: 1}; len(m) > 0; {
		delete(m, 1)
	}
	for len(n.items) > 0 && n.items[0] > limit {
		rest := tail(n.items)
		n.items = rest
	}
	in := n.items
	for in[0] > limit {
		_, rest := 1, tail(in)
		if rest[0] == limit {
			break
		}
		in = rest
	}
	x, y := 1, 100
	for x < y {
		x, y = y, x+y
	}
	return x
}

func tail(items []int) []int { return items[1:] }

func step(x int) int { return x - 1 }

func channels(n *node, c chan int) {
	for n.state == 0 {
		<-c
	}
	for n.state == 0 {
		select {
		case v := <-c:
			n.state = v
		default:
		}
	}
	for n.state == 0 {
		for range c {
		}
	}
	for n.state == 0 {
		go bounded(n, nil, 1)
	}
}
