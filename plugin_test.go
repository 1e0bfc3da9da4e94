// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// agentTexts are what an agent reads about faultline: the plugin, the block for AGENTS.md, and the two pages about them.
func agentTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	paths := []string{"docs/agents.md", "docs/commands.md"}
	err := fs.WalkDir(os.DirFS("plugin"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			paths = append(paths, "plugin/"+path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		texts[path] = readWhole(t, path)
	}
	return texts
}

func readWhole(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(readWhole(t, path)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestPluginManifests(t *testing.T) {
	type person struct{ Name, Email, URL string }
	var market struct {
		Name     string
		Owner    person
		Metadata struct{ Description string }
		Plugins  []struct{ Name, Source, Description string }
	}
	decode(t, ".claude-plugin/marketplace.json", &market)
	if market.Name != "faultline" || market.Owner.Name == "" || len(market.Plugins) != 1 {
		t.Fatalf("marketplace %+v; faultline@faultline names one plugin of it", market)
	}
	listed := market.Plugins[0]
	if listed.Name != "faultline" || !strings.HasPrefix(listed.Source, "./") || strings.Contains(listed.Source, "..") {
		t.Errorf("plugin %+v; a source is a path from ./ down", listed)
	}
	var plugin struct {
		Name, Version, Description, Homepage, Repository, License string
		Author                                                    person
		Keywords                                                  []string
	}
	decode(t, filepath.Join(listed.Source, ".claude-plugin/plugin.json"), &plugin)
	if plugin.Name != listed.Name || plugin.Description != listed.Description || plugin.License != "MPL-2.0" || plugin.Repository != "https://"+modulePath {
		t.Errorf("plugin %+v, listed as %+v", plugin, listed)
	}
	if "v"+plugin.Version != Version {
		t.Errorf("the plugin has version %s, the release %s", plugin.Version, Version)
	}
}

// wantedKeys are the keys that the head of each kind of file needs, and those that it may have.
var wantedKeys = []struct {
	pattern       string
	needs, allows []string
}{
	{"plugin/skills/*/SKILL.md", []string{"name", "description"}, nil},
	{"plugin/agents/*.md", []string{"name", "description"}, []string{"tools"}},
	{"plugin/commands/*.md", []string{"description"}, []string{"argument-hint"}},
}

var pluginName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func TestPluginFilesHaveHeads(t *testing.T) {
	for _, k := range wantedKeys {
		paths, err := filepath.Glob(k.pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no %s (%v)", k.pattern, err)
		}
		for _, path := range paths {
			checkHead(t, path, k.needs, k.allows)
		}
	}
	for _, name := range []string{"replay", "pin"} {
		if _, err := os.Stat("plugin/commands/" + name + ".md"); err != nil {
			t.Error(err)
		}
	}
}

func checkHead(t *testing.T, path string, needs, allows []string) {
	t.Helper()
	_, rest, ok := strings.Cut(readWhole(t, path), "---\n")
	head, body, closed := strings.Cut(rest, "\n---\n")
	if !ok || !closed || strings.TrimSpace(body) == "" {
		t.Fatalf("%s: no head between two lines of --- and a text", path)
	}
	keys := map[string]string{}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || strings.TrimSpace(value) == "" || strings.Contains(value, ": ") || !slices.Contains(append(needs, allows...), key) {
			t.Errorf("%s: head line %q; want one of %q, a colon, and a text without a colon and space", path, line, append(needs, allows...))
		}
		keys[key] = value
	}
	for _, key := range needs {
		if keys[key] == "" {
			t.Errorf("%s: no %s", path, key)
		}
	}
	name := strings.TrimSuffix(filepath.Base(path), ".md")
	if name == "SKILL" {
		name = filepath.Base(filepath.Dir(path))
	}
	if keys["name"] != "" && (keys["name"] != name || !pluginName.MatchString(name)) {
		t.Errorf("%s: name %q, want that of the file", path, keys["name"])
	}
	if len(keys["description"]) > 1024 {
		t.Errorf("%s: a description of %d characters; at most 1024 are read", path, len(keys["description"]))
	}
}

// flagsOf returns the flags of the commands of a program by command, from its sources.
func flagsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	byFile, commands := map[string][]string{}, map[string]string{} // command by the function that sets it up
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, ok := flagName(n); ok {
					byFile[path] = append(byFile[path], name)
				}
			case *ast.CompositeLit:
				if name, ok := commandName(n); ok {
					commands[name] = path
				}
			case *ast.KeyValueExpr:
				if key, ok := stringOf(n.Key); ok {
					commands[key] = path
				}
			}
			return true
		})
	}
	all := map[string][]string{}
	for name := range commands {
		all[name] = byFile[filepath.Join(dir, name+".go")]
	}
	return all
}

