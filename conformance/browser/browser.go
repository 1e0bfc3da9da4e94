// SPDX-License-Identifier: MPL-2.0

// Package browser drives a headless Chromium for tests of pages.
//
// It owns the process and the pipe to it, over which both sides send JSON
// messages of the DevTools protocol. It must not know what a page shows. A
// Browser is for one goroutine.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// ErrNone is the error of Start when there is no Chromium.
var ErrNone = errors.New("browser: no Chromium: install chromium, or set CHROMIUM to the path of one")

// names are those of Chromium's command in various systems.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

func find() (path string, err error) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNone
}

// Browser is a Chromium with one page.
type Browser struct {
	cmd     *exec.Cmd
	stop    context.CancelFunc
	dir     string // of the browser's profile
	out     *os.File
	in      *bufio.Reader
	lastID  int
	session string

	problems []string
}

// Start starts a Chromium that lives until ctx ends or Close.
func Start(ctx context.Context) (*Browser, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		return nil, err
	}
	b := &Browser{dir: dir}
	if err := b.launch(ctx, path); err != nil {
		b.Close()
		return nil, fmt.Errorf("browser: %w", err)
	}
	if err := b.attach(); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// launch starts the process. With the pipe Chromium reads commands from file 3 and
// writes to file 4, so that no port is needed. Its sandbox refuses to work for root
// and in many containers; the pages are our own.
func (b *Browser) launch(ctx context.Context, path string) error {
	commands, out, err := os.Pipe()
	if err != nil {
		return err
	}
	in, answers, err := os.Pipe()
	if err != nil {
		return err
	}
	b.out, b.in = out, bufio.NewReader(in)
	ctx, b.stop = context.WithCancel(ctx)
	b.cmd = exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir="+b.dir)
	b.cmd.ExtraFiles = []*os.File{commands, answers}
	b.cmd.WaitDelay = 10 * time.Second
	context.AfterFunc(ctx, func() { in.Close() }) // also when a child of the process keeps the pipe open
	err = b.cmd.Start()
	return errors.Join(err, commands.Close(), answers.Close())
}

func (b *Browser) attach() error {
	var target struct {
		TargetID string `json:"targetId"`
	}
	if err := b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session); err != nil {
		return err
	}
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		if err := b.Call(domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the process and removes its profile.
func (b *Browser) Close() {
	if b.stop != nil {
		b.stop()
	}
	if b.cmd != nil && b.cmd.Process != nil {
		_ = b.cmd.Wait() // it was killed
	}
	if b.out != nil {
		b.out.Close()
	}
	os.RemoveAll(b.dir)
}

// message is what either side sends: a call, its answer, or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Call calls a method of the protocol and decodes its result, which may be nil.
func (b *Browser) Call(method string, params, result any) error {
	b.lastID++
	text, err := json.Marshal(message{ID: b.lastID, Session: b.session, Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("browser: %s: %w", method, err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		return fmt.Errorf("browser: %s: %w", method, err)
	}
	for {
		m, err := b.receive()
		switch {
		case err != nil:
			return fmt.Errorf("browser: %s: %w", method, err)
		case m.ID != b.lastID:
			continue
		case m.Error != nil:
			return fmt.Errorf("browser: %s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

// receive reads the next message and keeps what tells of a problem.
func (b *Browser) receive() (*message, error) {
	text, err := b.in.ReadBytes(0)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte{0})
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	if troubles[m.Method] {
		b.problems = append(b.problems, string(text))
	}
	return &m, nil
}

// troubles are the events that a page without a fault does not cause: exceptions,
// anything on the console, refused requests, dialogs.
var troubles = map[string]bool{
	"Runtime.exceptionThrown": true, "Runtime.consoleAPICalled": true, "Log.entryAdded": true, "Page.javascriptDialogOpening": true,
}

// Problems returns what went wrong in the page since the last call.
func (b *Browser) Problems() []string {
	list := b.problems
	b.problems = nil
	return list
}
