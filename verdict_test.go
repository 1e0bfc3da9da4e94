// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// attempts counts the attempts of the process, which no test body should do.
var attempts int

// failing are bodies that fail, and how.
var failing = map[string]struct {
	body              func(w *faultline.World)
	opts              faultline.Options
	signature, output string
}{
	"final": {
		body: func(w *faultline.World) {
			w.Final("two and two", func() error { return errors.New("five") })
		},
		signature: "final:two and two",
		output:    `final check "two and two" failed at t=1\.000000000s \(event 0\)\n\s+five`,
	},
	"panic": {
		body:      ticker(func(_ *faultline.World, n int) { explodeAt(n, 3) }),
		signature: "panic:github.com/hmdsefi/faultline_test.explodeAt",
		output:    `panic in github.com/hmdsefi/faultline_test.explodeAt at t=0\.200000000s \(event 3\)\n\s+boom 3 \(string\)\n(.*\n)*.*verdict_test.go:\d+`,
	},
	"fatal": {
		body:      ticker(fatalAtFour),
		signature: "fail:github.com/hmdsefi/faultline_test.fatalAtFour",
		output:    `at t=0\.300000000s \(event 4\)\n\s+four`,
	},
	"errors": {
		body:      ticker(errorAtFourAndSix),
		signature: "fail:github.com/hmdsefi/faultline_test.errorAtFourAndSix",
		output:    `at t=0\.300000000s \(event 4\)\n\s+tick 4\n\s+tick 6`,
	},
	"sim": {
		body:      ticker(func(w *faultline.World, n int) { w.Sim.Fail(errors.New("by hand")) }),
		signature: "fail:the simulation",
		output:    `by hand`,
	},
	"limit": {
		body:      ticker(func(w *faultline.World, n int) {}),
		opts:      faultline.Options{MaxEvents: 5},
		signature: "limit:events",
		output:    `the run wanted more than 5 events; raise Options.MaxEvents, or set AllowLimit`,
	},
	"determinism of a failure": {
		body: func(w *faultline.World) {
			attempts++
			was := attempts
			ticker(func(w *faultline.World, n int) {
				w.Sim.Node("n1").Logf("tick %d of attempt %d", n, was)
				if n == 5 {
					w.T().Fatal("five")
				}
			})(w)
		},
		signature: "determinism:trace",
		output:    `(?s)first run: .* fail:.*last record in common:.*then one run has:.*tick 1 of attempt.*likely causes:\n.*package variables`,
	},
	"determinism of a pass": {
		body: func(w *faultline.World) {
			attempts++
			was := attempts
			ticker(func(w *faultline.World, n int) {
				if n == 5 {
					w.Sim.Node("n1").Logf("attempt %d", was)
				}
			})(w)
		},
		opts:      faultline.Options{CheckDeterminism: true},
		signature: "determinism:trace",
		output:    `(?s)first run: .* pass.*second run: .* pass.*then one run has: .*attempt`,
	},
	"only the first attempt fails": {
		body: func(w *faultline.World) {
			attempts++
			was := attempts
			w.Final("even attempts", func() error {
				if was%2 == 1 {
					return errors.New("odd")
				}
				return nil
			})
		},
		signature: "determinism:trace",
		output:    `(?s)first run: .* final:even attempts.*second run: .* pass`,
	},
}

func explodeAt(n, at int) {
	if n == at {
		panic(fmt.Sprintf("boom %d", n))
	}
}

func fatalAtFour(w *faultline.World, n int) {
	if n == 4 {
		w.T().Fatal("four")
	}
}

func errorAtFourAndSix(w *faultline.World, n int) {
	if n == 4 || n == 6 {
		w.T().Errorf("tick %d", n)
	}
}

func TestHelperFailing(t *testing.T) {
	helper(t)
	for name, f := range failing {
		t.Run(name, func(t *testing.T) {
			f.opts.Seeds, f.opts.Duration = 1, time.Second
			faultline.Run(t, f.opts, f.body)
		})
	}
}

