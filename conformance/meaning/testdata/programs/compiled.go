// errorcheck

// SPDX-License-Identifier: MPL-2.0

// Compiled is no program.
package main
