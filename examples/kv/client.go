// SPDX-License-Identifier: MPL-2.0

package kv

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Client talks to a service and tries again until it has an answer. Its methods may be called from any goroutine.
type Client struct {
	URL     string        // of the service, as in "http://kv:8080"
	HTTP    *http.Client  // nil means http.DefaultClient
	Timeout time.Duration // of one attempt; 0 means 500 ms
	Backoff time.Duration // between two attempts; 0 means 50 ms
}

// Put sets the value of key. A nil error means that the service acknowledged it; an error, which comes only when ctx
// ends, means that it may or may not have been written.
func (c *Client) Put(ctx context.Context, key, value string) error {
	_, _, err := c.retry(ctx, http.MethodPut, key, value)
	return err
}

// Get returns the value of key, and whether there is one. It fails only when ctx ends.
func (c *Client) Get(ctx context.Context, key string) (value string, found bool, err error) {
	return c.retry(ctx, http.MethodGet, key, "")
}

// retry sends a request until it is answered or ctx ends.
func (c *Client) retry(ctx context.Context, method, key, body string) (value string, found bool, err error) {
	for {
		value, found, err = c.once(ctx, method, key, body)
		if err == nil {
			return value, found, nil
		}
		select {
		case <-time.After(orDefault(c.Backoff, 50*time.Millisecond)):
		case <-ctx.Done():
			return "", false, fmt.Errorf("%s %s: %w; last attempt: %w", method, key, context.Cause(ctx), err)
		}
	}
}

// once sends one request.
func (c *Client) once(ctx context.Context, method, key, body string) (value string, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, orDefault(c.Timeout, 500*time.Millisecond))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.URL+"/"+key, strings.NewReader(body))
	if err != nil {
		return "", false, err
	}
	resp, err := c.http().Do(req)
	if err != nil {
		return "", false, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", false, err
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusNoContent:
		return string(answer), true, nil
	case http.StatusNotFound:
		return "", false, nil
	default:
		return "", false, fmt.Errorf("%s: %s", resp.Status, answer)
	}
}

func (c *Client) http() *http.Client {
	if c.HTTP == nil {
		return http.DefaultClient //faultline:accept tests give the client one that dials through its node
	}
	return c.HTTP
}

func orDefault(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return d
}
