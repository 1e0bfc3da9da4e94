// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net/http"
	"time"
)

// HTTPTransport returns an http.Transport that dials through h. It keeps up to 64
// idle connections to each host for 90 s, and uses no proxy of the environment.
func HTTPTransport(h *Host) *http.Transport {
	return &http.Transport{
		DialContext:           h.DialContext,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// HTTPClient returns an http.Client over [HTTPTransport]. It has no timeout of its
// own, as http.DefaultClient has none: requests that may meet a partition should
// carry a context with a deadline.
func HTTPClient(h *Host) *http.Client {
	return &http.Client{Transport: HTTPTransport(h)}
}