// flagName returns the name of the flag that a call like flags.Int("context", …) makes.
func flagName(call *ast.CallExpr) (string, bool) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 3 || !slices.Contains([]string{"Bool", "Int", "String", "Duration", "BoolVar", "StringVar"}, method.Sel.Name) {
		return "", false
	}
	if strings.HasSuffix(method.Sel.Name, "Var") {
		return stringOf(call.Args[1])
	}
	return stringOf(call.Args[0])
}

// commandName returns the first field of a row of a table of commands.
func commandName(row *ast.CompositeLit) (string, bool) {
	if row.Type != nil || len(row.Elts) < 5 {
		return "", false
	}
	return stringOf(row.Elts[0])
}

func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// call is a command line of one of the programs in a text, up to the end of its code.
var (
	ourCall     = regexp.MustCompile("(?m)(?:`|^    |tool |cmd/)(faultline|faultline-toolexec) ([a-z]+)([^`\n]*)")
	heading     = regexp.MustCompile(`(?m)^## (faultline|faultline-toolexec) ([a-z]+)`)
	flagInTable = regexp.MustCompile("(?m)^\\| `-([a-zA-Z-]+)")
	flagInCall  = regexp.MustCompile(` -([a-zA-Z-]+)`)
)

func TestAgentTextsNameCommandsThatExist(t *testing.T) {
	programs := map[string]map[string][]string{
		"faultline":          flagsOf(t, "cmd/faultline"),
		"faultline-toolexec": flagsOf(t, "cmd/faultline-toolexec"),
	}
	programs["faultline-toolexec"]["prepare"] = []string{"explain"} // takes no more than this, so it has no flag set
	seen := 0
	for path, text := range agentTexts(t) {
		for _, m := range ourCall.FindAllStringSubmatch(text, -1) {
			seen++
			flags, ok := programs[m[1]][m[2]]
			if !ok {
				t.Errorf("%s: %s has no command %s", path, m[1], m[2])
			}
			if m[1] == "faultline-toolexec" && m[2] == "test" {
				continue // the flags are those of go test
			}
			for _, f := range flagInCall.FindAllStringSubmatch(m[3], -1) {
				if !slices.Contains(flags, f[1]) && f[1] != "h" {
					t.Errorf("%s: %s %s has no flag -%s", path, m[1], m[2], f[1])
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("found %d calls of the commands, want at least 20", seen)
	}
	checkCommandsPage(t, programs)
}

// checkCommandsPage wants each command to have a section with a table of all of its flags.
func checkCommandsPage(t *testing.T, programs map[string]map[string][]string) {
	t.Helper()
	text := readWhole(t, "docs/commands.md")
	described := map[string]bool{}
	for i, at := range heading.FindAllStringSubmatchIndex(text, -1) {
		program, command := text[at[2]:at[3]], text[at[4]:at[5]]
		section, _, _ := strings.Cut(text[at[1]:], "\n## ")
		described[program+" "+command] = true
		flags := programs[program][command]
		for _, m := range flagInTable.FindAllStringSubmatch(section, -1) {
			if !slices.Contains(flags, m[1]) {
				t.Errorf("section %d: %s %s has no flag -%s", i, program, command, m[1])
			}
		}
		for _, f := range flags {
			if !strings.Contains(section, "`-"+f) {
				t.Errorf("docs/commands.md does not tell of %s %s -%s", program, command, f)
			}
		}
	}
	for program, commands := range programs {
		for command := range commands {
			if !described[program+" "+command] {
				t.Errorf("docs/commands.md has no section on %s %s", program, command)
			}
		}
	}
}

var (
	variableName = regexp.MustCompile(`\b(?:FAULTLINE|GITHUB|NO)_[A-Z_]+\b`)
	fileName     = regexp.MustCompile("`([a-z-]+\\.(?:txt|jsonl?|html|mmd))`")
	goName       = regexp.MustCompile(`\b(Options|World|faultline)\.([A-Z]\w*)`)
	link         = regexp.MustCompile(`\]\(([^)#:]+)(?:#([^)]*))?\)`)
	docsPath     = regexp.MustCompile("`(docs/[a-z-]+\\.md)`")
)

func TestAgentTextsNameThingsThatExist(t *testing.T) {
	known := []string{"FAULTLINE_TOOLEXEC_STD", "FAULTLINE_TOOLEXEC_DEPS", "NO_COLOR"}
	for _, v := range variables {
		known = append(known, v.name)
	}
	files := []string{
		artifact.ReportFile, artifact.ConsoleFile, artifact.TraceFile, artifact.ScheduleFile, artifact.HistoryFile, artifact.TimelineFile,
		artifact.PageFile, artifact.DiagramFile, artifact.GapsFile, artifact.GoroutinesFile, artifact.StallFile, artifact.DecisionsFile,
		"stdout.txt", "stderr.txt",
	}
	for path, text := range agentTexts(t) {
		for _, name := range variableName.FindAllString(text, -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s: no variable %s is read", path, name)
			}
		}
		for _, m := range fileName.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(files, m[1]) {
				t.Errorf("%s: no artifact has a file %s", path, m[1])
			}
		}
		for _, m := range goName.FindAllStringSubmatch(text, -1) {
			if !exported(t, m[1], m[2]) {
				t.Errorf("%s: there is no %s.%s", path, m[1], m[2])
			}
		}
		for _, m := range docsPath.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := filepath.Join(filepath.Dir(path), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if m[2] != "" && !slices.Contains(anchors(readWhole(t, target)), m[2]) {
				t.Errorf("%s: %s has no heading #%s", path, m[1], m[2])
			}
		}
	}
}

// exported reports whether package faultline, or its type of that name, has a name.
func exported(t *testing.T, of, name string) bool {
	t.Helper()
	switch of {
	case "Options":
		_, ok := reflect.TypeFor[Options]().FieldByName(name)
		return ok
	case "World":
		_, method := reflect.TypeFor[*World]().MethodByName(name)
		_, field := reflect.TypeFor[World]().FieldByName(name)
		return method || field
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^(?:func|type|\t|const|var) ?` + name + `\b`)
	return slices.ContainsFunc(files, func(path string) bool {
		return !strings.HasSuffix(path, "_test.go") && declared.MatchString(readWhole(t, path))
	})
}

// anchors returns what GitHub makes of the headings of a page.
func anchors(text string) (list []string) {
	strip := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			list = append(list, strings.ReplaceAll(strip.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-"))
		}
	}
	return list
}

// The block for other agents is the same in the guide and beside the plugin.
func TestBlockForOtherAgents(t *testing.T) {
	_, rest, _ := strings.Cut(readWhole(t, "docs/agents.md"), "````markdown\n")
	block, after, ok := strings.Cut(rest, "````\n")
	if !ok || block != readWhole(t, "plugin/AGENTS.md") || after != "" {
		t.Error("docs/agents.md does not end with plugin/AGENTS.md between two lines of ````")
	}
}
