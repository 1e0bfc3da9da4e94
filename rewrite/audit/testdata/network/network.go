package network

import (
	"context"
	"crypto/tls"
	"net"
	. "net/http"
	"net/http/httptest"
)

var transport = DefaultTransport

type dialer struct{ net.Dialer }

func dial(ctx context.Context, d dialer, c net.Conn) {
	net.Dial("tcp", "a:1")
	d.DialContext(ctx, "tcp", "a:1")
	later := net.LookupHost
	later("a")
	tls.Client(c, nil)
	tls.Dial("tcp", "a:1", nil)
	(&net.Resolver{}).LookupHost(ctx, "a")
	net.JoinHostPort("a", "1")
	net.Pipe()
}

func serve(s *Server, l net.Listener) {
	s.Serve(l)
	s.ListenAndServe()
	Get("http://a")
	httptest.NewServer(nil)
	httptest.NewRecorder()
	(&Client{}).Get("http://a")
	_ = []*Client{{Timeout: 1}, {Transport: &Transport{}}}
	_ = Client{Transport: &Transport{DialContext: nil}}
}
