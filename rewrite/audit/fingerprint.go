// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"embed"

	"github.com/hmdsefi/faultline/rewrite/source"
)

//go:embed *.go
var sources embed.FS

// Fingerprint identifies the rule. Two wrappers with one fingerprint find the same gaps in a package.
func Fingerprint() string { return source.FingerprintOf(sources) }
