// SPDX-License-Identifier: MPL-2.0

// Package artifact owns the directory that a run leaves behind: which files it
// has, their formats and versions, how they are written so that a reader never
// sees half of them, how they are read back, and the texts and the page that
// are rendered from them.
//
// It must not know how a run is made: whoever runs a seed fills in a [Run]. It
// imports the packages of the simulated world for their types, gaps, and the text
// form of decisions. What is done with directories (find and remove them, show and
// compare runs, pin a seed) is for the packages below it.
// Nothing in it keeps state; all functions may be called concurrently, also for
// the same directory.
package artifact
