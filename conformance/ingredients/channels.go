// SPDX-License-Identifier: MPL-2.0

package ingredients

import (
	"reflect"
	"runtime"
	"sync"
	"time"
)

var channels = []Ingredient{
	{Name: "unbuffered channel", Run: fanIn(0)},
	{Name: "buffered channel", Run: fanIn(4)},
	{Name: "close as a broadcast", Run: closeBroadcast},
	{Name: "worker pool", Run: workerPool},
	{Name: "pipeline", Run: pipeline},
	{Name: "channel as a lock", Run: channelLock},
	{Name: "select among ready", Run: selectReady},
	{Name: "select with default", Run: selectDefault},
	{Name: "select against a timer", Run: selectTimer},
	{Name: "reflect.Select", Run: reflectSelect},
}

func fanIn(buffer int) func(*Log) {
	return func(l *Log) {
		c := make(chan [2]int, buffer)
		go func() {
			defer close(c)
			crowd(5, func(id int) {
				for i := range 20 {
					c <- [2]int{id, i}
				}
			})
		}()
		for v := range c {
			l.Add(v)
		}
	}
}

func closeBroadcast(l *Log) {
	gate := make(chan struct{})
	time.AfterFunc(time.Millisecond, func() { close(gate) })
	crowd(16, func(id int) {
		<-gate
		l.Add(id)
	})
}

func workerPool(l *Log) {
	jobs, results := make(chan int), make(chan [2]int, 8)
	go func() {
		for i := range 60 {
			jobs <- i
		}
		close(jobs)
	}()
	go func() {
		defer close(results)
		crowd(6, func(id int) {
			for job := range jobs {
				results <- [2]int{id, job}
			}
		})
	}()
	for r := range results {
		l.Add(r)
	}
}

func pipeline(l *Log) {
	stage := func(name string, in <-chan int) <-chan int {
		out := make(chan int, 1)
		go func() {
			defer close(out)
			for v := range in {
				l.Add(name, v)
				out <- v + 1
			}
		}()
		return out
	}
	source := make(chan int)
	go func() {
		defer close(source)
		for i := range 20 {
			source <- i
		}
	}()
	for v := range stage("c", stage("b", stage("a", source))) {
		l.Add(v)
	}
}

func channelLock(l *Log) {
	lock := make(chan struct{}, 1)
	shared := 0
	crowd(5, func(id int) {
		for range 15 {
			lock <- struct{}{}
			seen := shared
			<-lock
			lock <- struct{}{}
			shared = seen + 1 // a lost update whenever another got in between
			<-lock
		}
		l.Add(id)
	})
	l.Add(shared)
}

func selectReady(l *Log) {
	var cs [4]chan int
	for i := range cs {
		cs[i] = make(chan int, 50)
		for v := range 50 {
			cs[i] <- v
		}
	}
	for range 100 {
		select {
		case v := <-cs[0]:
			l.Add(0, v)
		case v := <-cs[1]:
			l.Add(1, v)
		case v := <-cs[2]:
			l.Add(2, v)
		case v := <-cs[3]:
			l.Add(3, v)
		}
	}
}

func selectDefault(l *Log) {
	c := make(chan int)
	var wg sync.WaitGroup
	for id := range 3 {
		wg.Go(func() {
			for i := range 10 {
				c <- id*100 + i
			}
		})
	}
	misses := 0
	for got := 0; got < 30; {
		select {
		case v := <-c:
			l.Add(v, misses)
			got++
		default:
			misses++
			runtime.Gosched()
		}
	}
	wg.Wait()
}

func selectTimer(l *Log) {
	crowd(8, func(id int) {
		c := make(chan int, 1)
		time.AfterFunc(5*time.Millisecond, func() { c <- id })
		select {
		case v := <-c:
			l.Add("value", v)
		case <-time.After(5 * time.Millisecond):
			l.Add("timeout", id)
		}
	})
}

func reflectSelect(l *Log) {
	cases := make([]reflect.SelectCase, 5)
	for i := range cases {
		c := make(chan int, 20)
		for v := range 20 {
			c <- v
		}
		close(c)
		cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
	}
	for len(cases) > 0 {
		i, v, ok := reflect.Select(cases)
		if ok {
			l.Add(i, v.Int())
			continue
		}
		cases = append(cases[:i], cases[i+1:]...)
	}
}
