// SPDX-License-Identifier: MPL-2.0

// Package page_test looks at timeline.html in a real browser, as it is in the
// artifacts of runs that fail.
package page_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/conformance/browser"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// patience bounds what a busy machine may take for one page.
const patience = 2 * time.Minute

// failing is a test that fails on purpose.
type failing struct {
	name, dir, test, env string
}

var (
	service = failing{"kv", "examples/kv", "TestKVSkipSyncDir", ""}
	harness = failing{"etcdraft", "harness/etcdraft", "TestBrokenHelper", "ETCDRAFT_TEST_BUG=snapshot off by one"}
)

var artifacts struct {
	sync.Mutex
	root string
	dirs map[string]string
}

func TestMain(m *testing.M) {
	root, err := os.MkdirTemp("", "page-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	artifacts.root, artifacts.dirs = root, map[string]string{}
	code := m.Run()
	if shared.Browser != nil {
		shared.Close()
	}
	os.RemoveAll(root)
	os.Exit(code)
}

// artifactOf runs a failing test, once, and returns the artifact of its seed.
func artifactOf(t *testing.T, f failing) string {
	t.Helper()
	artifacts.Lock()
	defer artifacts.Unlock()
	if dir := artifacts.dirs[f.name]; dir != "" {
		return dir
	}
	root := filepath.Join(artifacts.root, f.name)
	cmd := exec.Command("go", "test", "-count=1", "-run=^"+f.test+"$", ".")
	cmd.Dir = filepath.Join("..", "..", filepath.FromSlash(f.dir))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FAULTLINE_") || strings.HasPrefix(v, "GITHUB_") })
	cmd.Env = append(cmd.Env, "FAULTLINE_ARTIFACTS="+root, f.env)
	out, err := cmd.CombinedOutput()
	found, _ := filepath.Glob(filepath.Join(root, "*", "*", "*", artifact.ReportFile))
	if err == nil || len(found) != 1 {
		t.Fatalf("%s: %v, and %d artifacts\n%s", f.test, err, len(found), out)
	}
	artifacts.dirs[f.name] = filepath.Dir(found[0])
	return artifacts.dirs[f.name]
}

// tab is a page in a browser. Its methods end the test on errors.
type tab struct {
	*browser.Browser
	t *testing.T
}

// shared is the browser of all tests, which run one after the other.
var shared struct{ *browser.Browser }

// newTab makes the browser as large as a laptop's window.
func newTab(t *testing.T) *tab {
	t.Helper()
	if shared.Browser == nil {
		b, err := browser.Start(context.Background())
		if errors.Is(err, browser.ErrNone) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		shared.Browser = b
	}
	p := &tab{shared.Browser, t}
	p.must(p.Resize(1280, 800, 1))
	p.must(p.Prefer("prefers-color-scheme", "light"))
	return p
}

func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// open shows the page of an artifact directory, and checks at the end of the test
// that nothing went wrong in it.
func (p *tab) open(dir string) {
	p.t.Helper()
	path, err := filepath.Abs(filepath.Join(dir, artifact.PageFile))
	p.must(err)
	p.must(p.Open("about:blank", "true", patience))
	p.Problems()
	p.must(p.Open((&url.URL{Scheme: "file", Path: path}).String(), `document.documentElement.dataset.drawn === ""`, patience))
	p.t.Cleanup(func() {
		for _, problem := range p.Problems() {
			p.t.Errorf("in the page: %s", problem)
		}
	})
}

// text evaluates an expression to a text.
func (p *tab) text(expression string) string {
	p.t.Helper()
	var s string
	p.must(p.Eval("String("+expression+")", &s))
	return s
}

func (p *tab) number(expression string) float64 {
	p.t.Helper()
	var n float64
	p.must(p.Eval("Number("+expression+")", &n))
	return n
}

// holds checks that an expression is true in the page.
func (p *tab) holds(what, expression string) {
	p.t.Helper()
	if got := p.text(expression); got != "true" {
		p.t.Errorf("%s: %s is %s", what, expression, got)
	}
}

// press presses keys and waits until the page was drawn.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	p.must(p.Press(keys...))
	p.settle()
}

func (p *tab) settle() {
	p.t.Helper()
	p.must(p.Eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil))
}

func (p *tab) details() string { return p.text(`document.getElementById("details").innerText`) }

