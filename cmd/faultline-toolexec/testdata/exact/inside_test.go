// SPDX-License-Identifier: MPL-2.0

package exact

import "testing"

func TestInside(t *testing.T) { t.Log(Place()) }
