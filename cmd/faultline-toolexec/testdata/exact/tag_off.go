// SPDX-License-Identifier: MPL-2.0

//go:build !tagged

package exact

var tagged = "tag off: " + Place()