// selected is the number of the selected record.
func (p *tab) selected() uint64 {
	p.t.Helper()
	heading := p.text(`document.querySelector("#details h2").textContent`)
	number, _, _ := strings.Cut(strings.TrimPrefix(heading, "Record "), ":")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		p.t.Fatalf("the details begin with %q", heading)
	}
	return seq
}

// count is the number on a tab of the list.
func (p *tab) count(name string) int {
	p.t.Helper()
	text := p.text(`document.querySelector("#tab-` + name + ` small").textContent`)
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	p.must(err)
	return n
}

// inView is an expression: whether elements are wholly in view, and not cut off.
func inView(selector string) string {
	return `[...document.querySelectorAll("` + selector + `")].length > 0 && [...document.querySelectorAll("` + selector + `")].every((e) => {
		const r = e.getBoundingClientRect();
		return r.width > 0 && r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1;
	})`
}

const noSidewaysScroll = `document.documentElement.scrollWidth <= innerWidth`

// coloured counts the pixels of the lanes that have a colour of the style sheet.
func coloured(name string) string {
	return `(() => {
		const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--` + name + `");
		probe.fillRect(0, 0, 1, 1);
		const want = probe.getImageData(0, 0, 1, 1).data, canvas = document.getElementById("canvas");
		const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height }).getContext("2d", { willReadFrequently: true });
		copy.drawImage(canvas, 0, 0);
		const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
		let n = 0;
		for (let i = 0; i < data.length; i += 4) if (data[i] === want[0] && data[i + 1] === want[1] && data[i + 2] === want[2]) n++;
		return n;
	})()`
}

func TestTheFailureIsInView(t *testing.T) {
	for _, f := range []failing{service, harness} {
		t.Run(f.name, func(t *testing.T) {
			p := newTab(t)
			dir := artifactOf(t, f)
			p.open(dir)
			run, err := artifact.Read(dir)
			p.must(err)
			for _, part := range []string{"#headline", "#message", "#status", "#zoom-failure"} {
				p.holds(part+" is in view", inView(part))
			}
			p.holds("nothing is below the window", `document.documentElement.scrollHeight <= innerHeight`)
			p.holds("nothing is beside the window", noSidewaysScroll)
			if got := p.text(`document.getElementById("message").textContent.trim()`); got != strings.TrimSpace(run.Report.Failure.Message) {
				t.Errorf("the message is %q, want %q", got, run.Report.Failure.Message)
			}
			if got := p.selected(); got != run.Report.Failure.Record {
				t.Errorf("record %d is selected, want %d", got, run.Report.Failure.Record)
			}
			p.holds("the failure is the selected row", `document.querySelector("[role=option][aria-selected=true] b").textContent === "fail"`)
			if n := p.number(coloured("bad")); n < 500 {
				t.Errorf("%v pixels of the lanes are red", n)
			}
		})
	}
}

// The list of causes is the slice that timeline.txt marks, and walking down it from
// the failure comes to the crash.
func TestCausesLeadToTheCrash(t *testing.T) {
	for _, f := range []failing{service, harness} {
		t.Run(f.name, func(t *testing.T) {
			p := newTab(t)
			dir := artifactOf(t, f)
			p.open(dir)
			run, err := artifact.Read(dir)
			p.must(err)
			slice := artifact.CausalSlice(run.Records, run.Report.Failure.Record, 10_000)
			if got := p.count("causes"); got != len(slice.Seqs) {
				t.Errorf("%d causes, want %d", got, len(slice.Seqs))
			}
			steps := 0
			for i := len(slice.Seqs) - 1; i >= 0; i-- {
				if got := p.selected(); got != slice.Seqs[i] {
					t.Fatalf("after %d steps record %d is selected, want %d", steps, got, slice.Seqs[i])
				}
				if strings.Contains(p.text(`document.querySelector("#details h2").textContent`), ": crash") {
					t.Logf("the crash is %d steps from the failure", steps)
					return
				}
				p.press("j")
				steps++
			}
			t.Error("no step is a crash")
		})
	}
}

