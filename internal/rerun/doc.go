// SPDX-License-Identifier: MPL-2.0

// Package rerun lets a test binary run one of its own tests again, in a process of its own that has a temporary directory of its
// own and dies with the process that started it.
//
// [Start] is the starting process's side; [Task], [Await] and [Mark] are the started one's. The package knows how the go
// command and package testing talk to a test binary. What the test does there, and what becomes of it, is not its business.
package rerun
