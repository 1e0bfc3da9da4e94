// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/sim/simdisk"
)

// oracle says which states a crash may leave. It is naive on purpose: it remembers
// every change and tries every combination of those that were not promised.
type oracle struct {
	config simdisk.Config
	root   *node
	moves  []move // since the last crash
}

// node is a file or a directory.
type node struct {
	kids map[string]*node // of a directory, as operations see it; nil for a file
	was  map[string]*node // what kids was after the last crash

	live    []byte  // what reads show
	certain []byte  // what was promised
	doubts  []doubt // what was not, in order
}

// doubt is an unsynced change of a file.
type doubt struct {
	off  int
	data []byte // nil for a truncation to off
}

// move is a change of directory entries.
type move struct {
	edits []edit
	must  bool // promised
}

type edit struct {
	dir  *node
	name string
	to   *node
}

func newOracle(c simdisk.Config) *oracle {
	return &oracle{config: c, root: adopt(map[string]string{"/": "/"}, "/")}
}

func (d doubt) apply(b []byte) []byte {
	b = bytes.Clone(b)
	end := d.off + len(d.data)
	if d.data == nil && end < len(b) {
		return b[:end]
	}
	for len(b) < end {
		b = append(b, 0)
	}
	copy(b[d.off:], d.data)
	return b
}

// at returns what a path stands for, or nil.
func (o *oracle) at(name string) *node {
	n := o.root
	for _, elem := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' }) {
		if n = n.kids[elem]; n == nil {
			return nil
		}
	}
	return n
}

func (o *oracle) edit(name string, to *node) edit {
	return edit{o.at(path.Dir(name)), path.Base(name), to}
}

func (o *oracle) move(edits ...edit) {
	for _, e := range edits {
		e.put(e.dir.kids)
	}
	o.moves = append(o.moves, move{edits: edits, must: o.config.Metadata == simdisk.MetadataImmediate})
}

func (e edit) put(kids map[string]*node) {
	if e.to == nil {
		delete(kids, e.name)
	} else {
		kids[e.name] = e.to
	}
}

func (o *oracle) create(name string)     { o.move(o.edit(name, &node{})) }
func (o *oracle) mkdir(name string)      { o.move(o.edit(name, &node{kids: map[string]*node{}})) }
func (o *oracle) remove(name string)     { o.move(o.edit(name, nil)) }
func (o *oracle) rename(from, to string) { o.move(o.edit(from, nil), o.edit(to, o.at(from))) }

func (o *oracle) change(name string, d doubt) {
	n := o.at(name)
	n.live = d.apply(n.live)
	n.doubts = append(n.doubts, d)
}

func (o *oracle) sync(name string, ok bool) {
	n := o.at(name)
	if ok {
		for _, d := range n.doubts {
			n.certain = d.apply(n.certain)
		}
	}
	if ok || o.config.FailedSync != simdisk.FailedSyncRetain {
		n.doubts = nil
	}
}

func (o *oracle) syncDir(name string) {
	dir := o.at(name)
	for i, m := range o.moves {
		if slices.ContainsFunc(m.edits, func(e edit) bool { return e.dir == dir }) {
			o.moves[i].must = true
		}
	}
}

// crashed checks the state that a crash left, and takes it over.
func (o *oracle) crashed(v *simdisk.Volume) error {
	seen := observe(v, "/")
	if !o.allowed(seen, nil, nil, o.moves) {
		return fmt.Errorf("the crash left %v", seen)
	}
	o.moves = nil
	o.root = adopt(seen, "/")
	return nil
}

// observe returns the content of every file by its path, and "/" for a directory.
func observe(v *simdisk.Volume, dir string) map[string]string {
	seen := map[string]string{dir: "/"}
	entries, _ := v.ReadDir(dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			maps.Copy(seen, observe(v, name))
		} else {
			data, _ := v.ReadFile(name)
			seen[name] = "f" + string(data)
		}
	}
	return seen
}

