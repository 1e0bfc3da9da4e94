// SPDX-License-Identifier: MPL-2.0

package browser

import (
	"encoding/base64"
	"fmt"
	"time"
)

// Open goes to a page and waits until an expression in it is true, which must be
// false in the page before.
func (b *Browser) Open(url, ready string, patience time.Duration) error {
	if err := b.Call("Page.navigate", map[string]any{"url": url}, nil); err != nil {
		return err
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var is bool
		if err := b.Eval("location.href === "+quote(url)+" && ("+ready+")", &is); err == nil && is {
			return nil
		}
	}
	return fmt.Errorf("browser: %s: %s was not true within %v", url, ready, patience)
}

// quote writes a text without quotes and backslashes, such as a URL, as a string of
// the script.
func quote(text string) string { return `"` + text + `"` }

// Eval evaluates an expression in the page, waits for it if it is a promise, and
// decodes its value, which may be nil.
func (b *Browser) Eval(expression string, value any) error {
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	answer.Result.Value = value
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}
	if err := b.Call("Runtime.evaluate", params, &answer); err != nil {
		return err
	}
	if e := answer.Exception; e != nil {
		return fmt.Errorf("browser: %s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return nil
}

// codes are those of keys without a character.
var codes = map[string]int{
	"Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
	"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}

// Press presses and releases keys, which are characters or names such as "Tab".
func (b *Browser) Press(keys ...string) error {
	for _, key := range keys {
		down := map[string]any{"type": "keyDown", "key": key}
		if code := codes[key]; code != 0 {
			down["windowsVirtualKeyCode"] = code
		} else {
			down["text"] = key
		}
		if key == "Enter" {
			down["text"] = "\r"
		}
		if err := b.Call("Input.dispatchKeyEvent", down, nil); err != nil {
			return err
		}
		if err := b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "windowsVirtualKeyCode": codes[key]}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Click presses the mouse at a point of the page, in CSS pixels.
func (b *Browser) Click(x, y float64) error {
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		params := map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
		if err := b.Call("Input.dispatchMouseEvent", params, nil); err != nil {
			return err
		}
	}
	return nil
}

// Drag presses the mouse at a point of the page and lets go of it further on.
func (b *Browser) Drag(x, y, dx, dy float64) error {
	for _, step := range []map[string]any{
		{"type": "mousePressed", "x": x, "y": y, "button": "left", "clickCount": 1},
		{"type": "mouseMoved", "x": x + dx/2, "y": y + dy/2, "button": "left", "buttons": 1},
		{"type": "mouseMoved", "x": x + dx, "y": y + dy, "button": "left", "buttons": 1},
		{"type": "mouseReleased", "x": x + dx, "y": y + dy, "button": "left", "clickCount": 1},
	} {
		if err := b.Call("Input.dispatchMouseEvent", step, nil); err != nil {
			return err
		}
	}
	return nil
}

// Wheel turns the wheel at a point of the page; up is negative.
func (b *Browser) Wheel(x, y, by float64) error {
	params := map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by}
	return b.Call("Input.dispatchMouseEvent", params, nil)
}

// Resize sets the size of the page in CSS pixels and how many pixels each is: at a
// zoom of 200 per cent a window of 1280 pixels is 640 CSS pixels wide.
func (b *Browser) Resize(width, height int, zoom float64) error {
	params := map[string]any{"width": width, "height": height, "deviceScaleFactor": zoom, "mobile": false}
	return b.Call("Emulation.setDeviceMetricsOverride", params, nil)
}

// Prefer sets a media feature such as prefers-color-scheme.
func (b *Browser) Prefer(feature, value string) error {
	params := map[string]any{"features": []map[string]string{{"name": feature, "value": value}}}
	return b.Call("Emulation.setEmulatedMedia", params, nil)
}

// Screenshot returns the page as it looks, as a PNG file.
func (b *Browser) Screenshot() ([]byte, error) {
	var shot struct {
		Data string `json:"data"`
	}
	if err := b.Call("Page.captureScreenshot", nil, &shot); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}
