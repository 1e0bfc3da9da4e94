// rundir

// SPDX-License-Identifier: MPL-2.0

package ignored