func TestFiltersAndSearch(t *testing.T) {
	p := newTab(t)
	dir := artifactOf(t, service)
	p.open(dir)
	run, err := artifact.Read(dir)
	p.must(err)
	count := func(match func(*kernel.Record) bool) (n int) {
		for i := range run.Records {
			if match(&run.Records[i]) {
				n++
			}
		}
		return n
	}
	if got := p.count("records"); got != len(run.Records) {
		t.Errorf("%d records, want %d", got, len(run.Records))
	}
	p.press("/")
	p.press(strings.Split("SNAP-", "")...)
	want := count(func(r *kernel.Record) bool {
		has := strings.Contains(strings.ToLower(r.Text), "snap-")
		for _, a := range r.Attrs {
			has = has || strings.Contains(strings.ToLower(a.Value), "snap-")
		}
		return has
	})
	if got := p.count("records"); got != want || want == 0 {
		t.Errorf("the search finds %d records, want %d", got, want)
	}
	p.holds("all rows match", `[...document.querySelectorAll("[role=option]")].every((row) => row.textContent.includes("snap"))`)
	p.press("Escape")
	lanes := p.number(`document.querySelectorAll(".lane-label").length`)
	p.must(p.Eval(`[...document.querySelectorAll("#nodes-filter label")].find((l) => l.textContent.startsWith("c1")).click()`, nil))
	p.settle()
	id := kernel.NodeID(0)
	for _, n := range run.Report.Nodes {
		if n.Name == "c1" {
			id = kernel.NodeID(n.ID)
		}
	}
	if got, want := p.count("records"), count(func(r *kernel.Record) bool { return r.Node != id }); got != want {
		t.Errorf("%d records without c1, want %d", got, want)
	}
	if got := p.number(`document.querySelectorAll(".lane-label").length`); got != lanes-1 {
		t.Errorf("%v lanes without c1, want %v", got, lanes-1)
	}
	p.must(p.Eval(`[...document.querySelectorAll("#kinds-filter button")].find((b) => b.textContent === "None").click()`, nil))
	p.must(p.Eval(`[...document.querySelectorAll("#kinds-filter label")].find((l) => l.querySelector("span").textContent === "crash").click()`, nil))
	p.settle()
	if got, want := p.count("records"), count(func(r *kernel.Record) bool { return r.Kind == kernel.KindCrash }); got != want {
		t.Errorf("%d crashes, want %d", got, want)
	}
}

// Each control can be reached with the keyboard, shows that it has the focus, and
// has a name.
func TestKeyboardAlone(t *testing.T) {
	p := newTab(t)
	p.open(artifactOf(t, service))
	seen := map[string]bool{}
	for range 40 {
		p.press("Tab")
		id := p.text(`document.activeElement.id || document.activeElement.textContent`)
		if seen[id] || p.text(`document.activeElement === document.body`) == "true" {
			break // around once
		}
		seen[id] = true
		p.holds(id+" shows the focus", `getComputedStyle(document.activeElement).outlineStyle !== "none" && parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`)
		p.holds(id+" has a name", `(document.activeElement.ariaLabel || document.activeElement.textContent || (document.activeElement.labels && document.activeElement.labels[0].textContent) || "").trim() !== ""`)
	}
	for _, id := range []string{"zoom-failure", "search", "scroller", "list", "details", "tab-turning"} {
		if !seen[id] {
			t.Errorf("Tab does not come to %s", id)
		}
	}
	p.must(p.Eval(`document.getElementById("list").focus()`, nil))
	failure := p.selected()
	p.press("ArrowDown")
	first := p.selected()
	if first == failure {
		t.Error("the arrow down stays at the failure")
	}
	p.holds("the row is announced", `document.getElementById(document.getElementById("list").getAttribute("aria-activedescendant")).getAttribute("aria-selected") === "true"`)
	p.press("Enter")
	if p.selected() >= first {
		t.Error("Enter does not go to the cause")
	}
	p.press("b")
	if p.selected() != first {
		t.Error("b does not go back")
	}
	p.press("f")
	if p.selected() != failure {
		t.Error("f does not go to the failure")
	}
	before := p.text(`document.getElementById("status").textContent`)
	p.press("+", "ArrowLeft")
	if p.text(`document.getElementById("status").textContent`) == before {
		t.Error("+ and the arrow left do not move the view")
	}
	p.must(p.Eval(`document.getElementById("tab-turning").focus()`, nil))
	p.press("Enter")
	p.holds("Enter opens the turning points", `document.getElementById("tab-turning").getAttribute("aria-pressed") === "true"`)
}

