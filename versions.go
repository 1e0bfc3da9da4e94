// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/hmdsefi/faultline/artifact"
)

// Version is the version of faultline.
const Version = "v0.2.0"

const modulePath = "github.com/hmdsefi/faultline"

// versions says what the test binary was built from.
func versions() artifact.Versions {
	return artifact.Versions{
		Faultline:  moduleVersion(),
		Go:         runtime.Version(),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		BinaryHash: binaryHash(),
	}
}

// moduleVersion returns the version that the binary was built with: that of the build
// information if it has a released one.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return Version
}

// binaryHash identifies the running binary; empty if it cannot be read.
var binaryHash = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
})

// encode returns the options as a JSON object, for the report and for comparison.
func (o Options) encode() json.RawMessage {
	data, err := json.Marshal(o)
	if err != nil {
		return nil // an option that JSON cannot hold
	}
	return data
}

func hashBytes(data []byte) uint64 {
	h := fnv.New64a()
	h.Write(data)
	return h.Sum64()
}