// adopt makes a tree of what was seen, all of it certain.
func adopt(seen map[string]string, name string) *node {
	if seen[name] != "/" {
		data := []byte(seen[name][1:])
		return &node{live: data, certain: data}
	}
	n := &node{kids: map[string]*node{}, was: map[string]*node{}}
	for other := range seen {
		if other != "/" && path.Dir(other) == name {
			kid := adopt(seen, other)
			n.kids[path.Base(other)], n.was[path.Base(other)] = kid, kid
		}
	}
	return n
}

// allowed tries every choice among the moves that are left: each that was promised
// happened, and in each directory what happened is the beginning of what was done.
func (o *oracle) allowed(seen map[string]string, happened []move, missing []*node, left []move) bool {
	if len(left) == 0 {
		return o.matches(seen, happened)
	}
	m := left[0]
	blocked := slices.ContainsFunc(m.edits, func(e edit) bool { return slices.Contains(missing, e.dir) })
	if !blocked && o.allowed(seen, append(slices.Clip(happened), m), missing, left[1:]) {
		return true
	}
	if m.must {
		return false
	}
	missing = slices.Clip(missing)
	for _, e := range m.edits {
		missing = append(missing, e.dir)
	}
	return o.allowed(seen, happened, missing, left[1:])
}

// matches reports whether the moves lead to the tree that was seen, with contents
// that are allowed.
func (o *oracle) matches(seen map[string]string, happened []move) bool {
	kids := map[*node]map[string]*node{}
	kidsOf := func(n *node) map[string]*node {
		if kids[n] == nil {
			kids[n] = map[string]*node{}
			maps.Copy(kids[n], n.was)
		}
		return kids[n]
	}
	for _, m := range happened {
		for _, e := range m.edits {
			e.put(kidsOf(e.dir))
		}
	}
	found := 0
	var walk func(name string, n *node) bool
	walk = func(name string, n *node) bool {
		found++
		if n.kids == nil {
			return strings.HasPrefix(seen[name], "f") && o.contents(n)[seen[name][1:]]
		}
		for base, kid := range kidsOf(n) {
			if !walk(path.Join(name, base), kid) {
				return false
			}
		}
		return seen[name] == "/"
	}
	return walk("/", o.root) && found == len(seen)
}

// contents returns what a file may hold after a crash.
func (o *oracle) contents(n *node) map[string]bool {
	found := map[string]bool{}
	for _, model := range []struct {
		name simdisk.CrashModel
		add  func(*node, int, map[string]bool)
	}{
		{simdisk.CrashLoseUnsynced, func(n *node, _ int, found map[string]bool) { found[string(n.certain)] = true }},
		{simdisk.CrashKeepPrefix, addPrefixes},
		{simdisk.CrashKeepSubset, func(n *node, _ int, found map[string]bool) { addSubsets(n.certain, n.doubts, found) }},
		{simdisk.CrashTorn, addTorn},
	} {
		if o.config.Crash == model.name || o.config.Crash == simdisk.CrashAny {
			model.add(n, o.config.Sector, found)
		}
	}
	return found
}

func addPrefixes(n *node, _ int, found map[string]bool) {
	b := n.certain
	found[string(b)] = true
	for _, d := range n.doubts {
		b = d.apply(b)
		found[string(b)] = true
	}
}

func addSubsets(b []byte, doubts []doubt, found map[string]bool) {
	if len(doubts) == 0 {
		found[string(b)] = true
		return
	}
	addSubsets(b, doubts[1:], found)
	addSubsets(doubts[0].apply(b), doubts[1:], found)
}

func addTorn(n *node, sector int, found map[string]bool) {
	b := n.certain
	found[string(b)] = true
	for _, d := range n.doubts {
		var pieces []doubt
		for i, c := range d.data {
			if i == 0 || (d.off+i)%sector == 0 {
				pieces = append(pieces, doubt{off: d.off + i, data: []byte{}})
			}
			last := &pieces[len(pieces)-1]
			last.data = append(last.data, c)
		}
		addSubsets(b, pieces, found)
		b = d.apply(b)
		found[string(b)] = true
	}
}
