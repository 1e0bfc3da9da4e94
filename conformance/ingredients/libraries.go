// SPDX-License-Identifier: MPL-2.0

package ingredients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/rpc"
	"sync"
	"time"
)

var libraries = []Ingredient{
	{Name: "io.Pipe", Run: ioPipe},
	{Name: "net.Pipe with deadlines", Run: netPipe, NeedsSeam: true},
	{Name: "net/http over net.Pipe", Run: httpOverPipe},
	{Name: "net/rpc over net.Pipe", Run: rpcOverPipe},
	{Name: "log/slog and encoding/json", Run: logging},
}

func ioPipe(l *Log) {
	r, w := io.Pipe()
	go func() {
		crowd(4, func(id int) {
			for i := range 8 {
				fmt.Fprintf(w, "%d-%d\n", id, i)
			}
		})
		w.Close()
	}()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		l.Add(lines.Text())
	}
}

func netPipe(l *Log) {
	a, b := net.Pipe()
	go func() {
		defer b.Close()
		crowd(3, func(id int) {
			for i := range 6 {
				b.SetWriteDeadline(time.Now().Add(2 * time.Millisecond))
				_, err := fmt.Fprintf(b, "%d-%d\n", id, i)
				if err != nil {
					l.Add(id, err)
				}
			}
		})
	}()
	lines := bufio.NewScanner(a)
	for lines.Scan() {
		l.Add(lines.Text())
		time.Sleep(time.Millisecond)
	}
}

// pipeListener is a net.Listener whose connections are pipes within the process.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipeListener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func httpOverPipe(l *Log) {
	ln := newPipeListener()
	var mu sync.Mutex
	served := 0
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		served++
		n := served
		mu.Unlock()
		if n%7 == 0 {
			time.Sleep(20 * time.Millisecond) // beyond the client's patience
		}
		w.Header().Set("X-Served", fmt.Sprint(n))
		w.Write(body)
	})}
	var server sync.WaitGroup
	server.Go(func() { srv.Serve(ln) })
	transport := &http.Transport{DialContext: ln.Dial, MaxIdleConnsPerHost: 2}
	client := &http.Client{Transport: transport, Timeout: 10 * time.Millisecond}
	crowd(5, func(id int) {
		for i := range 6 {
			resp, err := client.Post("http://service/", "text/plain", bytes.NewBufferString(fmt.Sprint(id, i)))
			if err != nil {
				l.Add(id, i, err)
				continue
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			l.Add(id, i, resp.Header, string(body), err)
		}
	})
	transport.CloseIdleConnections()
	time.Sleep(time.Second) // the handlers whose client gave up are still asleep
	srv.Close()
	server.Wait()
}

// Arith is a service of net/rpc.
type Arith struct{ log *Log }

// Double answers twice its argument.
func (a *Arith) Double(n int, twice *int) error {
	a.log.Add("double", n)
	*twice = 2 * n
	return nil
}

func rpcOverPipe(l *Log) {
	near, far := net.Pipe()
	server := rpc.NewServer()
	if err := server.Register(&Arith{l}); err != nil {
		l.Add(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { server.ServeConn(far) })
	client := rpc.NewClient(near)
	crowd(4, func(id int) {
		for i := range 5 {
			var twice int
			err := client.Call("Arith.Double", id*10+i, &twice)
			l.Add(id, twice, err)
		}
	})
	client.Close()
	wg.Wait()
}

func logging(l *Log) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	crowd(4, func(id int) {
		for i := range 5 {
			text, _ := json.Marshal(map[string]int{"id": id, "i": i})
			log.Info("step", "state", string(text))
			time.Sleep(time.Microsecond)
		}
	})
	l.Add(out.String())
}
