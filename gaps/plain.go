// SPDX-License-Identifier: MPL-2.0

package gaps

// linked returns the gap lines of every rewritten package in this binary. A
// build without the wrapper rewrites nothing and therefore carries none.
//
// The wrapper compiles another file in the place of this one. Nothing but the
// objects themselves can carry the lines from compile to link, since the go
// command takes most objects from its cache without asking the wrapper. So:
//
//   - to a package with gaps the wrapper adds a last file. It declares a function
//     without a body, with a go:linkname to runtime.faultlineGap, and calls it
//     from init with the package's lines (Line, one string for each gap).
//     Package runtime is part of every binary, package gaps is not;
//   - runtime.faultlineGap, in the file that the wrapper adds to package runtime,
//     appends to a list that runtime.faultlineGapList returns. Both carry the
//     directive go:linkname themselves, which lets other packages link to them;
//   - the file in the place of this one declares linked without a body and, by
//     the directive, as another name of runtime.faultlineGapList.
//
// A build of that form was tried with Go 1.26.8, plain and with -race.
//
// A binary thus knows the gaps of exactly the packages that were linked into
// it, also when it was built with -c, from a warm cache, or on another machine.
func linked() []string { return nil }