func TestVerdicts(t *testing.T) {
	for name, f := range failing {
		t.Run(name, func(t *testing.T) {
			r := startHelper(t, nil, "-test.run", "^TestHelperFailing$/^"+rewritten(name)+"$")
			line := r.wantFailure(t, f.signature)
			r.want(t, f.output)
			if _, err := os.Stat(line["artifact"].(string)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAllowLimit(t *testing.T) {
	opts := second
	opts.MaxEvents, opts.AllowLimit = 5, true
	faultline.Run(t, opts, func(w *faultline.World) {
		ticker(func(*faultline.World, int) {})(w)
		w.Final("not reached", func() error { return errors.New("the final check ran") })
	})
}

func TestHelperSkip(t *testing.T) {
	helper(t)
	faultline.Run(t, second, ticker(func(w *faultline.World, n int) {
		if n == 2 {
			w.T().Skip("not today")
		}
	}))
}

func TestSkip(t *testing.T) {
	r := runVerbose(t, "TestHelperSkip")
	if r.code != 0 || len(r.results) != 3 {
		t.Fatalf("exit code %d, results %v\n%s", r.code, r.results, r.output)
	}
	for _, line := range r.results {
		if line["status"] != "skip" || line["message"] != "not today" {
			t.Errorf("results line %v", line)
		}
	}
	r.want(t, `--- SKIP: TestHelperSkip/seed=`)
}

func TestHelperLogs(t *testing.T) {
	helper(t)
	opts := second
	opts.Seeds = 1
	faultline.Run(t, opts, func(w *faultline.World) {
		dir := w.T().TempDir()
		w.T().Cleanup(func() { w.T().Log("cleanup one") })
		w.T().Cleanup(func() {
			_, err := os.Stat(dir)
			w.T().Log("cleanup two", err)
		})
		w.T().Setenv("HELPER_VALUE", "set")
		logThrough(w.T(), "through a helper")
		w.Final("fails", func() error { return errors.New(os.Getenv("HELPER_VALUE")) })
	})
	if os.Getenv("HELPER_VALUE") != "" {
		t.Error("the variable is still set")
	}
}

func logThrough(t testing.TB, text string) {
	t.Helper()
	t.Log(text)
}

// A seed that fails runs twice, and its logs appear once, with the caller's place.
func TestLogsOfAnAttempt(t *testing.T) {
	r := runHelper(t, "TestHelperLogs")
	r.wantFailure(t, "final:fails")
	for _, text := range []string{"through a helper", "cleanup two <nil>", "cleanup one"} {
		if n := strings.Count(r.output, text); n != 1 {
			t.Errorf("%q appears %d times:\n%s", text, n, r.output)
		}
	}
	r.want(t, `(?s)verdict_test.go:\d+: through a helper.*cleanup two.*cleanup one.*final check "fails" failed.*\n\s+set\n`)
	if strings.Contains(r.output, "still set") {
		t.Error("Setenv outlived the attempt")
	}
}

func TestCryptoIsSeeded(t *testing.T) {
	draw := func(t *testing.T, opts faultline.Options) [2][8]byte {
		var got [2][8]byte
		for i := range got {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				opts.Seeds, opts.BaseSeed, opts.Duration = 1, 1, time.Second
				faultline.Run(t, opts, func(w *faultline.World) {
					w.AddServer("n1", func(*kernel.Node) { rand.Read(got[i][:]) })
				})
			})
		}
		return got
	}
	if got := draw(t, faultline.Options{}); got[0] != got[1] {
		t.Errorf("one seed drew %x and %x", got[0], got[1])
	}
	if got := draw(t, faultline.Options{NoCryptoSeed: true}); got[0] == got[1] {
		t.Errorf("without a crypto seed two runs drew %x", got[0])
	}
}
