// SPDX-License-Identifier: MPL-2.0

package gaps

// linked returns the gap lines of every rewritten package in this binary. A
// build without the wrapper rewrites nothing and therefore carries none.
//
// The wrapper compiles another file in the place of this one. Nothing but the
// objects themselves can carry the lines from compile to link, since the go
// command takes most objects from its cache without asking the wrapper. So:
//
//   - to a package with gaps the wrapper adds a last file whose init function
//     hands the package's lines (Line, one string for each gap) to a function
//     of package runtime, reached by go:linkname. Package runtime is part of
//     every binary, package gaps is not;
//   - that function, in the file that the wrapper adds to package runtime,
//     appends to a list;
//   - the file in the place of this one declares linked without a body and
//     links it to the function of package runtime that returns the list.
//
// A binary thus knows the gaps of exactly the packages that were linked into
// it, also when it was built with -c, from a warm cache, or on another machine.
func linked() []string { return nil }
