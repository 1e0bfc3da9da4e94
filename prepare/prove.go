// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
)

// SelfTestVariable is the environment variable that gives a self-test its seed, a decimal number. The test
// binary is started with -test.run=^TestSelf$ and must write to the standard output what its run depended on:
// it is compared byte by byte.
const SelfTestVariable = "FAULTLINE_SELFTEST_SEED"

const (
	selfTestSeeds = 3
	selfTestRuns  = 4 // fresh processes per seed
)

// prove builds the self-test through the wrapper and runs it in fresh processes: the runs of a seed must agree,
// and those of different seeds must not.
func (j Job) prove(ctx context.Context, tc Toolchain, entry string) error {
	dir, err := os.MkdirTemp("", "faultline-selftest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := j.buildSelfTest(ctx, tc, entry, dir)
	if err != nil {
		return err
	}
	var results [][]byte
	for seed := range selfTestSeeds {
		first, err := runSelfTest(ctx, binary, seed)
		if err != nil {
			return err
		}
		for run := 1; run < selfTestRuns; run++ {
			again, err := runSelfTest(ctx, binary, seed)
			if err != nil {
				return err
			}
			if !slices.Equal(first, again) {
				return fmt.Errorf("self-test: two processes with seed %d differ under %s", seed, tc.Version)
			}
		}
		results = append(results, first)
	}
	if slices.Equal(results[0], results[1]) && slices.Equal(results[1], results[2]) {
		return fmt.Errorf("self-test: the seed decides nothing under %s", tc.Version)
	}
	return nil
}

// buildSelfTest writes the module of the self-test below dir and compiles it for the machine it runs on. Flags
// that the user set for modules of their own stay out.
func (j Job) buildSelfTest(ctx context.Context, tc Toolchain, entry, dir string) (string, error) {
	module := filepath.Join(dir, "module")
	for name, content := range j.SelfTest {
		file := absolute(module, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil {
			return "", err
		}
	}
	flag, err := ToolexecFlag(j.Wrapper)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "selftest.exe")
	cmd := tc.command(ctx, module, "test", "-c", "-buildvcs=false", "-vet=off", "-o", binary, flag, ".")
	cmd.Env = append(cmd.Env, EntryVariable+"="+entry, "GOFLAGS=", "GOWORK=off", "GO111MODULE=on",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the self-test with %s: %w%s", tc.Version, err, quoted(out))
	}
	return binary, nil
}

func runSelfTest(ctx context.Context, binary string, seed int) ([]byte, error) {
	cmd := exec.CommandContext(ctx, binary, "-test.run=^TestSelf$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), SelfTestVariable+"="+strconv.Itoa(seed))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("self-test with seed %d: %w%s", seed, withStderr(err), quoted(out))
	}
	return out, nil
}
