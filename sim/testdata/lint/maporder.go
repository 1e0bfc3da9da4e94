// SPDX-License-Identifier: MPL-2.0

package fixture

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"sort"
	"sync"
)

type table map[string]int

func unsorted(m map[string]int, t table, s *sync.Map) int {
	sum := 0
	for _, v := range m { // want map-order
		sum += v
	}
	for range t { // want map-order
		sum++
	}
	var keys []string
	for k := range m { // want map-order
		keys = append(keys, k)
	}
	sum++
	slices.Sort(keys)
	for k := range m { // want map-order
		keys = append(keys, k)
	}
	slices.Reverse(keys)
	for k := range m { // want map-order
		if k != "" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var others []string
	for k := range m { // want map-order
		others = append(others, k)
	}
	slices.Sort(keys)
	for k := range maps.Keys(m) { // want map-order
		keys = append(keys, k)
	}
	_ = slices.Collect(maps.Values(m))                     // want map-order
	s.Range(func(any, any) bool { return true })           // want map-order
	_ = reflect.ValueOf(m).MapKeys()                       // want map-order
	_ = slices.MaxFunc(slices.Collect(maps.Keys(t)), less) // want map-order
	return sum
}

func less(a, b string) int { return cmp.Compare(a, b) }

func sorted(m map[string]int, n int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	switch n {
	case 1:
		for k := range m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
	}
	keys = append(keys, slices.Sorted(maps.Keys(m))...)
	keys = append(keys, slices.SortedFunc(maps.Keys(m), less)...)
	for range keys {
		n++
	}
	return keys
}
