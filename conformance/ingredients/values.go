// SPDX-License-Identifier: MPL-2.0

package ingredients

import (
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"maps"
	mathrand "math/rand"
	randv2 "math/rand/v2"
	"reflect"
)

var values = []Ingredient{
	{Name: "map[string]", Run: func(l *Log) { walkMap(l, func(i int) string { return fmt.Sprint("key", i) }) }},
	{Name: "map[int]", Run: func(l *Log) { walkMap(l, func(i int) int { return i * 7919 }) }},
	{Name: "map[float64]", Run: func(l *Log) { walkMap(l, func(i int) float64 { return float64(i) / 3 }) }},
	{Name: "map[[2]string]", Run: func(l *Log) { walkMap(l, func(i int) [2]string { return [2]string{fmt.Sprint(i), "b"} }) }},
	{Name: "map[struct]", Run: func(l *Log) { walkMap(l, func(i int) point { return point{i, fmt.Sprint(i)} }) }},
	{Name: "map[interface]", Run: func(l *Log) { walkMap(l, mixedKey) }},
	{Name: "map[pointer]", Run: func(l *Log) { walkMap(l, func(i int) *int { return &i }) }},
	{Name: "map[chan]", Run: func(l *Log) { walkMap(l, func(int) chan int { return make(chan int) }) }},
	{Name: "map[interface] of pointers", Run: func(l *Log) { walkMap(l, func(i int) any { return &point{x: i} }) }},
	{Name: "map[pointer] of eight", Run: smallPointerMap},
	{Name: "map changed while it is walked", Run: changingMap},
	{Name: "reflect.MapRange", Run: reflectMap},
	{Name: "maps.Keys", Run: func(l *Log) {
		for key := range maps.Keys(map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}) {
			l.Add(key)
		}
	}},
	{Name: "math/rand", Run: mathRand},
	{Name: "math/rand/v2", Run: mathRandV2},
	{Name: "hash/maphash", Run: mapHash},
	{Name: "crypto/rand", Run: cryptoRand},
}

type point struct {
	x    int
	name string
}

func mixedKey(i int) any {
	switch i % 3 {
	case 0:
		return i
	case 1:
		return fmt.Sprint(i)
	default:
		return point{i, "mixed"}
	}
}

// walkMap logs the order of a map's elements by their values, which are the numbers of the keys.
func walkMap[K comparable](l *Log, key func(int) K) {
	m := map[K]int{}
	for i := range 40 {
		m[key(i)] = i
	}
	for _, i := range m {
		l.Add(i)
	}
	for k, i := range m {
		if i%2 == 0 {
			delete(m, k)
		}
	}
	for _, i := range m {
		l.Add(i)
	}
}

func smallPointerMap(l *Log) {
	for range 10 {
		m := map[*point]int{}
		for i := range 8 {
			m[&point{x: i}] = i
		}
		for key, i := range m {
			l.Add(key.x, i)
		}
	}
}

func changingMap(l *Log) {
	m := map[int]int{}
	for i := range 10 {
		m[i] = i
	}
	for key := range m {
		delete(m, key+1)
		if len(m) < 60 {
			m[key+100] = key
		}
		l.Add(key, len(m))
		if key > 400 {
			break
		}
	}
}

func reflectMap(l *Log) {
	m := map[string]int{}
	for i := range 20 {
		m[fmt.Sprint(i)] = i
	}
	for it := reflect.ValueOf(m).MapRange(); it.Next(); {
		l.Add(it.Key().String(), it.Value().Int())
	}
	for _, key := range reflect.ValueOf(m).MapKeys() {
		l.Add(key.String())
	}
}

func mathRand(l *Log) {
	crowd(4, func(id int) {
		for range 10 {
			l.Add(id, mathrand.Int63(), mathrand.Intn(10))
		}
	})
	l.Add(mathrand.Perm(12))
}

func mathRandV2(l *Log) {
	crowd(4, func(id int) {
		for range 10 {
			l.Add(id, randv2.Uint64(), randv2.IntN(10), randv2.Float64())
		}
	})
	l.Add(randv2.Perm(12))
}

// shards is how caches spread their keys: by a seed that a package variable holds.
var shards = maphash.MakeSeed()

func mapHash(l *Log) {
	for id := range 8 {
		l.Add(maphash.Comparable(shards, id)%4, maphash.String(shards, "key")%16)
	}
	seed := maphash.MakeSeed()
	var h maphash.Hash
	h.WriteString("faultline")
	l.Add(h.Sum64(), maphash.String(seed, "faultline"), maphash.Comparable(seed, point{1, "a"}))
}

func cryptoRand(l *Log) {
	crowd(3, func(id int) {
		b := make([]byte, 24)
		rand.Read(b)
		l.Add(id, b, rand.Text())
	})
}