func TestClickSelects(t *testing.T) {
	p := newTab(t)
	p.open(artifactOf(t, harness))
	p.must(p.Eval(`document.getElementById("zoom-all").click()`, nil))
	p.settle()
	failure := p.selected()
	box := struct{ X, Y, Width, Height float64 }{}
	p.must(p.Eval(`document.getElementById("canvas").getBoundingClientRect().toJSON()`, &box))
	for y := 40.0; y < box.Height && p.selected() == failure; y += 6 {
		p.must(p.Click(box.X+box.Width/2, box.Y+y))
		p.settle()
		if strings.Contains(p.details(), "Operation ") {
			break
		}
	}
	if details := p.details(); strings.Contains(details, fmt.Sprintf("Record %d:", failure)) {
		t.Errorf("no click in the middle of the lanes selects anything; the details are still %q", details)
	}
}

func TestDragAndWheelMoveTheView(t *testing.T) {
	p := newTab(t)
	p.open(artifactOf(t, service))
	box := struct{ X, Y, Width, Height float64 }{}
	p.must(p.Eval(`document.getElementById("canvas").getBoundingClientRect().toJSON()`, &box))
	x, y := box.X+box.Width/2, box.Y+box.Height-40
	status := func() string { return p.text(`document.getElementById("status").textContent`) }
	span := func() string { return status()[strings.LastIndex(status(), ", ")+2:] }
	failure, before, width := p.selected(), status(), span()
	p.must(p.Drag(x, y, 200, 0))
	p.settle()
	if status() == before || span() != width {
		t.Errorf("dragging moves from %q to %q", before, status())
	}
	p.must(p.Wheel(x, y, -300))
	p.settle()
	if span() == width {
		t.Errorf("the wheel does not zoom: %q", status())
	}
	before = status()
	p.must(p.Eval(`document.getElementById("overview").getBoundingClientRect().toJSON()`, &box))
	p.must(p.Click(box.X+box.Width/4, box.Y+box.Height/2))
	p.settle()
	if status() == before {
		t.Error("a press in the overview does not move the view")
	}
	if p.selected() != failure {
		t.Error("dragging selects a record")
	}
}

// At 200 per cent a window of 1280 by 800 has half as many CSS pixels each way.
func TestZoomedIn(t *testing.T) {
	for _, f := range []failing{service, harness} {
		t.Run(f.name, func(t *testing.T) {
			p := newTab(t)
			p.must(p.Resize(640, 400, 2))
			p.open(artifactOf(t, f))
			p.holds("the headline is not cut", inView("#headline"))
			p.holds("the message is not cut", inView("#message"))
			p.holds("nothing is beside the window", noSidewaysScroll)
			p.holds("the buttons are not cut", `[...document.querySelectorAll(".toolbar button:not([hidden])")].every((b) => b.scrollWidth <= b.clientWidth + 1 && b.scrollHeight <= b.clientHeight + 1)`)
			p.must(p.Resize(1280, 800, 1))
			p.must(p.Eval(`document.documentElement.style.fontSize = "200%"`, nil))
			p.settle()
			p.holds("the headline is not cut with large text", inView("#headline"))
			p.holds("nothing is beside the window with large text", noSidewaysScroll)
			p.must(p.Eval(`document.documentElement.style.fontSize = ""`, nil))
			p.must(p.Resize(320, 640, 2))
			p.settle()
			p.holds("nothing is beside a narrow window", noSidewaysScroll)
		})
	}
}

// contrast is an expression: the least contrast of texts with what is behind them.
const contrast = `(() => {
	const light = (c) => {
		const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor;
			if (c !== "rgba(0, 0, 0, 0)") return c;
		}
		return "rgb(255, 255, 255)";
	};
	return Math.min(...[...document.querySelectorAll("h1, .message, summary, button, .status, .lane-label span, .lane-label small, .row b, .row-text, .row-when, h2, dt, dd, .text, .tabs small")].filter((e) => e.offsetParent).map((e) => {
		const a = light(getComputedStyle(e).color), b = light(behind(e));
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	}));
})()`

func TestLightAndDark(t *testing.T) {
	p := newTab(t)
	p.open(artifactOf(t, service))
	grounds := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		p.must(p.Prefer("prefers-color-scheme", scheme))
		p.settle()
		grounds[p.text(`getComputedStyle(document.body).backgroundColor`)] = true
		if c := p.number(contrast); c < 4.5 {
			t.Errorf("%s: the least contrast is %.2f, want 4.5", scheme, c)
		}
		if n := p.number(coloured("bad")); n < 500 {
			t.Errorf("%s: %v pixels of the lanes are red", scheme, n)
		}
	}
	if len(grounds) != 2 {
		t.Errorf("the grounds are %v", grounds)
	}
}
